/** The reward functions that YAML can name. */
import { closest } from 'fastest-levenshtein';
import { ConfigError } from '../errors.ts';
import type { RewardFunction } from './reward_function.ts';

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

export const builtInRewards: Readonly<Record<string, RewardFunction>> = {
  accuracy: accuracyReward,
  positions: partReward('positions'),
  lcs: partReward('lcs'),
};

/** A built-in reward function by name. @throws ConfigError naming the nearest one */
export function getReward(name: string): RewardFunction {
  if (Object.hasOwn(builtInRewards, name)) return builtInRewards[name];
  const known = Object.keys(builtInRewards);
  const message =
    `reward_funcs: ${JSON.stringify(name)} — no such reward function; did you mean "${closest(String(name), known)}"? ` +
    `(built in: ${known.join(', ')})`;
  throw new ConfigError('unknown_reward', message, { name, known });
}
