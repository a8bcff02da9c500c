/** Methods of episodes in whole runs: the same bits after a kill, in micro-batches and with two threads; numbers are finite. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { METHODS } from '../../../../test/support/everything.ts';
import { killedAndResumed } from '../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../test/support/small_runs.ts';
import { describeMethod } from '../../catalogue/catalogue.ts';
import { needsTurns } from '../support/played_methods.ts';
import { playedRun } from '../support/played_run.ts';

/** So that an untrained policy has something to learn from. */
const byLength: RewardFunction = {
  name: 'byLength',
  score: ({ completionTokens }) => completionTokens.map(({ length }) => (length % 5) / 4),
};

const run = (line: string, more = ''): SmallRun =>
  playedRun({
    task: '{name: guess_number, max: 9, numbers: 5, turns: 3}',
    seed: 3,
    reward: byLength,
    lines: `reward_funcs: [accuracy, byLength]\n${line}\n${more}`,
  });

const played = (['rolloutStrategies', 'lossTerms'] as const).flatMap((point) =>
  METHODS[point].filter(needsTurns).map((method) => ({ id: method.id, line: describeMethod(point, method).yaml[0] })),
);

describe.each(played)('a run with $id', ({ line }) => {
  it('has finite numbers, and ends with the same bits after a kill, and with two threads', async () => {
    const { metrics, sha256 } = await finishSmallRun(await plainWasm(), run(line));
    expect(metrics).toHaveLength(3);
    for (const value of metrics.flatMap((step) => Object.values(step))) {
      if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
    }
    const { resumed } = await killedAndResumed(run(line), (event) => event.type === 'step' && event.step === 1);
    expect((await finishRun(resumed)).sha256).toBe(sha256);
    const threads = await wasmBackend({ threads: 2, fma: false });
    expect((await finishSmallRun(threads, run(line))).sha256).toBe(sha256);
    const cut = await finishSmallRun(await plainWasm(), run(line, 'per_device_train_batch_size: 4'));
    expect(Number(cut.metrics[0].loss)).toBeCloseTo(Number(metrics[0].loss), 5);
  });
});
