/** Verdicts on the policy's own answers: what is asked, what is paid, and that solving is left alone. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { collect, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, longRun, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

/** What is asked about four groups of two, of which these are right, and what is logged where all verdicts are `said`. */
async function asked(right: readonly (readonly [number, number])[], said: string, options = '') {
  const stage = stageOf(`rollout_strategies: [{name: self-verify${options}}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const requests: GroupRequest[] = [];
  const tools = rolloutTools(stage, {
    metric: metricsInto(logged),
  });
  const next = async (own: readonly GroupRequest[]) => {
    if (own[0]?.kind === undefined) return right.map((rewards) => groupOf(rewards.map((one) => rolloutOf(3, one))));
    requests.push(...own);
    return own.map(({ samples, judge, kind }) => {
      const verdict = judge?.(said) ?? { score: null, status: 'invalid', reason: '' };
      const one = { ...rolloutOf(1, verdict.score), text: said, verdict };
      return { ...groupOf(Array.from({ length: samples }, () => one)), ...(kind && { kind }) };
    });
  };
  const groups = await part.rollOut(
    right.map(() => ({ item: groupOf([]).item, samples: 2 })),
    next,
    tools,
  );
  return { requests, logged, kinds: groups.map(({ kind = 'solve' }) => kind) };
}

const LINE = 'rollout_strategies: [{name: self-verify, verify_share: 0.5}]';
const FOUR = [
  [1, 0],
  [0, 0],
  [1, 1],
  [0, 0],
] as const;

describe('self-verify', () => {
  it('asks about right and wrong answers alike, and pays the verdict of the verifier', async () => {
    const { requests, logged, kinds } = await asked(FOUR, ' <YES>', ', verify_share: 1');
    expect(kinds).toEqual(['solve', 'solve', 'solve', 'solve', 'verify', 'verify', 'verify', 'verify']);
    expect(requests.map(({ samples, prompt }) => [samples, prompt?.length])).toEqual(requests.map(() => [8, 3])); // two tokens and a word
    const paid = requests.map(({ judge }) => ['<yes>', '<no>', 'maybe'].map((text) => judge?.(text).score));
    expect(paid.filter(([yes]) => yes === 1)).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(paid.filter(([yes]) => yes === 0)).toEqual([
      [0, 1, 0],
      [0, 1, 0],
    ]);
    expect(logged).toEqual({
      true_positive_rate: 1,
      false_positive_rate: 1,
      says_yes: 1,
      says_no: 0,
      right: 0.5,
      accuracy: 0.5,
    });
  });

  it('logs no rate of answers that there were none of', async () => {
    const { logged } = await asked([[0, 0]], '<no>', ', verify_share: 1');
    expect(logged).toEqual({ false_positive_rate: 0, says_yes: 0, says_no: 1, right: 0, accuracy: 1 });
  });

  it('samples and trains plainly, to the bit, before its first step', async () => {
    const later = (step: number) => LINE.replace('0.5', `0.5, first_verify_step: ${step}`);
    // With its words in the vocabulary, both times.
    expect(await weightsAfter(later(4))).toBe(await weightsAfter(later(99)));
    expect(await weightsAfter(later(0))).not.toBe(await weightsAfter(later(99)));
  });

  it('has groups of its own kind, which no figure of solving counts, scored as they were sampled', async () => {
    await withTossedRun(`${LINE}\ngroup_steps: [majority]\nadvantage_estimator: reinforce-pp`, async (run) => {
      const { metrics, batches } = await goOn(run);
      for (const [i, { groups }] of batches.entries()) {
        const kinds = groups.map(({ kind = 'solve' }) => kind);
        expect(kinds).toEqual([...Array(4).fill('solve'), ...Array(2).fill('verify')]);
        const rewards = groups.slice(0, 4).flatMap(({ rollouts }) => rollouts.map((one) => one.given?.reward ?? 0));
        expect(metrics[i].reward).toBeCloseTo(rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length, 6);
        expect(metrics[i]['groups/drawn']).toBe(4);
        expect(metrics[i]['completions/verify']).toBeCloseTo(1 / 3, 6);
        expect(metrics[i]['sampling/sampling_logp_difference/max']).toBe(0);
        expect(metrics[i].sampled_per_trained_token).toBeGreaterThan(0);
      }
    });
  });

  it('scores ten thousand verdict tokens to the bit as they were sampled, under the prompt with the answer', async () => {
    const yaml = longRun('rollout_strategies: [{name: self-verify, verify_share: 1}]', { completions: 640 });
    await withTossedRun(
      '',
      async (run) => {
        const verdicts = (await collect(run)).groups.filter(({ kind }) => kind === 'verify');
        let scored = 0;
        for (const { prompt: asked, rollouts } of verdicts) {
          const [{ prompt = asked }] = rollouts;
          expect(prompt.length).toBeGreaterThan(asked.length);
          const scores = await scoresOf(run, { prompt, completions: rollouts.map(({ tokens }) => tokens) });
          expect(scores.map(({ logprobs }) => logprobs)).toEqual(
            rollouts.map(({ logprobs }) => Float64Array.from(logprobs)),
          );
          scored += rollouts.reduce((sum, { tokens }) => sum + tokens.length, 0);
        }
        expect(scored).toBeGreaterThan(10_000);
      },
      { yaml },
    );
  });

  it.each([
    LINE,
    `${LINE}\ndynamic_sampling: refill\nnum_iterations: 2`,
    'rollout_strategies: [hint-resample, {name: self-verify, verify_share: 1}, oversample-select, success-replay]',
  ])('gives the same weights and metrics after a kill: %s', async (lines) => {
    const { whole, killed } = await wholeAndKilled(lines);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});
