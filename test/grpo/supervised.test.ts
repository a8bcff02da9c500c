import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { TokenGroup } from '../../src/model/batch.ts';
import { scoresOf, slopes, supervise, supervised, weightsOf } from './step_parts.ts';

/** The demonstrations of the next step. */
function demonstrations({ engine: { tasks }, config }: TrainingRun, count: number): TokenGroup[] {
  return Array.from({ length: count }, (_, index) => {
    const item = tasks.trainItem(config.seed, index);
    return { prompt: tasks.promptTokens(item), completions: [tasks.demonstrationTokens(item, config.seed, index)] };
  });
}

/** Mean negative log-prob and mean entropy of the demonstrations' tokens, under the weights as they stand. */
async function meansOf(run: TrainingRun, groups: readonly TokenGroup[]): Promise<{ loss: number; entropy: number }> {
  let [logprob, entropy, tokens] = [0, 0, 0];
  for (const group of groups) {
    const [scores] = await scoresOf(run, group);
    tokens += scores.logprobs.length;
    logprob += scores.logprobs.reduce((sum, value) => sum + value, 0);
    entropy += scores.entropies.reduce((sum, value) => sum + value, 0);
  }
  return { loss: -logprob / tokens, entropy: entropy / tokens };
}

describe('a supervised step', () => {
  it('has the mean negative log-prob of its demonstrations as loss, and its gradient', async () => {
    const run = await supervised({ learning_rate: 1e-30 });
    const groups = demonstrations(run, 6);
    const { loss, entropy } = await meansOf(run, groups);
    const result = await supervise(run);
    expect(result.loss).toBeCloseTo(loss, 6);
    expect(result.entropy).toBeCloseTo(entropy, 6);
    const { gradient, differences, norm } = await slopes(run, async () => (await meansOf(run, groups)).loss);
    expect(Math.abs(gradient - differences)).toBeLessThan(1e-6 * norm);
    expect(result.gradNorm).toBeCloseTo(norm, 6);
  });

  it('takes the next problems of the stream, each with a demonstration of its own, and counts their tokens', async () => {
    const run = await supervised({ learning_rate: 1e-30 });
    const all = demonstrations(run, 12);
    for (const groups of [all.slice(0, 6), all.slice(6)]) {
      const { loss, completionTokens } = await supervise(run);
      expect(loss).toBeCloseTo((await meansOf(run, groups)).loss, 6);
      expect(completionTokens).toBe(groups.reduce((sum, { completions }) => sum + completions[0].length, 0));
    }
    expect(run.journal.state.itemsDrawn).toBe(12);
  });

  it('lowers the loss of what it has just learned from', async () => {
    const run = await supervised();
    const groups = demonstrations(run, 6);
    const before = await meansOf(run, groups);
    await supervise(run);
    expect((await meansOf(run, groups)).loss).toBeLessThan(before.loss);
  });

  it('takes the learning rate of its schedule', async () => {
    const run = await supervised({ lr_scheduler_type: 'linear', warmup_steps: 2, learning_rate: 0.01 });
    expect((await supervise(run)).learningRate).toBe(0.005);
    run.journal.state.step = 3;
    expect((await supervise(run)).learningRate).toBeCloseTo(0.005, 12); // half of the way down
  });

  it('that is not finite changes no weight', async () => {
    const run = await supervised();
    const weights = (await weightsOf(run)).fill(Number.NaN);
    run.engine.policy.writeVector('weights', weights);
    await expect(supervise(run)).rejects.toMatchObject({ code: 'non-finite', facts: { step: 0 } });
    expect(await weightsOf(run)).toEqual(weights);
  });
});
