/** The ratio to the policy before the step, and the weight of what sampled: of off-policy completions alone. */
import { describe, expect, it } from 'vitest';
import { stageOf as stageOfRun, type TrainingRun } from '../../../../../src/grpo/run.ts';
import { withProximalLogprobs } from '../../../../../src/grpo/score/proximal.ts';
import { openStep } from '../../../../../src/grpo/step.ts';
import { collect, credit, gradientOf, scoresOf, update } from '../../../../../test/grpo/step_parts.ts';
import { planCapacity } from '../../../../../test/support/everything.ts';
import { wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { randomSequences } from '../../../../../test/support/rollouts.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

const line = (options = ''): string => `token_weights: [{name: decoupled${options}}]`;
const MIX = 'rollout_strategies: [{name: temperature-mix, lowest_temperature: 0.6, highest_temperature: 1.6}]';

/** Random sequences of which all but every third were sampled by something else, so much less probable there. */
const stale = (by: number) =>
  randomSequences(51, 9).map((sequence, i) => {
    if (i % 3 === 0) return { ...sequence, rollout: { ...sequence.rollout, logprobs: sequence.oldLogprobs } };
    const logprobs = sequence.oldLogprobs.map((value) => value - by);
    return { ...sequence, rollout: { ...sequence.rollout, logprobs, proximalLogprobs: sequence.oldLogprobs } };
  });

describe('decoupled', () => {
  it('weighs tokens by the policy over what sampled them, and leaves on-policy ones as they are', () => {
    const plain = gradientsOf(stale(0), line());
    const weighed = gradientsOf(stale(Math.log(1.5)), line());
    weighed.forEach(({ losses, dLogprobs }, i) => {
      const factor = i % 3 === 0 ? 1 : 1.5;
      losses.forEach((loss, t) => expect(loss).toBeCloseTo(factor * plain[i].losses[t], 5));
      dLogprobs.forEach((slope, t) => expect(slope).toBeCloseTo(factor * plain[i].dLogprobs[t], 5));
    });
  });

  it('is the plain objective to the bit where the sampler is the policy before the step', () => {
    expect(gradientsOf(stale(0), line())).toEqual(gradientsOf(stale(0)));
  });

  it('leaves out, or cuts, what weighs more than the cap', () => {
    const onPolicy = (i: number): boolean => i % 3 === 0;
    const masked = gradientsOf(stale(1), line(', behaviour_cap: 2'));
    expect(masked.every(({ losses }, i) => onPolicy(i) || losses.every((loss) => loss === 0))).toBe(true);
    const cut = gradientsOf(stale(1), line(', behaviour_cap: 2, above_cap: truncate'));
    const plain = gradientsOf(stale(0), line());
    const offPolicy = (all: typeof cut) => all.filter((_, i) => !onPolicy(i));
    expect(lossOf(offPolicy(cut))).toBeCloseTo(2 * lossOf(offPolicy(plain)), 5);
  });

  const proximal = async (run: TrainingRun) => {
    const stage = stageOfRun(run) as Extract<ReturnType<typeof stageOfRun>, { stage: 'grpo' }>;
    const groups = await credit(run, (await collect(run)).groups);
    return withProximalLogprobs(run.engine, openStep(run, stage), run.journal, groups);
  };

  it('scores what is off-policy at the temperature of the stage, before the first step on it', async () => {
    await withTossedRun(`${line()}\n${MIX}`, async (run) => {
      for (const { prompt, rollouts, dead } of await proximal(run)) {
        for (const { tokens, isOffPolicy, proximalLogprobs } of rollouts) {
          expect(proximalLogprobs !== undefined).toBe(!dead && isOffPolicy === true);
          if (proximalLogprobs === undefined) continue;
          const [scores] = await scoresOf(run, { prompt, completions: [tokens] });
          expect([...proximalLogprobs]).toEqual([...scores.logprobs]);
        }
      }
    });
  });

  it('clips nothing at the first update, whatever the completions were sampled at', async () => {
    const clippedAt = (lines: string) =>
      withTossedRun(`${MIX}\n${lines}`, async (run) => {
        const { totals } = await update(run, await proximal(run), { onPolicy: true });
        expect((await gradientOf(run)).every(Number.isFinite)).toBe(true);
        return totals.measured;
      });
    expect((await clippedAt(''))['clip_ratio/region_mean']).toBeGreaterThan(0);
    const decoupled = await clippedAt(line());
    expect(decoupled['clip_ratio/region_mean']).toBe(0);
    expect(decoupled['decoupled/weight']).toBeGreaterThan(0);
  });

  it('changes no bit of a stage in which nothing is off-policy', async () => {
    const { whole: plain } = await wholeAndKilled('num_iterations: 2');
    const { whole: weighed } = await wholeAndKilled(`${line()}\nnum_iterations: 2`);
    expect(weighed.sha256).toBe(plain.sha256);
  });

  it('keeps its scores through a kill between two steps on a batch', async () => {
    const { whole, killed } = await wholeAndKilled(`${line()}\n${MIX}\nnum_iterations: 3`);
    expect(killed).toEqual(whole);
  });

  it('plans no room for rollouts that are kept, since they are scored', async () => {
    await withTossedRun(line(), async (run) => expect(planCapacity(run.config, run.engine.tasks).keptRows).toBe(0));
    await withTossedRun('', async (run) =>
      expect(planCapacity(run.config, run.engine.tasks).keptRows).toBeGreaterThan(0),
    );
  });
});
