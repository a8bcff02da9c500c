/**
 * All that a config can name, as plain data: the tasks with their knobs, the rewards and methods with their options.
 * The list of the command, the documentation and the controls of the page are made of it, and so show whatever a
 * definition declares.
 */
import { DEFAULT_LOSS_TYPE, LOSS_TYPES, POINT_KEYS } from '../../../src/config/keys/method_keys.ts';
import { DEMONSTRATIONS_KEY } from '../../../src/config/keys/stage_keys.ts';
import type { Knobs, ListedCard } from '../../../src/data/task.ts';
import type { About, Companion, DemonstrationMethod, Method, SameAs } from '../../../src/methods/method.ts';
import type { MethodPoint, StageConfig } from '../../../src/methods/stage.ts';
import { USUAL_METHODS } from '../../../src/methods/usual_methods.ts';
import type { Json } from '../../../src/options/json.ts';
import type { RewardDefinition } from '../../../src/rewards/definition.ts';
import { describeOptions, type OptionText } from '../options/describe.ts';
import { flowText } from '../options/flow_text.ts';

/** A task as the catalogue lists it, at its default knobs. */
export interface CatalogueTask {
  readonly name: string;
  /** Published work that trained on it, or on a task of its kind. */
  readonly names: readonly string[];
  readonly does: string;
  readonly example: readonly [prompt: string, answer: string];
  readonly category: string;
  readonly tier: 1 | 2 | 3;
  /** Rewards that fit: the verdict's score, and its sub-scores. */
  readonly rewards: readonly string[];
  readonly options: readonly OptionText[];
  /** Presets, easiest first: the knobs that differ from the defaults. */
  readonly levels: readonly Readonly<Record<string, Json | undefined>>[];
  /** Ways to ask for it, a line of a config each. */
  readonly yaml: readonly string[];
}

export interface CatalogueReward {
  readonly name: string;
  readonly does: string;
  readonly options: readonly OptionText[];
  readonly yaml: readonly string[];
}

export interface CatalogueMethod extends About {
  readonly name: string;
  /** The point of a step at which it acts, as the YAML spells it. */
  readonly point: string;
  /** The kind of stage that has this point. */
  readonly stage: StageConfig['stage'];
  /** A stage that does not name the point has it. */
  readonly isDefault: boolean;
  readonly options: readonly OptionText[];
  /** Its options may also be written among the keys of the stage. */
  readonly optionsAreStageKeys: boolean;
  /** A stage may have it several times. */
  readonly isRepeatable: boolean;
  /** Codes of the diagnoses that it is made against. */
  readonly against: readonly string[];
  /** The methods that it is meant to be used with. */
  readonly companions: readonly Companion[];
  /** Another method that it is, always or with some options; absent: none. */
  readonly sameAs?: SameAs;
  /** Lines of a stage, each of which asks for it: by its point, then by TRL's keys. */
  readonly yaml: readonly string[];
}

/** A point of a step at which methods act. */
export interface CataloguePoint {
  /** As the YAML spells it. */
  readonly name: string;
  readonly takes: 'one' | 'chain' | 'many';
  readonly does: string;
}

/** How many methods a point takes, in words. */
export const TAKES: Readonly<Record<CataloguePoint['takes'], string>> = {
  one: 'Takes one.',
  chain: 'Takes one, or a list.',
  many: 'Takes a list.',
};

/** Everything that a config can name, as plain data: what a page's controls are made of. */
export interface Catalogue {
  readonly tasks: readonly CatalogueTask[];
  readonly rewards: readonly CatalogueReward[];
  /** In the order in which a step meets them. */
  readonly points: readonly CataloguePoint[];
  /** By point, in its order. */
  readonly methods: readonly CatalogueMethod[];
}

/** The key that every example of a method comes with: group steps name rewards, which must be there. */
export const EXAMPLE_REWARDS = 'reward_funcs: [accuracy, {name: positions, weight: 0}, {name: lcs, weight: 0}]';

