/** How much likelier a reference is behind a completion's reasoning: a reward without a verifier. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest, RolloutTools } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const MARK = 9;
const REFERENCE = [5, 6];

/** Rewards of completions, where the policy finds each token of the reference as likely as `likely` says of what is before it. */
async function rewardsOf(
  completions: readonly (readonly number[])[],
  likely: (before: readonly number[]) => number,
  known: Partial<RolloutTools> = {},
) {
  const stage = stageOf('rollout_strategies: [{name: ref-prob, mark: "9"}]');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, {
    solution: () => Int32Array.of(MARK, ...REFERENCE),
    metric: metricsInto(logged),
    logprobs: async (_, scored) =>
      scored.map((tokens) => {
        const before = [...tokens].slice(0, -REFERENCE.length);
        return Float32Array.from(tokens, (_token, t) => (t < before.length ? -50 : Math.log(likely(before))));
      }),
    ...known,
  });
  const rollouts = completions.map((tokens) => ({ ...rolloutOf(tokens.length, 0), tokens: Int32Array.from(tokens) }));
  const next = async (requests: readonly GroupRequest[]) => requests.map(() => groupOf(rollouts));
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: completions.length }], next, tools);
  return { rewards: group.rollouts.map(({ reward }) => reward), logged };
}

describe('ref-prob', () => {
  it('is 0 for an empty chain, whatever the policy thinks of the reference', async () => {
    for (const share of [0.1, 0.9]) {
      expect(
        (
          await rewardsOf(
            [
              [MARK, 5, 6],
              [MARK, 7],
            ],
            () => share,
          )
        ).rewards,
      ).toEqual([0, 0]);
    }
  });

  it('is the reward of an exact match where the answer follows from the chain for certain', async () => {
    const leadsToIt = [1, MARK, ...REFERENCE];
    const leadsElsewhere = [2, MARK, 7, 7];
    const likely = (before: readonly number[]) => (before.includes(1) ? 1 : 1e-30);
    const { rewards } = await rewardsOf([leadsToIt, leadsElsewhere], likely);
    expect(rewards[0]).toBeCloseTo(1, 12);
    expect(rewards[1]).toBeCloseTo(0, 12);
  });

  it('is the difference of mean probabilities, and never below 0', async () => {
    const likely = (before: readonly number[]) => ({ 1: 0.3, 2: 0.8, 3: 0.1 })[before[0]] ?? 0.2;
    const { rewards, logged } = await rewardsOf(
      [
        [1, MARK, 7],
        [2, MARK],
        [3, MARK, 5],
      ],
      likely,
    );
    [0.1, 0.6, 0].forEach((expected, i) => {
      expect(rewards[i]).toBeCloseTo(expected, 6);
    });
    expect(logged.gain).toBeCloseTo(0.7 / 3, 6);
    expect(logged.without_reasoning).toBeCloseTo(0.2, 6);
    expect(logged).toMatchObject({ reasoning_tokens: 2, accuracy: 0 });
  });

  it('compares with the mark alone, also where the reference has reasoning of its own', async () => {
    const likely = (before: readonly number[]) => (before.length > 1 ? 0.9 : 0.2);
    const solution = () => Int32Array.of(1, 4, MARK, ...REFERENCE);
    const { rewards, logged } = await rewardsOf([[1, MARK, 7]], likely, { solution });
    expect(rewards[0]).toBeCloseTo(0.7, 6);
    expect(logged.without_reasoning).toBeCloseTo(0.2, 6);
  });

  it('pays nothing without the mark, nor where the reference has no room', async () => {
    expect((await rewardsOf([[1, 2, 3]], () => 1)).rewards).toEqual([0]);
    const { rewards } = await rewardsOf([[1, 2, MARK]], (before) => (before.length > 1 ? 1 : 0.1), { mostTokens: 4 });
    expect(rewards).toEqual([0]);
  });

  it('gives no reward where the task knows no reference', async () => {
    expect((await rewardsOf([[1, MARK]], () => 1, { solution: () => Int32Array.of(MARK) })).rewards).toEqual([null]);
  });

  it('scores with the policy of the run: the reward of a group is what its log-probs say', async () => {
    await withTossedRun('rollout_strategies: [{name: ref-prob, mark: a}]', async (run) => {
      const { metrics, batches } = await goOn(run, 1);
      const rewards = batches.flatMap(({ groups }) =>
        groups.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward)),
      );
      for (const reward of rewards) {
        expect(reward).toBeGreaterThanOrEqual(0);
        expect(reward).toBeLessThanOrEqual(1);
      }
      expect(metrics[0]['ref-prob/gain']).toBeGreaterThanOrEqual(0);
      expect(metrics[0]['ref-prob/without_reasoning']).toBeGreaterThan(0);
    });
  });
});
