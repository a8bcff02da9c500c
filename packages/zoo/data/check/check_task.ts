/**
 * Checks a task as hard as those of the package are checked: at its default knobs, its levels and its attributes, in
 * both styles.
 *
 * ```ts
 * const { findings } = checkTask(addition);
 * if (findings.length > 0) console.log(findings.map(findingText).join('\n'));
 * ```
 */
import { takeKnobs } from '../../../../src/data/knobs.ts';
import type { Repeat } from '../../../../src/data/repeat.ts';
import type { AnyTaskDefinition } from '../../../../src/data/task.ts';
import { attack } from './attack.ts';
import {
  acceptsRightAnswers,
  demonstrates,
  hasTwins,
  isAboveChance,
  isPure,
  isReproducible,
  readsPrompts,
  refusesJunk,
  refusesMutants,
  refusesOtherAnswers,
  remarksOnSpeed,
  splitsDisjointly,
} from './checks.ts';
import { playsByItsRules } from './environment_checks.ts';
import { Findings, type TaskFinding } from './findings.ts';
import { type KnownVerdicts, type SecondChecker, Setting } from './setting.ts';

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
  /** Milliseconds; they decide no finding, only what is remarked, and whether texts of a megabyte are tried. */
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
  /**
   * Those on texts that are known to be right or wrong without the verifier: listed answers and named near misses,
   * and what is tried, as far as a second checker or the list of answers tells.
   */
  readonly known: KnownVerdicts;
  /** What is no broken rule, and worth a look: verdicts that take long. */
  readonly remarks: readonly string[];
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
  // A level may be the default knobs, and the end of an attribute a level.
  const meant = all.map((given: Readonly<Record<string, unknown>>) =>
    JSON.stringify([given.style, takeKnobs(definition, given, 'task')]),
  );
  return all.filter((_, i) => meant.indexOf(meant[i]) === i);
}

/** A rule, and how it is looked at; what that gives is the share of the commonest answer, where there is one. */
type Check = readonly [rule: string, look: () => unknown];

/**
 * All that is wrong with a task, as far as trying shows; nothing is thrown but for knobs that it does not take.
 *
 * @throws RangeError where its verdicts take time: `checkJudgedTask` waits for them
 */
export function checkTask(definition: AnyTaskDefinition, options: CheckTaskOptions = {}): TaskCheck {
  if (definition.judge !== undefined) throw new RangeError(`${definition.name} has judge: ask checkJudgedTask`);
  const findings = new Findings();
  const settings = (options.settings ?? settingsOf(definition)).map((given): CheckedSetting => {
    const { setting, checks } = checksOf(definition, given, findings, options);
    return checkedSetting(
      setting,
      checks.map((check) => orReport(setting, check)),
    );
  });
  return { settings, findings: findings.kept, count: findings.count };
}

/** The same of a task whose verdicts may take time. @throws what its `judge` throws */
export async function checkJudgedTask(
  definition: AnyTaskDefinition,
  options: CheckTaskOptions = {},
): Promise<TaskCheck> {
  const findings = new Findings();
  const settings: CheckedSetting[] = [];
  for (const given of options.settings ?? settingsOf(definition)) {
    const { setting, checks } = checksOf(definition, given, findings, options);
    const results: unknown[] = [];
    for (const check of checks) results.push(await setting.untilJudged(() => orReport(setting, check)));
    settings.push(checkedSetting(setting, results));
  }
  return { settings, findings: findings.kept, count: findings.count };
}

function orReport(setting: Setting, [rule, look]: Check): unknown {
  try {
    return look();
  } catch (error) {
    setting.report(rule, String(error));
    return undefined;
  }
}

/** The rules of a task at a setting, in the order in which they are looked at. */
function checksOf(
  definition: AnyTaskDefinition,
  given: Readonly<Record<string, unknown>>,
  findings: Findings,
  { items = 200, attempts = 2000, second, repeat, clock = () => performance.now() }: CheckTaskOptions,
): { readonly setting: Setting; readonly checks: readonly Check[] } {
  const setting = new Setting(definition, given, findings, { items, second, repeat });
  const { environment } = definition;
  if (environment !== undefined) {
    const played: readonly Check[] = [
      ['environment', () => playsByItsRules(setting, environment)],
      ['mutants', () => refusesMutants(setting)],
      ['split', () => splitsDisjointly(setting, 5 * items)],
      ['reproducible', () => isReproducible(setting)],
    ];
    return { setting, checks: played };
  }
  let isSoon = false;
  const speed = (): void => {
    isSoon = remarksOnSpeed(setting, clock);
  };
  const checks: readonly Check[] = [
    ['oracle', () => acceptsRightAnswers(setting)],
    ['mutants', () => refusesMutants(setting)],
    ['speed', speed],
    ['junk', () => refusesJunk(setting, isSoon ? Number.POSITIVE_INFINITY : SHORT)],
    ['pure', () => isPure(setting)],
    ['chance', () => refusesOtherAnswers(setting)],
    ['split', () => splitsDisjointly(setting, 5 * items)],
    ['reproducible', () => isReproducible(setting)],
    ['demonstration', () => demonstrates(setting)],
    ['twin', () => hasTwins(setting)],
    ['parse', () => readsPrompts(setting)],
    ['chance', () => isAboveChance(setting)],
  ];
  if (setting.style !== 'compact') return { setting, checks };
  return { setting, checks: [...checks, ['total', () => void attack(setting, attempts)]] };
}

function checkedSetting(
  { name, task, heldOut, verdicts, remarks, counted: known }: Setting,
  results: readonly unknown[],
): CheckedSetting {
  const commonest = results.find((result) => typeof result === 'number') ?? 0;
  return { name, chance: task.chance, commonest, heldOut: heldOut.length, verdicts, known, remarks };
}
