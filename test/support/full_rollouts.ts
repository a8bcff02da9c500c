/** A rollout and a group in which every field has a value that no default gives: what is kept of one must keep them all. */
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';

/** What is known of a rollout until it is credited alone. */
export type UntilCredited = 'tokenRewards' | 'figures';

const reals = (...values: readonly number[]): Float32Array => Float32Array.from(values);

const tokens = Int32Array.of(5, 3);

/** Two tokens, the first one an observation; every field has a value that no default gives. */
export const FULL_ROLLOUT: Required<Omit<Rollout, UntilCredited>> = {
  tokens,
  logprobs: reals(-0.1, -0.2),
  entropies: reals(0.3, 0.4),
  keptLogMass: reals(-0.5, -0.6),
  labels: Uint8Array.of(1, 2),
  finishReason: 'stop',
  text: 'ab',
  turns: [
    { tokens: tokens.subarray(0, 1), label: 'environment', text: 'a' },
    { tokens: tokens.subarray(1), label: 'policy', text: 'b' },
  ],
  verdict: {
    score: 0.5,
    status: 'incorrect',
    failure: 'wrong_value',
    reason: 'half',
    canonical: 'a',
    parts: { length: 2 },
    feedback: 'nearly',
    steps: [{ from: 0, to: 1, score: 1 }],
  },
  steps: [{ from: 0, to: 1, score: 0.25 }],
  rewardParts: [0.5, null],
  reward: 0.7,
  extra: { tone: 'polite', words: 3, 'is short': true, note: null },
  given: { rewardParts: [1, null], reward: 1 },
  origin: 'replay',
  age: 3,
  weightsVersion: 40,
  isOffPolicy: true,
  support: Uint8Array.of(255, 6),
  prompt: Int32Array.of(7, 8, 9),
  sampledUnder: Int32Array.of(6),
  inBaseline: false,
  inLoss: false,
  proximalLogprobs: reals(-0.7, -0.8),
  values: reals(-0.7, -0.8),
  returns: reals(-0.7, -0.8),
};

const item = {
  id: 'a',
  key: 'a',
  split: 'train',
  prompt: '1+1',
  answer: '2',
  identity: { left: 1 },
  weight: 1,
  task: 'sums',
  level: 2,
  columns: { depth: 3 },
  messages: [{ role: 'user', content: '1+1' }],
} as const;

const others = Int32Array.of(4, 2);
const OTHER = { ...FULL_ROLLOUT, tokens: others, text: 'b', turns: [{ tokens: others, label: 'policy', text: 'b' }] };

/** Two rollouts. */
export const FULL_GROUP: Required<CreditedGroup> = {
  item,
  prompt: Int32Array.of(1, 2),
  rollouts: [FULL_ROLLOUT, OTHER],
  dead: true,
  ruledOut: true,
  greedyReward: 0.3,
  kind: 'verify',
  advantages: reals(0.9, -0.9),
  tokenAdvantages: [reals(1, 2), reals(3, 4)],
  tokenWeights: [reals(5, 6), reals(7, 8)],
  tokenSelection: [reals(0, 1), reals(1, 0)],
};

/** What is known of it until it is credited. */
export const FIGURES: Required<Pick<Rollout, UntilCredited>> = {
  tokenRewards: reals(0, 1),
  figures: { refLogprobs: reals(-1, -2), selfLogprob: -2 },
};
