/** The reward functions that every config can name: the verdict, its parts, TRL's, and shaped ones. A new one is an entry here. */
import { integer, key, text } from '../options/keys.ts';
import { defineReward, type RewardDefinition } from './definition.ts';
import { PART_REWARD } from './module_file.ts';
import type { RewardFunction } from './reward_function.ts';
import type { RewardList } from './reward_list.ts';
import { cosineReward, diversityReward, formatReward, repetitionReward, ternaryReward } from './shaped.ts';

/** The verifier's score: 1 or 0 in the tasks that ship here. */
export const accuracyReward: RewardFunction = {
  name: 'accuracy',
  range: [0, 1],
  score: ({ verdicts }) => verdicts.map((verdict) => verdict.score),
};

/** A sub-score of the verdict; null where the task does not give it. Evaluation never reads it. */
export function partReward(part: string): RewardFunction {
  return {
    name: part,
    range: [0, 1],
    score: ({ verdicts }) => verdicts.map((verdict) => verdict.parts?.[part] ?? null),
  };
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
    range: [-1, 0],
    score: ({ completionTokens }) =>
      completionTokens.map(({ length }) => {
        if (length <= maxTokens - cache) return 0;
        return length > maxTokens ? -1 : (maxTokens - cache - length) / cache;
      }),
  };
}

function withoutOptions(does: string, reward: RewardFunction): RewardDefinition {
  return defineReward({ does, options: {}, create: () => reward });
}

const tokens = (example: number) => integer({ min: 1, example });

export const USUAL_REWARDS: Readonly<Record<string, RewardDefinition>> = {
  accuracy: withoutOptions("The verifier's score: 1 for a right answer, else 0.", accuracyReward),
  positions: withoutOptions('Share of the positions that are right; sort_digits gives it.', partReward('positions')),
  lcs: withoutOptions(
    'Longest common subsequence of answer and truth; reverse_text gives it. It can be hacked, and is here to show that.',
    partReward('lcs'),
  ),
  critique: withoutOptions(
    'F1 of the kind and the place of an error that is found; critique_tasks gives it.',
    partReward('critique'),
  ),
  instructions: withoutOptions(
    'Share of the instructions that are kept; constraints gives it.',
    partReward('instructions'),
  ),
  [PART_REWARD]: defineReward({
    does: 'A sub-score of the verdict by its name, as the tasks list them: syntax of stack_vm, tests of js_function.',
    options: { of: key('of', text('tests').describe('Which sub-score.')) },
    create: ({ of }) => partReward(of),
  }),
  soft_overlong: defineReward({
    does: '0 up to max_tokens - cache tokens, then falling to -1 at max_tokens.',
    options: {
      maxTokens: key('max_tokens', tokens(12).describe("TRL's max_completion_len: most tokens, EOS included.")),
      cache: key('cache', tokens(4).describe("TRL's soft_punish_cache: width of the slope, in tokens.")),
    },
    rules: ({ maxTokens, cache }) =>
      cache > maxTokens ? [{ key: 'cache', rule: `longer than max_tokens (${maxTokens}); lower it` }] : [],
    create: ({ maxTokens, cache }) => softOverlongReward(maxTokens, cache),
  }),
  format: formatReward,
  repetition: repetitionReward,
  cosine: cosineReward,
  ternary: ternaryReward,
  diversity: diversityReward,
};

export const CORE_REWARDS: RewardList = { loaded: USUAL_REWARDS, names: Object.keys(USUAL_REWARDS) };
