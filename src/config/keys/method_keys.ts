/**
 * The keys of a grpo stage that choose methods and set their options, made of the methods' own declarations: no method is
 * named here, and none of their options is read.
 *
 *   a point     advantage_estimator: rloo, credit_steps: [{name: length-mask, max_tokens: 24}], loss_terms: [./mine.ts]
 *   a switch    TRL's key for a method: beta, dynamic_sampling, … puts it into the stage
 *   an option   of a method that shares its options with the stage, as TRL does: epsilon, scale_rewards, …
 *   loss_type   TRL's name for an objective and an aggregation
 */
import { z } from 'zod';
import type { Method } from '../../methods/method.ts';
import type { MethodList } from '../../methods/method_list.ts';
import { METHOD_POINTS, type MethodPoint } from '../../methods/stage.ts';
import { USUAL_METHODS } from '../../methods/usual_methods.ts';
import { type Key, type KeyTable, key } from '../../options/keys.ts';
import { choice, optional, plugin, zodOf } from '../../options/schemas.ts';

/** How a point is written. The first method of a point that takes one, or one or several in a row, is its default. */
interface PointKey {
  readonly yaml: string;
  readonly takes: 'one' | 'chain' | 'many';
  readonly text: string;
}

export const POINT_KEYS: Readonly<Record<MethodPoint, PointKey>> = {
  promptSource: {
    yaml: 'prompt_source',
    takes: 'chain',
    text: 'Which problems are asked; in a list, each source draws from the one before it.',
  },
  rolloutStrategies: { yaml: 'rollout_strategies', takes: 'many', text: 'What happens around plain sampling.' },
  tokenControls: {
    yaml: 'token_controls',
    takes: 'many',
    text: 'What ends a completion early, puts tokens into it, or heats its places.',
  },
  groupSteps: {
    yaml: 'group_steps',
    takes: 'many',
    text: 'What becomes of the rewards before they are credited; names of rewards are those of reward_funcs.',
  },
  advantageEstimator: { yaml: 'advantage_estimator', takes: 'one', text: 'How rewards become advantages.' },
  creditSteps: {
    yaml: 'credit_steps',
    takes: 'many',
    text: 'What shapes or masks the advantages, in the order of the list.',
  },
  ratio: {
    yaml: 'importance_sampling_level',
    takes: 'one',
    text: "What the policy's ratio is of.",
  },
  objective: { yaml: 'objective', takes: 'one', text: "The policy's own term of the loss." },
  tokenWeights: {
    yaml: 'token_weights',
    takes: 'many',
    text: "What weighs or masks the policy's own term alone, at each update.",
  },
  lossTerms: { yaml: 'loss_terms', takes: 'many', text: 'Further terms of the loss.' },
  aggregation: { yaml: 'aggregation', takes: 'one', text: 'The weight of a token in the loss.' },
  controllers: { yaml: 'controllers', takes: 'many', text: 'What acts on the run after a step.' },
  evaluationFigures: { yaml: 'evaluation_figures', takes: 'many', text: 'Further figures of an evaluation.' },
};

/** The methods that keys may mean, whatever their point. */
const everyMethod: readonly Method<unknown>[] = METHOD_POINTS.flatMap(
  (point): readonly Method<unknown>[] => USUAL_METHODS[point],
);

/** An objective and an aggregation for each value of `loss_type`. */
export const LOSS_TYPES: ReadonlyMap<string, { readonly objective: string; readonly aggregation: string }> = new Map(
  USUAL_METHODS.objective.flatMap(({ id, lossTypes = {} }) =>
    Object.entries(lossTypes).map(([name, aggregation]) => [name, { objective: id, aggregation }] as const),
  ),
);

export const DEFAULT_LOSS_TYPE = 'dapo';

/** The options that a method shares with the stage: all but that of its switch, or none. */
export function sharedOptions({ optionsAreStageKeys, options, switchedOnBy }: Method<unknown>): readonly Key[] {
  if (optionsAreStageKeys !== true) return [];
  return Object.values(options).filter(({ yaml }) => yaml !== switchedOnBy?.key.yaml);
}

/** The options that methods share with the stage; a spelling that several share is one key, with the words of each. */
function optionKeys(): Key[] {
  const owners = new Map<string, { readonly id: string; readonly option: Key }[]>();
  for (const method of everyMethod) {
    for (const option of sharedOptions(method)) {
      owners.set(option.yaml, [...(owners.get(option.yaml) ?? []), { id: method.id, option }]);
    }
  }
  return [...owners.values()].map(([first, ...others]) => {
    if (others.length === 0) return first.option;
    const texts = [first, ...others].map(({ id, option }) => `Of ${id}: ${option.schema.description ?? ''}`);
    // Each method's own schema reads the value; that of the first serves the editor.
    return { ...first.option, schema: zodOf(first.option.schema).describe(texts.join(' ')) };
  });
}

/** @param known  the methods of the point, for its text */
function pointKey(point: MethodPoint, known: readonly string[]): Key {
  const { yaml, takes, text } = POINT_KEYS[point];
  const example = known[0] ?? './methods/mine.ts';
  const names = known.length === 0 ? 'files of yours' : `${known.join(', ')}, or files of yours`;
  if (takes === 'one') {
    return key(
      yaml,
      optional(plugin(example)).describe(`${text} A name, or {name, …options}: ${names}. Default ${defaultOf(point)}.`),
    );
  }
  if (takes === 'chain') {
    const error = `must be a name, a mapping with a name, or a list of these; for example ${example}`;
    const chain = z.union([plugin(example), z.array(plugin(example)).min(1, { error })], { error });
    const words = `${text} A name, {name, …options}, or a list of these: ${names}. Default ${defaultOf(point)}.`;
    return key(yaml, optional(chain).describe(words));
  }
  const error = `must be a list of names, or of mappings with a name; for example [${example}]`;
  const list = z.array(plugin(example), { error });
  return key(yaml, optional(list).describe(`${text} A list of names, or of {name, …options}: ${names}. Default none.`));
}

/** In words: the first of its point, unless `loss_type` names one. */
function defaultOf(point: MethodPoint): string {
  return point === 'objective' || point === 'aggregation' ? 'that of loss_type' : USUAL_METHODS[point][0].id;
}

const usualNames = (point: MethodPoint): string[] => USUAL_METHODS[point].map(({ id }) => id);
const tableOf = (keys: readonly Key[]): KeyTable => Object.fromEntries(keys.map((entry) => [entry.yaml, entry]));

/** The keys that say which methods there are, under their spelling in the YAML. @param names  of those of each point, for the texts */
export function choosingKeys(names: Pick<MethodList['names'], MethodPoint>): KeyTable {
  return { ...CHOOSING_KEYS, ...tableOf(METHOD_POINTS.map((point) => pointKey(point, names[point]))) };
}

/** The same, with the usual methods alone in the texts. */
export const CHOOSING_KEYS: KeyTable = tableOf([
  key(
    'loss_type',
    choice([...LOSS_TYPES.keys()] as [string, ...string[]], 'not an objective of this trainer') // ppo-clip has some
      .default(DEFAULT_LOSS_TYPE)
      .describe("TRL's name for an objective and how it is averaged over tokens."),
  ),
  ...everyMethod.flatMap(({ switchedOnBy }) => (switchedOnBy === undefined ? [] : [switchedOnBy.key])),
  ...METHOD_POINTS.map((point) => pointKey(point, usualNames(point))),
]);

/** Every key of a grpo stage that is about methods. */
export const METHOD_KEYS: KeyTable = { ...CHOOSING_KEYS, ...tableOf(optionKeys()) };
