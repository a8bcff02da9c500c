/** Two completions of two prompts, with verdicts: what a reward is given. */
import type { RewardBatch } from '../../src/rewards/reward_function.ts';

export const REWARD_BATCH: RewardBatch = {
  prompts: ['a', 'b'],
  completions: ['x', 'yy'],
  completionTokens: [Int32Array.of(1), Int32Array.of(2, 3)],
  items: ['a', 'b'].map((prompt) => ({ id: prompt, prompt, answer: '', identity: { prompt } })),
  groupOf: Int32Array.of(0, 1),
  verdicts: [
    { score: 1, status: 'correct', reason: 'right' },
    { score: null, status: 'invalid', reason: 'not applicable' },
  ],
  finishReasons: ['eos', 'length'],
  trainerState: { step: 4, progress: 0.5 },
};
