/** Which completions of a group are trained on at once, and what becomes of the others. */
import { describe, expect, it } from 'vitest';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

const line = (options: string): string => `rollout_strategies: [{name: recompose, ${options}}]`;
const LINE = line('compensation_every: 2');

describe('recompose', () => {
  it('keeps the shortest right and the longest wrong ones, with a baseline of all, and trains the rest when it is due', async () => {
    const stage = stageOf(LINE);
    const [{ part }] = createMethods(stage).rolloutStrategies;
    const given = groupOfRewards([5, 3, 9, 2, 4, 7], [1, 1, 1, 0, 0, 0]);
    const requests = [0, 1].map(() => ({ item: given.item, samples: 6 }));
    const rollOut = (step: number) =>
      part.rollOut(requests, async (asked) => asked.map(() => given), rolloutTools(stage, { step }));
    const inLoss = ({ rollouts }: typeof given) => rollouts.flatMap(({ inLoss = true }, i) => (inLoss ? [i] : []));
    const first = await rollOut(0);
    expect(first.map((group) => inLoss(group as typeof given))).toEqual([
      [0, 1, 4, 5],
      [0, 1, 4, 5],
    ]);
    expect(first[0].rollouts.map(({ reward }) => reward)).toEqual([1, 1, 1, 0, 0, 0]);
    const [fresh, old] = await rollOut(1);
    expect(inLoss(fresh as typeof given)).toEqual([0, 1, 4, 5]);
    expect(inLoss(old as typeof given)).toEqual([2, 3]);
    expect(old.rollouts.every(({ age, origin, isOffPolicy }) => age === 1 && origin === 'replay' && isOffPolicy)).toBe(
      true,
    );
  });

  it('that keeps all of them is plain sampling, to the bit', async () => {
    expect(await weightsAfter(line('keep_correct: 1, keep_incorrect: 1'))).toBe(await weightsAfter(''));
    expect(await weightsAfter(LINE)).not.toBe(await weightsAfter(''));
  });

  it('trains on fewer tokens, and gives the same after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(LINE);
    expect(killed).toEqual(whole);
    await withTossedRun(LINE, async (run) => {
      const { metrics } = await goOn(run);
      expect(metrics.map((step) => Number(step['recompose/compensated']) > 0)).toEqual([false, true, false, true]);
      for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
    });
  });
});
