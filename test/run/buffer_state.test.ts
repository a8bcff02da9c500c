/** Buffered rollouts in a checkpoint: nothing that is known of them is lost on the way. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/grpo/engine.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import { saveBuffer } from '../../src/run/checkpoint/buffer_state.ts';
import { loadBuffer } from '../../src/run/checkpoint/restore_buffer.ts';
import { encodeStrictJson } from '../../src/run/json.ts';
import { FULL_GROUP, FULL_ROLLOUT } from '../support/full_rollouts.ts';

/** As much of an engine as the buffer is read with. */
const engine = {
  tasks: { promptTokens: () => Int32Array.of(1, 2), codec: { vocabSize: 10 } },
  policy: { capacity: { context: 16 } },
} as unknown as Engine;

const savedAndLoaded = (groups: readonly CreditedGroup[]) => {
  const { record, tensors } = saveBuffer({ groups, stepsTaken: 1, temperature: 0.5 });
  return loadBuffer(engine, JSON.parse(encodeStrictJson(JSON.parse(JSON.stringify(record)))), tensors);
};

it('gives back every field of groups and rollouts, arrays of their own kind', () => {
  expect(savedAndLoaded([FULL_GROUP])).toEqual({ groups: [FULL_GROUP], stepsTaken: 1, temperature: 0.5 });
});

it('gives no field to those that lack it, beside others that have it', () => {
  const { tokens, logprobs, entropies, keptLogMass, finishReason, text, verdict, rewardParts, reward } = FULL_ROLLOUT;
  const plain: Rollout = { tokens, logprobs, entropies, keptLogMass, finishReason, text, verdict, rewardParts, reward };
  const { prompt, advantages } = FULL_GROUP;
  const bare: CreditedGroup = {
    item: FULL_GROUP.item,
    prompt,
    rollouts: [plain, FULL_ROLLOUT],
    dead: false,
    advantages,
  };
  const groups = [bare, FULL_GROUP, { ...bare, greedyReward: null }];
  expect(savedAndLoaded(groups).groups).toStrictEqual(groups);
});

it('keeps the turns of a rollout as views of its tokens', () => {
  const [loaded] = savedAndLoaded([FULL_GROUP]).groups[0].rollouts;
  expect(loaded.turns?.map(({ tokens: own }) => own.buffer === loaded.tokens.buffer)).toEqual([true, true]);
});

describe('what no one saved so is refused', () => {
  it.each([
    ['is missing', () => []],
    ['has 3 numbers, its rollouts have 4', (data: Float32Array) => [data.subarray(1)]],
    ['has 8 numbers, its rollouts have 4', (data: Float32Array) => [Float32Array.of(...data, ...data)]],
  ])('a tensor that %s', (says, change) => {
    const { record, tensors } = saveBuffer({ groups: [FULL_GROUP], stepsTaken: 1 });
    const others = tensors.flatMap((tensor) =>
      tensor.name === 'rollouts.logprobs'
        ? change(tensor.data as Float32Array).map((data) => ({ ...tensor, data }))
        : [tensor],
    );
    expect(() => loadBuffer(engine, record, others)).toThrow(`checkpoint: tensor rollouts.logprobs ${says}.`);
  });

  const changed = (change: Partial<Rollout>): CreditedGroup => ({
    ...FULL_GROUP,
    rollouts: FULL_GROUP.rollouts.map((one) => ({ ...one, ...change })),
  });
  const turns = (...labels: readonly string[]) =>
    labels.map((label) => ({ tokens: FULL_ROLLOUT.tokens.subarray(0, 1), label, text: '' }));
  it.each(
    /* biome-ignore format: a table */ [
      ['labels', { labels: Uint8Array.of(1) }, 'a rollout of 2 tokens has 1 labels'],
      ['a token', { tokens: Int32Array.of(5, 10) }, 'token 10 of a vocabulary of 10'],
      ['a prompt', { prompt: Int32Array.of(10) }, 'token 10 of a vocabulary of 10'],
      ['an empty prompt', { sampledUnder: new Int32Array() }, 'a prompt of 0 tokens where 16 are the most'],
      ['a long prompt', { prompt: new Int32Array(15) }, 'a prompt of 15 tokens where 16 are the most'],
      ['turns that end early', { turns: turns('policy') }, 'turns of 1 tokens in a completion of 2'],
      ['turns of another text', { turns: turns('policy', 'policy') },
        'turns of another text than that of their completion'],
      ['an observation that is trained', { turns: turns('environment', 'tool') },
        'a turn of tool whose tokens carry a loss'],
    ] as const,
  )('%s', (_, change, says) => {
    expect(() => savedAndLoaded([changed(change)])).toThrow(`(buffer: ${says})`);
  });
});
