/**
 * Checks a task as hard as those of the package are checked: at its default knobs, its levels and its attributes, in
 * both styles.
 *
 * ```ts
 * const { findings } = checkTask(addition);
 * if (findings.length > 0) console.log(findings.map(findingText).join('\n'));
 * ```
 */
import type { AnyTaskDefinition } from '../registry.ts';
import type { Repeat } from '../repeat.ts';
import { attack } from './attack.ts';
import {
  acceptsRightAnswers,
  demonstrates,
  hasTwins,
  isAboveChance,
  isFast,
  isPure,
  isReproducible,
  readsPrompts,
  refusesJunk,
  refusesMutants,
  refusesOtherAnswers,
  splitsDisjointly,
} from './checks.ts';
import { playsByItsRules } from './environment_checks.ts';
import { Findings, type TaskFinding } from './findings.ts';
import { type SecondChecker, Setting } from './setting.ts';

/** Characters of the junk that a slow verifier is still asked about. */
const SHORT = 100;

/** How hard `checkTask` tries. */
export interface CheckTaskOptions {
  /** Knobs to check it at, as the YAML has them under `task:`. Default: its own, each level, each end of an attribute. */
  readonly settings?: readonly Readonly<Record<string, unknown>>[];
  /** Problems per setting, of the training stream and of those that are held out. Default 200. */
  readonly items?: number;
  /** Texts that are tried on the verifier per setting. Default 2000. */
  readonly attempts?: number;
  /** Says by itself whether an answer is right; every verdict is compared with it. */
  readonly second?: SecondChecker;
  /** Milliseconds. */
  readonly clock?: () => number;
  /** How its functions are called many times in a row, where its host watches them. */
  readonly repeat?: Repeat;
}

/** One setting of the knobs, with what was tried of it: shares from 0 to 1, counts of problems and verdicts. */
export interface CheckedSetting {
  /** `default knobs`, or the knobs as they were given. */
  readonly name: string;
  readonly chance: number;
  /** Share of the commonest answer among the held-out problems. */
  readonly commonest: number;
  /** Held-out problems that were drawn. */
  readonly heldOut: number;
  readonly verdicts: number;
}

/** What `checkTask` has looked at and found; a task that keeps its rules has no finding. */
export interface TaskCheck {
  readonly settings: readonly CheckedSetting[];
  /** At most five of a rule and setting. */
  readonly findings: readonly TaskFinding[];
  /** How many there were. */
  readonly count: number;
}

/** The settings that are looked at where none are given. */
export function settingsOf(definition: AnyTaskDefinition): Readonly<Record<string, unknown>>[] {
  const { levels, attributes = {}, question, environment } = definition;
  const presets = (levels ?? []).map((_, level) => ({ level })); // a user's file may leave them out
  const ends = Object.entries(attributes).flatMap(([knob, values = []]) =>
    [values[0], values.at(-1)].flatMap((value) => (value === undefined ? [] : [{ [knob]: value }])),
  );
  const plain =
    question === undefined || environment !== undefined
      ? []
      : [{ style: 'plain' }, ...presets.slice(-1).map((one) => ({ ...one, style: 'plain' }))];
  const all = [{}, ...presets, ...ends, ...plain];
  return all.filter((one, i) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === i);
}

/** All that is wrong with a task, as far as trying shows; nothing is thrown but for knobs that it does not take. */
export function checkTask(definition: AnyTaskDefinition, options: CheckTaskOptions = {}): TaskCheck {
  const { items = 200, attempts = 2000, second, repeat, clock = () => performance.now() } = options;
  const findings = new Findings();
  const settings = (options.settings ?? settingsOf(definition)).map((given): CheckedSetting => {
    const setting = new Setting(definition, given, findings, { items, second, repeat });
    const orReport = <T>(rule: string, check: () => T): T | undefined => {
      try {
        return check();
      } catch (error) {
        setting.report(rule, String(error));
        return undefined;
      }
    };
    const { environment } = definition;
    if (environment !== undefined) {
      orReport('environment', () => playsByItsRules(setting, environment));
      orReport('mutants', () => refusesMutants(setting));
      orReport('split', () => splitsDisjointly(setting, 5 * items));
      orReport('reproducible', () => isReproducible(setting));
      const { chance } = setting.task;
      return { name: setting.name, chance, commonest: 0, heldOut: setting.heldOut.length, verdicts: setting.verdicts };
    }
    orReport('oracle', () => acceptsRightAnswers(setting));
    orReport('mutants', () => refusesMutants(setting));
    const isSoon = orReport('speed', () => isFast(setting, clock)) ?? false;
    orReport('junk', () => refusesJunk(setting, isSoon ? Number.POSITIVE_INFINITY : SHORT));
    orReport('pure', () => isPure(setting));
    orReport('chance', () => refusesOtherAnswers(setting));
    orReport('split', () => splitsDisjointly(setting, 5 * items));
    orReport('reproducible', () => isReproducible(setting));
    orReport('demonstration', () => demonstrates(setting));
    orReport('twin', () => hasTwins(setting));
    orReport('parse', () => readsPrompts(setting));
    const commonest = orReport('chance', () => isAboveChance(setting)) ?? 0;
    if (setting.style === 'compact') orReport('total', () => attack(setting, attempts));
    const { chance } = setting.task;
    return { name: setting.name, chance, commonest, heldOut: setting.heldOut.length, verdicts: setting.verdicts };
  });
  return { settings, findings: findings.kept, count: findings.count };
}
