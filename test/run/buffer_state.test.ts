/** Buffered rollouts in a checkpoint: nothing that is known of them is lost on the way. */
import { expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import { loadBuffer, saveBuffer } from '../../src/run/checkpoint/buffer_state.ts';
import { encodeStrictJson } from '../../src/run/json.ts';

/** What no rollout of a buffer has: known until it is credited. */
type UntilCredited = 'tokenRewards' | 'figures';

const reals = (...values: readonly number[]): Float32Array => Float32Array.from(values);

/** Two tokens; every field has a value that no default gives. */
const rollout: Required<Omit<Rollout, UntilCredited>> = {
  tokens: Int32Array.of(5, 3),
  logprobs: reals(-0.1, -0.2),
  entropies: reals(0.3, 0.4),
  keptLogMass: reals(-0.5, -0.6),
  labels: Uint8Array.of(1, 2),
  finishReason: 'stop',
  text: 'ab',
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
  given: { rewardParts: [1, null], reward: 1 },
  origin: 'replay',
  age: 3,
  isOffPolicy: true,
  prompt: Int32Array.of(7, 8, 9),
  sampledUnder: Int32Array.of(6),
  inBaseline: false,
  inLoss: false,
  proximalLogprobs: reals(-0.7, -0.8),
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

const group: Required<CreditedGroup> = {
  item,
  prompt: Int32Array.of(1, 2),
  rollouts: [rollout, { ...rollout, tokens: Int32Array.of(4, 2), text: 'b' }],
  dead: true,
  ruledOut: true,
  greedyReward: 0.3,
  kind: 'verify',
  advantages: reals(0.9, -0.9),
  tokenAdvantages: [reals(1, 2), reals(3, 4)],
  tokenWeights: [reals(5, 6), reals(7, 8)],
  tokenSelection: [reals(0, 1), reals(1, 0)],
};

/** As much of a run as the buffer is read with. */
const run = {
  engine: {
    tasks: { promptTokens: () => Int32Array.of(1, 2), codec: { vocabSize: 10 } },
    policy: { capacity: { context: 16 } },
  },
} as unknown as TrainingRun;

const savedAndLoaded = (groups: readonly CreditedGroup[]) => {
  const { record, tensors } = saveBuffer({ groups, stepsTaken: 1, temperature: 0.5 });
  return loadBuffer(run, JSON.parse(encodeStrictJson(JSON.parse(JSON.stringify(record)))), tensors);
};

it('gives back every field of groups and rollouts, arrays of their own kind', () => {
  expect(savedAndLoaded([group])).toEqual({ groups: [group], stepsTaken: 1, temperature: 0.5 });
});

it('gives no field to those that lack it, beside others that have it', () => {
  const { tokens, logprobs, entropies, keptLogMass, finishReason, text, verdict, rewardParts, reward } = rollout;
  const plain: Rollout = { tokens, logprobs, entropies, keptLogMass, finishReason, text, verdict, rewardParts, reward };
  const { prompt, advantages } = group;
  const bare: CreditedGroup = { item, prompt, rollouts: [plain, rollout], dead: false, advantages };
  const groups = [bare, group, { ...bare, greedyReward: null }];
  expect(savedAndLoaded(groups).groups).toStrictEqual(groups);
});
