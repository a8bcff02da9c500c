/** Messages of a fleet: floats keep their bits, and what is not a message is refused in words. */
import { expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import { decodeCard } from '../cards.ts';
import { planTasks } from '../plan_tasks.ts';
import {
  decodeResult,
  decodeTask,
  encodeResult,
  encodeTask,
  type FleetResult,
  type FleetTask,
  PROTOCOL,
} from '../protocol.ts';

const TASK: FleetTask = {
  id: 7,
  weights: { version: 3, sha256: 'ab'.repeat(32), bytes: 1234, step: { from: 'cd'.repeat(32), bytes: 700 } },
  settings: {
    sampling: { temperature: 0.7, topK: 3, topP: 0.9, minP: null },
    samplingKey: [-1, 2_000_000_000],
    maxCompletionTokens: 4,
    stopIds: [0],
    turnTokens: 4,
  },
  requests: [
    { prompt: Int32Array.of(1, 2), rollouts: [{ rollout: 2 ** 40 - 1, turn: 2, tokens: Int32Array.of(5) }] },
    {
      prompt: Int32Array.of(9),
      rollouts: [
        { rollout: 1, turn: 0 },
        { rollout: 2, turn: 0 },
      ],
    },
  ],
};
const VOCABULARY = 10;

const floats = (...bits: number[]): Float32Array => new Float32Array(Uint32Array.from(bits).buffer);
const completion = (tokens: number[], finishReason: 'eos' | 'length') => ({
  tokens: Int32Array.from(tokens),
  logprobs: floats(...tokens.map((_, i) => 0x7fc00123 + i)), // NaN with a payload
  entropies: floats(...tokens.map(() => 0x80000000)), // −0
  keptLogMass: floats(...tokens.map(() => 1)), // the least above 0
  finishReason,
});
const RESULT: FleetResult = {
  task: 7,
  worker: '0123456789abcdef0123456789abcdef',
  seconds: 0.25,
  completions: [[completion([5, 3, 0], 'eos')], [completion([1, 2, 3, 4], 'length'), completion([0], 'eos')]],
};
const bitsOf = ({ completions }: FleetResult) =>
  completions.flat().map(({ logprobs, entropies }) => [logprobs, entropies].map((all) => new Uint32Array(all.buffer)));

it('a task and its result come back as they were, to the bit', () => {
  expect(decodeTask(encodeTask(TASK))).toEqual(TASK);
  const back = decodeResult(encodeResult(RESULT), TASK, VOCABULARY);
  expect(back).toEqual(RESULT);
  expect(bitsOf(back)).toEqual(bitsOf(RESULT));
});

it('a message that was cut, lengthened or changed is a message or a refusal, and never anything else', () => {
  const rng = rngFor('messages');
  const messages = [encodeTask(TASK), encodeResult(RESULT)];
  for (let draw = 0; draw < 3000; draw++) {
    const bytes = messages[draw % 2].slice();
    for (let change = rng.int(1, 3); change > 0; change--) bytes[rng.int(0, bytes.length - 1)] = rng.int(0, 255);
    const cut = rng.float() < 0.3 ? bytes.subarray(0, rng.int(0, bytes.length - 1)) : bytes;
    for (const decode of [() => decodeTask(cut), () => decodeResult(cut, TASK, VOCABULARY)]) {
      try {
        decode();
      } catch (error) {
        expect((error as { code?: string }).code).toBe('fleet-message');
      }
    }
  }
});

const changed = (change: Partial<FleetResult['completions'][0][0]>): FleetResult => ({
  ...RESULT,
  completions: [[{ ...RESULT.completions[0][0], ...change }], RESULT.completions[1]],
});
it.each([
  ['a token beyond the vocabulary', changed({ tokens: Int32Array.of(5, 10, 0) }), 'a token is 10, and may be 0 to 9'],
  [
    'other tokens than it begins with',
    changed({ tokens: Int32Array.of(4, 3, 0) }),
    'token 0 of a completion is 4, and it begins with 5',
  ],
  ['an end that it has not', changed({ finishReason: 'length' }), 'ends by length'],
  ['an end too early', changed({ tokens: Int32Array.of(5, 3, 1) }), 'ends by eos'],
  ['a group too few', { ...RESULT, completions: [RESULT.completions[0]] }, 'prompts is 1, and may be 2 to 2'],
  [
    'a completion too many',
    { ...RESULT, completions: [RESULT.completions[1], RESULT.completions[1]] },
    'completions is 2',
  ],
])('a result with %s is refused', (_, result, message) => {
  expect(() => decodeResult(encodeResult(result), TASK, VOCABULARY)).toThrow(message);
});

it('another protocol is refused by its number', () => {
  const bytes = encodeTask(TASK);
  bytes[0] = PROTOCOL + 1;
  expect(() => decodeTask(bytes)).toThrow(`of protocol ${PROTOCOL + 1}, and this program speaks ${PROTOCOL}`);
  const card = new TextEncoder().encode(JSON.stringify({ protocol: PROTOCOL + 1 }));
  expect(() => decodeCard(card)).toThrow('give learner and workers the same version');
});

it('tasks hold each rollout once, however many workers there are, and no result is too large a message', () => {
  const requests = Array.from({ length: 5 }, (_, r) => ({
    prompt: Int32Array.of(1),
    rollouts: Array.from({ length: 40 }, (__, i) => ({ rollout: 40 * r + i })),
  }));
  for (const workers of [0, 1, 3, 100]) {
    for (const maxCompletionTokens of [4, 10_000]) {
      const parts = planTasks(requests, { ...TASK.settings, maxCompletionTokens }, workers);
      const all = parts.flatMap((part) =>
        part.requests.flatMap(({ rollouts }) => rollouts.map(({ rollout }) => rollout)),
      );
      expect(all).toEqual(Array.from({ length: 200 }, (_, i) => i));
      for (const { requests: own } of parts) {
        const count = own.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
        expect(16 * maxCompletionTokens * count).toBeLessThan(2 ** 20);
      }
    }
  }
  expect(() => planTasks(requests, { ...TASK.settings, maxCompletionTokens: 100_000 }, 1)).toThrow(
    'max_completion_length',
  );
});
