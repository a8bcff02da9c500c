/**
 * What a method asks of a run and says of others, found by asking: it is put into a stage by itself, into stages that
 * differ in how they sample and update, and beside each other method. For `methods show` and the pages of docs/reference/methods.
 */

import { POINT_KEYS } from '../config/keys/method_keys.ts';
import { parseConfig } from '../config/load.ts';
import { builtIn } from '../config/stage_methods.ts';
import { usesOf } from '../methods/create.ts';
import { METHODS } from '../methods/registry.ts';
import type { RemarkLevel } from '../methods/remark.ts';
import { missingCompanion, remarksOn } from '../methods/remarks.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from '../methods/stage.ts';
import { wordsOf } from '../methods/uses/stage_uses.ts';
import type { Plugin } from '../options/keys.ts';
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
  ['staleness above 0', (stage) => ({ ...stage, staleness: 1 })],
  ['an odd num_generations', (stage) => ({ ...stage, batch: { ...stage.batch, numGenerations: 7 } })],
  ['num_generations: 2', (stage) => ({ ...stage, batch: { ...stage.batch, numGenerations: 2 } })],
  ['top_p below 1', (stage) => ({ ...stage, sampling: { ...stage.sampling, topP: 0.9 } })],
];

export interface MethodFacts {
  /** In words. */
  readonly needs: readonly string[];
  readonly remarks: readonly MethodRemark[];
}

/** Asks every method once, and then answers for each. */
export function methodFacts(): (id: string) => MethodFacts {
  const usual = stageWith('');
  const all = METHOD_POINTS.flatMap((point) => METHODS[point].map(({ id }) => knownAs(point, id)));
  const found = new Map<string, MethodRemark[]>(all.map(({ plugin }) => [plugin.name, []]));
  const alone = new Map(all.map((known) => [known.plugin.name, ask(placed(usual, known))]));
  const note = (about: string, { level, by, text }: Asked, of: readonly string[]): void => {
    const list = found.get(about) ?? [];
    const same = list.findIndex((one) => one.text === text && one.by === by);
    if (same < 0) list.push({ level, by, text, of });
    else if (list[same].of.length > 0) list[same] = { ...list[same], of: [...list[same].of, ...of] };
  };
  const saidAlone = (id: string, { by, text }: Asked): boolean =>
    alone.get(id)?.some((one) => one.by === by && one.text === text) ?? false;
  const ofStage = ask(usual);
  for (const known of all) {
    const id = known.plugin.name;
    for (const one of alone.get(id) ?? []) if (one.by === id) note(id, one, []);
    for (const [of, change] of SITUATIONS) {
      for (const one of ask(change(placed(usual, known)))) if (one.by === id) note(id, one, [of]);
    }
  }
  all.forEach((first, i) => {
    for (const second of all.slice(i + 1)) {
      if (first.point === second.point && POINT_KEYS[first.point].takes === 'one') continue;
      const [a, b] = [first.plugin.name, second.plugin.name];
      for (const one of ask(placed(placed(usual, first), second))) {
        if (one.by !== a && one.by !== b) continue;
        if (saidAlone(a, one) || saidAlone(b, one) || ofStage.some(({ text }) => text === one.text)) continue;
        note(a, one, [b]);
        note(b, one, [a]);
      }
    }
  });
  const needs = new Map(all.map((known) => [known.plugin.name, needsText(placed(usual, known), usual)]));
  return (id) => ({ needs: needs.get(id) ?? [], remarks: found.get(id) ?? [] });
}

/** What a stage uses that another does not. */
function needsText(stage: GrpoStageConfig, other: GrpoStageConfig): string[] {
  const without = new Set(wordsOf(usesOf(other)));
  return wordsOf(usesOf(stage)).filter((text) => !without.has(text));
}

function knownAs(point: MethodPoint, id: string): Known {
  const method = METHODS[point].find((one) => one.id === id);
  if (method === undefined) throw new RangeError(`no ${id}`);
  const plugin = stageWith(describeMethod(point, method).yaml[0]).methods[point].find(({ name }) => name === id);
  if (plugin === undefined) throw new RangeError(`the YAML of ${id} does not ask for it`);
  return { point, plugin };
}

function stageWith(line: string): GrpoStageConfig {
  const text = ['task: sort_digits', 'max_steps: 10', EXAMPLE_REWARDS, line].join('\n');
  const [stage] = parseConfig(text, { file: 'stage' }).config.stages;
  if (stage.stage !== 'grpo') throw new RangeError('the stage without a kind is a grpo stage');
  return stage;
}

function placed(stage: GrpoStageConfig, { point, plugin }: Known): GrpoStageConfig {
  const others = POINT_KEYS[point].takes === 'one' ? [] : stage.methods[point];
  return { ...stage, methods: { ...stage.methods, [point]: [...others, plugin] } };
}

/** What companions of methods are missing is on their pages by itself. */
const COMPANIONS = new Set(
  METHOD_POINTS.flatMap((point) => METHODS[point].flatMap(({ companions = [] }) => companions.map(missingCompanion))),
);

/** What the methods of a stage say; rules of the stage as a whole are not theirs. */
function ask(stage: GrpoStageConfig): Asked[] {
  const remarks = remarksOn(stage, (point, { name }) => builtIn(point, name));
  return remarks.flatMap(({ level, at, value, text }) =>
    'point' in at && !COMPANIONS.has(text) ? [{ level, by: String(value), text }] : [],
  );
}
