/** Groups of completions at different temperatures, and the ratio that those have which are not at the stage's. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { collect, credit, scoresOf, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

const line = (lowest: number, highest: number): string =>
  `rollout_strategies: [{name: temperature-mix, lowest_temperature: ${lowest}, highest_temperature: ${highest}}]`;

describe('temperature-mix', () => {
  it('spreads the temperatures of a group evenly', async () => {
    const [{ part }] = createMethods(stageOf(line(0, 1.5))).rolloutStrategies;
    const asked: GroupRequest[] = [];
    const next = async (requests: readonly GroupRequest[]) => {
      asked.push(...requests);
      return [];
    };
    const item = groupOf([]).item;
    await part.rollOut(
      [4, 1].map((samples) => ({ item, samples })),
      next,
      {} as never,
    ); // it asks for no tools
    expect(asked.map(({ temperatures }) => temperatures)).toEqual([[0, 0.5, 1, 1.5], [0]]);
  });

  it('refuses a range without an inside', () => {
    expect(() => stageOf(line(1.2, 0.4))).toThrow(/above highest_temperature/);
  });

  it("at the stage's own temperature is plain sampling to the bit", async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: mixed } = await wholeAndKilled(line(1, 1));
    expect(mixed).toEqual(plain);
  });

  it('has the log-probs of each completion at its temperature, as the scorer has them to the bit', async () => {
    await withTossedRun(`${line(0, 1.5)}\ntemperature: 0.5`, async (run) => {
      const { groups } = await collect(run);
      for (const { prompt, rollouts } of groups) {
        expect(rollouts.map(({ isOffPolicy }) => isOffPolicy)).toEqual([true, undefined, true, true]);
        expect([...rollouts[0].logprobs].every((value) => value === 0)).toBe(true);
        for (const [i, temperature] of [0.5, 1, 1.5].entries()) {
          const { tokens, logprobs } = rollouts[i + 1];
          const [scores] = await scoresOf(run, { prompt, completions: [tokens] }, { temperature });
          expect([...logprobs]).toEqual([...scores.logprobs]);
        }
      }
    });
  });

  it('clips by the ratio to what a completion was sampled with, and checks the others as ever', async () => {
    await withTossedRun(`${line(0.25, 2)}\ntemperature: 2`, async (run) => {
      const { groups } = await collect(run);
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
      expect(totals.measured['clip_ratio/region_mean']).toBeGreaterThan(0);
    });
    await withTossedRun('', async (run) => {
      const { metrics } = await goOn(run, 1);
      expect(metrics[0]['clip_ratio/region_mean']).toBe(0);
    });
  });

  it.each(['', '\nnum_iterations: 2', '\ndynamic_sampling: refill\ntoken_controls: [repetition-stop]'])(
    'gives the same weights and metrics after a kill%s',
    async (more) => {
      const { whole, killed } = await wholeAndKilled(line(0, 1.5) + more);
      expect(whole.metrics).toHaveLength(4);
      expect(killed).toEqual(whole);
    },
  );
});
