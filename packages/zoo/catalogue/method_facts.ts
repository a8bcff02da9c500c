/**
 * What a method asks of a run and says of others, found by asking: it is put into a stage by itself, into stages that
 * differ in how they sample and update, and beside each other method. For `methods show` and the pages of docs/reference/methods.
 */
import { POINT_KEYS } from '../../../src/config/keys/method_keys.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { usesOf } from '../../../src/methods/create.ts';
import type { RemarkLevel } from '../../../src/methods/remark.ts';
import { missingCompanion, remarksOn } from '../../../src/methods/remarks.ts';
import { SAMPLING_MODES } from '../../../src/methods/sampling_modes/modes.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from '../../../src/methods/stage.ts';
import { wordsOf } from '../../../src/methods/uses/stage_uses.ts';
import type { Plugin } from '../../../src/options/keys.ts';
import { ZOO } from '../registries.ts';
import { describeMethod, EXAMPLE_REWARDS } from './catalogue.ts';

/** One text, and what it is said of. */
export interface MethodRemark {
  readonly level: RemarkLevel;
  /** `what is so; remedy`. */
  readonly text: string;
  /** Who says it. */
  readonly by: string;
  /** Empty where it is said whatever the stage has; else other methods, or a property of the stage. */
  readonly of: readonly string[];
}

interface Known {
  readonly point: MethodPoint;
  readonly plugin: Plugin;
}

interface Asked {
  readonly level: RemarkLevel;
  readonly by: string;
  readonly text: string;
}

/** Stages that a method may have something to say of, besides the usual one, in which every step is on-policy. */
const SITUATIONS: readonly (readonly [of: string, change: (stage: GrpoStageConfig) => GrpoStageConfig])[] = [
  ['several steps on a batch', (stage) => ({ ...stage, batch: { ...stage.batch, numIterations: 2 } })],
  ...SAMPLING_MODES.map(({ example }) => example),
  ['an odd num_generations', (stage) => ({ ...stage, batch: { ...stage.batch, numGenerations: 7 } })],
  ['num_generations: 2', (stage) => ({ ...stage, batch: { ...stage.batch, numGenerations: 2 } })],
  ['top_p below 1', (stage) => ({ ...stage, sampling: { ...stage.sampling, topP: 0.9 } })],
];

export interface MethodFacts {
  /** In words. */
  readonly needs: readonly string[];
  readonly remarks: readonly MethodRemark[];
}

/** @returns what is found of a method, by its id; each stage is asked once, when an answer first needs it */
export function methodFacts(): (id: string) => MethodFacts {
  const usual = stageWith('');
  const all = METHOD_POINTS.flatMap((point) => ZOO.methods.at[point].map(({ id }) => knownAs(point, id)));
  const ofStage = ask(usual);
  const alone = remembered((known: Known) => ask(placed(usual, known)));
  const together = remembered((first: Known) =>
    remembered((second: Known) => pairRemarks(first, second, placed(placed(usual, first), second))),
  );
  function pairRemarks(first: Known, second: Known, stage: GrpoStageConfig): Asked[] {
    if (first.point === second.point && POINT_KEYS[first.point].takes === 'one') return [];
    const both = [first, second];
    return ask(stage).filter(({ by, text }) => {
      const isTheirs = both.some(({ plugin }) => plugin.name === by);
      const isSaidAlone = both.some((known) => alone(known).some((one) => one.by === by && one.text === text));
      return isTheirs && !isSaidAlone && !ofStage.some((one) => one.text === text);
    });
  }
  function remarksOf(index: number): MethodRemark[] {
    const known = all[index];
    const { name: id } = known.plugin;
    const remarks: MethodRemark[] = [];
    const note = ({ level, by, text }: Asked, of: readonly string[]): void => {
      const same = remarks.findIndex((one) => one.text === text && one.by === by);
      if (same < 0) remarks.push({ level, by, text, of });
      else if (remarks[same].of.length > 0) remarks[same] = { ...remarks[same], of: [...remarks[same].of, ...of] };
    };
    for (const one of alone(known)) if (one.by === id) note(one, []);
    for (const [of, change] of SITUATIONS) {
      for (const one of ask(change(placed(usual, known)))) if (one.by === id) note(one, [of]);
    }
    all.forEach((other, i) => {
      if (i === index) return;
      const [first, second] = i < index ? [other, known] : [known, other];
      for (const one of together(first)(second)) note(one, [other.plugin.name]);
    });
    return remarks;
  }
  return (id) => {
    const index = all.findIndex(({ plugin }) => plugin.name === id);
    if (index < 0) return { needs: [], remarks: [] };
    return {
      needs: needsText(placed(usual, all[index]), usual),
      // Beside hundreds of others: only where it is asked for.
      get remarks() {
        return remarksOf(index);
      },
    };
  };
}

function remembered<From extends object, To>(find: (from: From) => To): (from: From) => To {
  const found = new Map<From, To>();
  return (from) => {
    const known = found.get(from);
    if (known !== undefined) return known;
    const made = find(from);
    found.set(from, made);
    return made;
  };
}

/** What a stage uses that another does not. */
function needsText(stage: GrpoStageConfig, other: GrpoStageConfig): string[] {
  const without = new Set(wordsOf(usesOf(other, ZOO.methods)));
  return wordsOf(usesOf(stage, ZOO.methods)).filter((text) => !without.has(text));
}

function knownAs(point: MethodPoint, id: string): Known {
  const method = ZOO.methods.at[point].find((one) => one.id === id);
  if (method === undefined) throw new RangeError(`no ${id}`);
  const plugin = stageWith(describeMethod(point, method).yaml[0]).methods[point].find(({ name }) => name === id);
  if (plugin === undefined) throw new RangeError(`the YAML of ${id} does not ask for it`);
  return { point, plugin };
}

function stageWith(line: string): GrpoStageConfig {
  const text = ['task: sort_digits', 'max_steps: 10', EXAMPLE_REWARDS, line].join('\n');
  const [stage] = parseConfig(text, { file: 'stage', registries: ZOO }).config.stages;
  if (stage.stage !== 'grpo') throw new RangeError('the stage without a kind is a grpo stage');
  return stage;
}

function placed(stage: GrpoStageConfig, { point, plugin }: Known): GrpoStageConfig {
  const others = POINT_KEYS[point].takes === 'one' ? [] : stage.methods[point];
  return { ...stage, methods: { ...stage.methods, [point]: [...others, plugin] } };
}

/** What companions of methods are missing is on their pages by itself. */
const COMPANIONS = new Set(
  METHOD_POINTS.flatMap((point) =>
    ZOO.methods.at[point].flatMap(({ companions = [] }) => companions.map(missingCompanion)),
  ),
);

/** What the methods of a stage say; rules of the stage as a whole are not theirs. */
function ask(stage: GrpoStageConfig): Asked[] {
  const remarks = remarksOn(stage, ZOO.methods);
  return remarks.flatMap(({ level, at, value, text }) =>
    'point' in at && !COMPANIONS.has(text) ? [{ level, by: String(value), text }] : [],
  );
}
