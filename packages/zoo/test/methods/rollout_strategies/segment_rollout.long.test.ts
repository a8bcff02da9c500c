/** Completions that are sampled in segments: whole to the bit, trained on-policy, and under way over steps and kills. */
import { describe, expect, it } from 'vitest';
import { collect, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { goOn, longRun, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';

const line = (options: string): string => `rollout_strategies: [{name: segment-rollout, ${options}}]`;

describe('segment-rollout', () => {
  it('of one segment is plain sampling, to the bit', async () => {
    const plain = await weightsAfter('');
    expect(await weightsAfter(line('segment_tokens: 0'))).toBe(plain);
    expect(await weightsAfter(line('segment_tokens: 99, ahead: 0'))).toBe(plain);
    expect(await weightsAfter(line('segment_tokens: 2, ahead: 0'))).not.toBe(plain);
  });

  it('trains ten thousand tokens of several segments on-policy to the bit, all of them', async () => {
    await withTossedRun(
      '',
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const all = batches.flatMap(({ groups }) => groups.flatMap(({ rollouts }) => rollouts));
        expect(all.every(({ labels, isOffPolicy }) => labels === undefined && isOffPolicy === undefined)).toBe(true);
        expect(all.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeGreaterThan(10_000);
        expect(run.journal.state.tokens).toBe(all.reduce((sum, { tokens }) => sum + tokens.length, 0));
        expect(metrics[0]['segment-rollout/rounds']).toBeGreaterThan(2);
        expect(metrics[0]['sampling/sampling_logp_difference/max']).toBe(0);
      },
      { yaml: longRun(line('segment_tokens: 5, ahead: 0')) },
    );
  });

  it('goes on with the log-probs that each token had, and calls what is older off-policy', async () => {
    await withTossedRun(line('segment_tokens: 1, ahead: 1'), async (run) => {
      const { batches } = await goOn(run);
      const rollouts = batches.flatMap(({ groups }) => groups.flatMap((group) => group.rollouts));
      expect(batches.map(({ groups }) => groups.length)).toEqual([4, 4, 4, 4]);
      expect(rollouts.some(({ isOffPolicy }) => isOffPolicy)).toBe(true);
      expect(rollouts.every(({ finishReason, tokens }) => finishReason === 'eos' || tokens.length > 3)).toBe(true);
    });
    await withTossedRun(line('segment_tokens: 1, ahead: 1'), async (run) => {
      for (const { prompt, rollouts } of (await collect(run)).groups) {
        const scores = await scoresOf(run, { prompt, completions: rollouts.map(({ tokens }) => tokens) }, {});
        rollouts.forEach(({ logprobs }, i) => {
          expect([...logprobs]).toEqual([...scores[i].logprobs]);
        });
      }
    });
  });

  it.each([
    line('segment_tokens: 1'),
    `${line('segment_tokens: 1, ahead: 2')}\nnum_iterations: 2\ntoken_controls: [repetition-stop]`,
    `${line('segment_tokens: 1, ahead: 1')}\nadvantage_estimator: greedy`,
  ])('gives the same weights and metrics after a kill: %s', async (lines) => {
    const { whole, killed } = await wholeAndKilled(lines);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});