/** @param isReward  whether a sub-score is a reward of its own */
export function describeTask(card: ListedCard<Knobs>, isReward: (part: string) => boolean): CatalogueTask {
  const { name, names = [], does, example, category, tier, parts = [], levels } = card;
  const rewards = ['accuracy', ...parts.filter(isReward)];
  const options = describeOptions(card.knobs);
  const needed = valuesOf(options.filter(({ isNeeded }) => isNeeded));
  const byLevel = levels.length === 0 ? [] : [{ name, level: 0 }];
  const byKnob = Object.entries(valuesOf(options)).slice(0, 1);
  const written = [named(name, needed), ...byLevel, ...byKnob.map(([knob, value]) => ({ name, [knob]: value }))];
  const yaml = [...new Set(written.map((task) => line({ task })))];
  return { name, names, does, example, category, tier, rewards, options, levels, yaml };
}

export function describeReward(name: string, { does, options: table }: RewardDefinition): CatalogueReward {
  const options = describeOptions(table);
  const reward = named(name, valuesOf(options.filter(({ isNeeded }) => isNeeded)));
  return { name, does, options, yaml: [line({ reward_funcs: [reward] })] };
}

export function describeMethod(point: MethodPoint, method: Method<unknown>): CatalogueMethod {
  const {
    id,
    about,
    against = [],
    companions = [],
    sameAs,
    optionsAreStageKeys = false,
    isRepeatable = false,
  } = method;
  const options = describeOptions(method.options);
  return {
    name: id,
    point: POINT_KEYS[point].yaml,
    stage: 'grpo',
    ...about,
    isDefault: isDefault(point, id),
    options,
    optionsAreStageKeys,
    isRepeatable,
    against,
    companions,
    sameAs,
    yaml: [...pointLines(point, method, options), ...switchLines(method, options), ...lossTypeLines(point, id)],
  };
}

/** A method of supervised stages. */
export function describeDemonstrations({ id, about, options: declared }: DemonstrationMethod): CatalogueMethod {
  const options = describeOptions(declared);
  return {
    name: id,
    point: DEMONSTRATIONS_KEY.yaml,
    stage: 'sft',
    ...about,
    isDefault: false,
    options,
    optionsAreStageKeys: false,
    isRepeatable: false,
    against: [],
    companions: [],
    yaml: [id, named(id, valuesOf(options))].map((one) => line({ [DEMONSTRATIONS_KEY.yaml]: one })),
  };
}

function isDefault(point: MethodPoint, id: string): boolean {
  if (POINT_KEYS[point].takes === 'many') return false;
  if (point === 'objective' || point === 'aggregation') return LOSS_TYPES.get(DEFAULT_LOSS_TYPE)?.[point] === id;
  return USUAL_METHODS[point][0]?.id === id;
}

/** With what it cannot do without, and with all of its options. */
function pointLines(point: MethodPoint, method: Method<unknown>, options: readonly OptionText[]): string[] {
  const { yaml, takes } = POINT_KEYS[point];
  // The weight of a term that a key of TRL's switches on is 0 by default.
  const needed = options.filter(({ name, isNeeded }) => isNeeded || name === method.switchedOnBy?.key.yaml);
  const written = [needed, options].map((some) => named(method.id, valuesOf(some)));
  return [...new Set(written.map((one) => line({ [yaml]: takes === 'many' ? [one] : one })))];
}

function switchLines({ switchedOnBy }: Method<unknown>, options: readonly OptionText[]): string[] {
  const value = switchedOnBy?.written(valuesOf(options));
  return switchedOnBy === undefined || value === undefined ? [] : [line({ [switchedOnBy.key.yaml]: value })];
}

function lossTypeLines(point: MethodPoint, id: string): string[] {
  if (point !== 'objective' && point !== 'aggregation') return [];
  return [...LOSS_TYPES].filter(([, meant]) => meant[point] === id).map(([name]) => line({ loss_type: name }));
}

/** A value for each option: its example, which says more than its default. */
function valuesOf(options: readonly OptionText[]): Record<string, Json> {
  return Object.fromEntries(
    options.flatMap(({ name, example, default: fallback }) => {
      const value = example ?? fallback;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function named(name: string, values: Readonly<Record<string, Json>>): Json {
  return Object.keys(values).length === 0 ? name : { name, ...values };
}

/** A key and its value in a line of YAML. */
function line(entry: Readonly<Record<string, Json>>): string {
  const [[key, value]] = Object.entries(entry);
  return `${key}: ${flowText(value)}`;
}
