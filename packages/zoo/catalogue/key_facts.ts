/**
 * What each key of a config means, as plain data: for `explain` and docs/reference/keys.md. A name may mean several things: a key of
 * the run or of a stage, an option of some methods, rewards or tasks, or a key that TRL has and this trainer does not.
 */
import { GRPO_KEYS } from '../../../src/config/keys/grpo_keys.ts';
import { CHOOSING_KEYS, choosingKeys, METHOD_KEYS } from '../../../src/config/keys/method_keys.ts';
import { RUN_KEYS } from '../../../src/config/keys/run_keys.ts';
import { SFT_KEYS, SHARED_KEYS } from '../../../src/config/keys/stage_keys.ts';
import { MODEL_KEYS } from '../../../src/config/model_config.ts';
import { choice, integer, type KeyTable, keys, optional, text } from '../../../src/options/keys.ts';
import { MEANT_ELSEWHERE, NAMES } from '../elsewhere/our_keys.ts';
import { UNSUPPORTED_MODEL_KEYS, UNSUPPORTED_TRL_KEYS } from '../elsewhere/trl_keys.ts';
import { describeOptions, type OptionText } from '../options/describe.ts';
import { ZOO } from '../registries.ts';
import { catalogue } from './whole_catalogue.ts';

/** Keys of one place of a config. */
export interface KeyPlace {
  readonly title: string;
  /** Where they are written, in a sentence. */
  readonly where: string;
  readonly keys: readonly OptionText[];
}

/** An option of a task, a reward or a method. */
export interface OptionPlace {
  readonly kind: 'task' | 'reward' | 'method';
  readonly owner: string;
  /** It may also be written among the keys of the stage. */
  readonly isStageKey: boolean;
  readonly option: OptionText;
}

/** A key of TRL's, or of a Hugging Face config.json, that is not here. */
export interface RefusedKey {
  readonly name: string;
  /** `rule; remedy`. */
  readonly because: string;
}

export interface KeyFacts {
  readonly name: string;
  readonly places: readonly { readonly place: KeyPlace; readonly option: OptionText }[];
  readonly options: readonly OptionPlace[];
  readonly refused: readonly RefusedKey[];
  /** Keys of ours that other trainers or papers call so. */
  readonly ours: readonly string[];
}

/** Keys for how a task asks, beside its knobs. */
const ASKING_KEYS = keys({
  style: choice(['compact', 'plain'])
    .default('compact')
    .describe(
      'How a task asks: compact, in the few letters that a new policy learns, or plain, in English with the answer between <answer> tags.',
    ),
  examples: integer({ min: 0, max: 32, example: 4 })
    .default(2)
    .describe(
      'Training problems that a pretrained model is shown with a right answer, before each question; rows of a file have none unless given.',
    ),
  system: optional(text('You are a careful calculator.')).describe(
    'What a pretrained model is told before the question: its system message.',
  ),
});

const OF_METHODS = 'Options of methods';

/** Where a key of a grpo stage is written: stages inherit what is at the top. */
export const OF_GRPO = 'In a stage with `stage: grpo`, or at the top of the file for all of them';

/** Every key that does not belong to a task, a reward or a method alone, by its place. */
export function keyPlaces(): KeyPlace[] {
  const own = without(METHOD_KEYS, CHOOSING_KEYS);
  return [
    place('The run', 'At the top of the file.', RUN_KEYS),
    place('The model', 'Under `model:`, for a policy that begins with random weights.', MODEL_KEYS),
    place('Asking', 'Under `task:`, beside the knobs of the task.', ASKING_KEYS),
    place('Every stage', 'In a stage, or at the top for all of them.', SHARED_KEYS),
    place('sft', 'In a stage with `stage: sft`.', without(SFT_KEYS, SHARED_KEYS)),
    place('grpo', `${OF_GRPO}.`, without(GRPO_KEYS, SHARED_KEYS)),
    place('Choosing methods', `${OF_GRPO}.`, choosingKeys(ZOO.methods.names)),
    place(OF_METHODS, `${OF_GRPO}; or in the mapping of the method.`, own),
  ];
}

/** Keys that another trainer has. */
export function refusedKeys(): RefusedKey[] {
  const meant = Object.entries(MEANT_ELSEWHERE).map(([name, because]) => ({ name, because }));
  const refused = [UNSUPPORTED_TRL_KEYS, UNSUPPORTED_MODEL_KEYS].flatMap((table) =>
    Object.entries(table).map(([name, { because }]) => ({ name, because })),
  );
  return [...refused, ...meant.filter(({ name }) => refused.every((other) => other.name !== name))];
}

/** All that a name means in a config; undefined where it means nothing. */
export function keyFacts(name: string): KeyFacts | undefined {
  const isNamed = (option: { readonly name: string }): boolean => option.name === name;
  const options = optionPlaces()
    .filter(({ option }) => isNamed(option))
    // A key of a config before an option of the same name that a reward, say, has for itself.
    .sort((a, b) => Number(b.isStageKey) - Number(a.isStageKey));
  const isOfMethod = ({ text }: OptionText): boolean => options.some(({ option }) => option.text === text);
  const places = keyPlaces()
    // Each method that has such a key describes it.
    .filter(({ title }) => title !== OF_METHODS)
    .flatMap((found) => found.keys.filter(isNamed).map((option) => ({ place: found, option })))
    .filter(({ option }) => !isOfMethod(option));
  const refused = refusedKeys().filter(isNamed);
  const ours = Object.entries(NAMES).flatMap(([key, others]) => (others.includes(name) ? [key] : []));
  if (places.length + options.length + refused.length + ours.length === 0) return undefined;
  return { name, places, options, refused, ours };
}

/** Every name that `keyFacts` knows, each once. */
export function knownKeys(): string[] {
  const own = keyPlaces().flatMap(({ keys }) => keys.map((option) => option.name));
  const optional = optionPlaces().map(({ option }) => option.name);
  return [...new Set([...own, ...optional, ...refusedKeys().map((key) => key.name)])];
}

let everyOption: readonly OptionPlace[] | undefined;

/** Made once, as it describes every task, reward and method. */
function optionPlaces(): readonly OptionPlace[] {
  everyOption ??= describedOptions();
  return everyOption;
}

function describedOptions(): OptionPlace[] {
  const { tasks, rewards, methods } = catalogue();
  const of = (kind: OptionPlace['kind'], owners: readonly { name: string; options: readonly OptionText[] }[]) =>
    owners.flatMap(({ name, options }) =>
      options.map((option): OptionPlace => {
        const isStageKey = kind === 'method' && Object.hasOwn(METHOD_KEYS, option.name);
        return { kind, owner: name, isStageKey, option };
      }),
    );
  return [...of('task', tasks), ...of('reward', rewards), ...of('method', methods)];
}

function place(title: string, where: string, table: KeyTable): KeyPlace {
  return { title, where, keys: describeOptions(table) };
}

function without(table: KeyTable, others: KeyTable): KeyTable {
  const taken = new Set(Object.values(others).map(({ yaml }) => yaml));
  return Object.fromEntries(Object.entries(table).filter(([, { yaml }]) => !taken.has(yaml)));
}
