/** What prompts of a batch begin with alike has its rows once: the scores and gradients are those of each by itself. */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { openingsOf } from '../../../../src/model/batch_openings.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import {
  alone,
  FIRST,
  gradientsDiffer,
  OPENED_GROUPS,
  OPENED_ROOM,
  OPENED_SHAPE,
  together,
} from '../../../../test/support/opened_groups.ts';
import { inCompletionOrder, openPolicy } from '../../../../test/support/policies.ts';

describe('openings of a batch', () => {
  it('are the longest that an earlier group has, from 64 tokens on, and never all of a prompt', () => {
    expect(openingsOf(OPENED_GROUPS.map(({ prompt }) => prompt))).toEqual([
      undefined,
      undefined,
      { of: 0, length: 70 },
      undefined,
      { of: 1, length: 66 },
      { of: 0, length: 65 },
    ]);
    expect(openingsOf([FIRST, FIRST])).toEqual([undefined, { of: 0, length: 69 }]);
    expect(openingsOf([FIRST.subarray(0, 64), FIRST.subarray(0, 64)])).toEqual([undefined, undefined]);
  });

  it('have their rows once', () => {
    const rows = alone.reduce((sum, { rowCount }) => sum + rowCount, 0);
    expect(together.rowCount).toBe(rows - 70 - 66 - 65);
    expect(together.kvRowCount).toBe(rows);
  });

  it('leave every score as it is, bit for bit', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), OPENED_SHAPE, OPENED_ROOM);
    const { logprobs, entropies } = await policy.score(together, 0.8);
    const each: { logprobs: Float32Array; entropies: Float32Array }[] = [];
    for (const batch of alone) {
      const scores = await policy.score(batch, 0.8);
      each.push({
        logprobs: inCompletionOrder(batch, scores.logprobs),
        entropies: inCompletionOrder(batch, scores.entropies),
      });
    }
    await policy.close();
    const all = (values: (scores: (typeof each)[number]) => Float32Array) =>
      Float32Array.from(each.flatMap((scores) => [...values(scores)]));
    expectSameBits(
      inCompletionOrder(together, logprobs),
      all((scores) => scores.logprobs),
    );
    expectSameBits(
      inCompletionOrder(together, entropies),
      all((scores) => scores.entropies),
    );
  });

  it('give the gradient of all groups', async () => {
    expect(await gradientsDiffer(referenceBackend)).toBeLessThan(2 ** -44);
    expect(await gradientsDiffer(await loadBackend('tfjs:cpu'))).toBeLessThan(2 ** -19);
    expect(await gradientsDiffer(await wasmBackend({ threads: 2 }))).toBeLessThan(2 ** -19);
  });
});
