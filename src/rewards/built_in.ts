/** The reward functions that YAML can name. */
import { closest } from 'fastest-levenshtein';
import { ConfigError } from '../errors.ts';
import { isModuleFile, MODULE_ENDINGS } from './module_file.ts';
import type { RewardFunction } from './reward_function.ts';
import { OptionReader, type RewardOptions } from './reward_options.ts';

/** The verifier's score: 1 or 0 in the tasks that ship here. */
export const accuracyReward: RewardFunction = {
  name: 'accuracy',
  score: ({ verdicts }) => verdicts.map((verdict) => verdict.score),
};

/** A sub-score of the verdict; null where the task does not give it. Evaluation never reads it. */
export function partReward(part: string): RewardFunction {
  return { name: part, score: ({ verdicts }) => verdicts.map((verdict) => verdict.parts?.[part] ?? null) };
}

/**
 * TRL's soft punishment of long completions: 0 up to maxTokens − cache, then falling to −1 at maxTokens.
 *
 * @param maxTokens  most tokens of a completion, EOS included
 * @param cache      width of the slope in tokens, at least 1
 */
export function softOverlongReward(maxTokens: number, cache: number): RewardFunction {
  return {
    name: 'soft_overlong',
    score: ({ completionTokens }) =>
      completionTokens.map(({ length }) => {
        if (length <= maxTokens - cache) return 0;
        return length > maxTokens ? -1 : (maxTokens - cache - length) / cache;
      }),
  };
}

/** Makes a reward function from its options in the YAML. @throws ConfigError for an option that it does not have */
export type RewardFactory = (options: RewardOptions) => RewardFunction;

function withoutOptions(reward: RewardFunction): RewardFactory {
  return (options) => {
    new OptionReader(reward.name, options, []); // refuses any
    return reward;
  };
}

/** `max_tokens` and `cache` are TRL's max_completion_len and soft_punish_cache. */
function softOverlongFromOptions(options: RewardOptions): RewardFunction {
  const reader = new OptionReader('soft_overlong', options, ['max_tokens', 'cache']);
  const maxTokens = reader.integer('max_tokens', 1, 12);
  const cache = reader.integer('cache', 1, 4);
  if (cache > maxTokens) throw reader.refuse('cache', `longer than max_tokens (${maxTokens}); lower it`);
  return softOverlongReward(maxTokens, cache);
}

/** Every reward function by name. A new one is a line here. */
export const builtInRewards: Readonly<Record<string, RewardFactory>> = {
  accuracy: withoutOptions(accuracyReward),
  positions: withoutOptions(partReward('positions')),
  lcs: withoutOptions(partReward('lcs')),
  soft_overlong: softOverlongFromOptions,
};

/** Reward functions of the caller, or makers of them, by the name that `reward_funcs` gives them. */
export type OwnRewards = Readonly<Record<string, RewardFunction | RewardFactory>>;

/**
 * A reward function by its name in `reward_funcs`.
 *
 * @param options  what the YAML gives besides name and weight
 * @param own      looked up before the built-in ones; a reward function takes no options, a factory reads them
 * @throws ConfigError for an unknown name or option, naming the nearest one
 */
export function getReward(name: string, options: RewardOptions = {}, own: OwnRewards = {}): RewardFunction {
  const mine = Object.hasOwn(own, name) ? own[name] : undefined;
  if (typeof mine === 'function') return mine(options);
  if (mine !== undefined) return withoutOptions({ name, score: (batch) => mine.score(batch) })(options);
  if (Object.hasOwn(builtInRewards, name)) return builtInRewards[name](options);
  const known = [...Object.keys(own), ...Object.keys(builtInRewards)];
  throw new ConfigError('unknown-reward', `reward_funcs: ${JSON.stringify(name)} — ${unknownRule(name, known)}`, {
    name,
    known,
  });
}

function unknownRule(name: string, known: readonly string[]): string {
  if (isModuleFile(name)) return 'a file, which the caller has not opened; see openPlugins of rlvr-train/node.';
  if (name.includes(',')) return `several names are a list; write [${name.trim()}].`;
  if (/[/\\.]/.test(name))
    return `neither a reward function nor a file that ends in ${MODULE_ENDINGS}; give its full name.`;
  return `no such reward function; did you mean "${closest(name, [...known])}"? (known: ${known.join(', ')})`;
}
