/** A temperature that cools within each completion: its schedule, what of it is off-policy, and by how much. */
import { describe, expect, it } from 'vitest';
import { collect, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

const line = (options = ''): string => `token_controls: [{name: anneal-in-sequence${options}}]`;
/** Cools from the first token on, within the few tokens of a tiny run. */
const QUICK = line(', hottest: 1.5, coolest: 0.25, cool_from: 1, cool_over: 3, cool_growth: 0');
const quick = (place: number): number => (place === 0 ? 1 : Math.max(2.5 - Math.exp(place / 3), 0.25));

function factorsOf(options: string, places: readonly number[], step: number) {
  const stage = stageOf(line(options));
  const [{ part }] = createMethods(stage).tokenControls;
  return places.map((place) => part.temperature?.(place, stepContext(stage, step)));
}

describe('anneal-in-sequence', () => {
  it("has the paper's schedule: as it is, then hot, then cooler, and never below the least", () => {
    const [before, first, later, last] = factorsOf(', cool_from: 3, cool_over: 20, cool_growth: 5', [2, 3, 9, 400], 2);
    expect(before).toBe(1);
    expect(first).toBeCloseTo(2.2 - Math.exp(3 / 30), 12);
    expect(later).toBeCloseTo(2.2 - Math.exp(9 / 30), 12);
    expect(last).toBe(0.1);
    expect(factorsOf(', cool_from: 0', [0], 0)[0]).toBeCloseTo(1.2, 12);
    expect(factorsOf(', cool_growth: 1.0e+6', [40_000], 1)[0]).toBe(0.1); // d is never above 40,000
  });

  it('is plain sampling to the bit where no completion is so long', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: annealed } = await wholeAndKilled(line(', cool_from: 99'));
    expect(annealed).toEqual(plain);
  });

  it('has the log-probs of each token at its temperature, and calls off-policy what is not at that of the stage', async () => {
    await withTossedRun(`${QUICK}\ntemperature: 0.8`, async (run) => {
      const { groups } = await collect(run);
      for (const { prompt, rollouts } of groups) {
        for (const { tokens, logprobs, isOffPolicy } of rollouts) {
          expect(isOffPolicy).toBe(tokens.length > 1 ? true : undefined);
          for (let t = 0; t < tokens.length; t++) {
            const [scores] = await scoresOf(run, { prompt, completions: [tokens] }, { temperature: 0.8 * quick(t) });
            expect(logprobs[t]).toBe(scores.logprobs[t]);
          }
        }
      }
    });
  });

  it('multiplies with the temperatures of a mixture', async () => {
    const mixture = 'rollout_strategies: [{name: temperature-mix, lowest_temperature: 0.5, highest_temperature: 2}]';
    await withTossedRun(`${QUICK}\n${mixture}`, async (run) => {
      const [{ prompt, rollouts }] = (await collect(run)).groups;
      const [{ tokens, logprobs }] = rollouts;
      for (const t of tokens.keys()) {
        const [scores] = await scoresOf(run, { prompt, completions: [tokens] }, { temperature: 0.5 * quick(t) });
        expect(logprobs[t]).toBe(scores.logprobs[t]);
      }
    });
  });

  it('moves the ratio away from 1, which the check of sampler and scorer leaves out', async () => {
    await withTossedRun(QUICK, async (run) => {
      const { metrics } = await goOn(run, 1);
      expect(metrics[0]['clip_ratio/region_mean']).toBeGreaterThan(0);
      expect(metrics[0]['sampling/sampling_logp_difference/max']).toBe(0);
    });
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${QUICK}\ndynamic_sampling: refill\nnum_iterations: 2`);
    expect(killed).toEqual(whole);
  });
});
