/** What the steps of a completion earn by the chance of being right behind them. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { collect, credit } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const line = (options = ''): string => `rollout_strategies: [{name: vsrm${options}}]`;

/** A completion of these tokens, right or wrong. */
const answer = (tokens: readonly number[], right: boolean) => ({
  ...rolloutOf(tokens.length, right ? 1 : 0),
  tokens: Int32Array.from(tokens),
});

/** Rewards by token of a group, where so many in ten of the completions behind a beginning are right. */
async function paid(
  options: string,
  group: readonly ReturnType<typeof answer>[],
  rightInTen: (prefix: readonly number[]) => number,
) {
  const stage = stageOf(line(`, sub_rollouts: 10${options}`));
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const asked: GroupRequest[] = [];
  const metric = metricsInto(logged);
  const next = async (requests: readonly GroupRequest[]): Promise<RolloutGroup[]> =>
    requests.map(({ prefixes, samples }) => {
      if (prefixes === undefined) return groupOf(group);
      asked.push({ item: groupOf([]).item, samples, prefixes });
      const right = rightInTen([...prefixes[0]]);
      return groupOf(Array.from({ length: samples }, (_, i) => answer([1], i < right)));
    });
  const [made] = await part.rollOut(
    [{ item: groupOf([]).item, samples: group.length }],
    next,
    rolloutTools(stage, { metric }),
  );
  const inLoss = made.rollouts.map((rollout) => rollout.inLoss);
  return { inLoss, rewards: made.rollouts.map(({ tokenRewards = [] }) => [...tokenRewards]), asked, logged };
}

const expectRewards = (found: readonly number[], expected: readonly number[]): void => {
  expect(found).toHaveLength(expected.length);
  found.forEach((reward, t) => expect(reward).toBeCloseTo(expected[t], 6));
};

describe('vsrm', () => {
  const group = [answer([1, 2, 3, 4, 5, 6], true), answer([7, 8], false)];

  it('pays at the end of each step what it has gained; all of a completion together, its outcome less the share of its group', async () => {
    const { rewards, asked, logged } = await paid(
      ', step_tokens: 2, significant_gain: 0, gain_window: 0',
      group,
      (prefix) => (prefix.length === 2 ? 8 : 6),
    );
    expectRewards(rewards[0], [0, 0.3, 0, -0.2, 0, 0.4]); // from 5 in ten: 8, 6, right
    expectRewards(rewards[1], [0, -0.5]);
    expect(asked.map(({ prefixes, samples }) => [prefixes?.[9].length, samples])).toEqual([
      [2, 10],
      [4, 10],
    ]);
    expect(logged).toMatchObject({ steps: 2, significant: 1 });
    expect(rewards[0].reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(1 - 0.5, 6);
  });

  it('leaves out of the loss what has a prefix that leads to a right answer too seldom', async () => {
    const options = ', step_tokens: 2, least_value: 0.7';
    const right = (prefix: readonly number[]) => (prefix.length === 2 ? 8 : 6);
    const { inLoss, logged } = await paid(options, group, right);
    expect(inLoss).toEqual([false, undefined]); // a prefix of 0.6; one without prefixes
    expect(logged.filtered).toBe(0.5);
    expect((await paid(', step_tokens: 2, least_value: 0.6', group, right)).inLoss).toEqual([undefined, undefined]);
  });

  it('takes small gains for noise, and pays the steps before a gain a part of it', async () => {
    const chances: Readonly<Record<number, number>> = { 1: 6, 2: 5, 3: 5, 4: 9, 5: 9 };
    const options = ', step_tokens: 1, most_steps: 8, significant_gain: 0.3, gain_discount: 0.5, gain_window: 2';
    const { rewards } = await paid(options, group, ({ length }) => chances[length]);
    expectRewards(rewards[0], [0, 0.4 * 0.25, 0.4 * 0.5, 0.4, 0, 0]);
  });

  it('cuts behind the mark where a step is long enough, and into so many steps at most', async () => {
    const cuts = async (options: string) =>
      (await paid(options, [group[0], group[0]], () => 5)).asked.map(({ prefixes }) => prefixes?.[0].length);
    expect(await cuts(', step_mark: "3", step_tokens: 1, most_steps: 8')).toEqual([3, 3]);
    expect(await cuts(', step_mark: "1", step_tokens: 2')).toEqual([2, 2]);
    expect(await cuts(', step_tokens: 1, most_steps: 2')).toEqual([3, 3]);
  });

  it('is plain sampling to the bit without sub-rollouts', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: none } = await wholeAndKilled(line(', sub_rollouts: 0'));
    expect(none).toEqual(plain);
  });

  it('credits each token with what is paid from it on, and counts what sub-rollouts have sampled', async () => {
    const options = ', sub_rollouts: 3, step_tokens: 1, most_steps: 8, significant_gain: 0, step_weight: 2';
    await withTossedRun(line(options), async (run) => {
      const { groups } = await collect(run);
      const credited = await credit(run, groups);
      let tokens = 0;
      groups.forEach(({ rollouts }, g) => {
        rollouts.forEach(({ tokenRewards = [] }, i) => {
          tokens += tokenRewards.length;
          const { advantages, tokenAdvantages } = credited[g];
          let due = 0;
          for (let t = tokenRewards.length - 1; t >= 0; t--) {
            due += tokenRewards[t];
            expect(tokenAdvantages?.[i][t]).toBeCloseTo(advantages[i] + due, 5);
          }
        });
      });
      expect(credited.flatMap(({ rollouts }) => rollouts).some((rollout) => 'tokenRewards' in rollout)).toBe(false);
      expect(run.journal.state.tokens).toBeGreaterThan(2 * tokens);
    });
    await withTossedRun(line(options), async (run) => {
      const { metrics, batches } = await goOn(run, 1);
      const own = batches.flatMap(({ groups }) => groups.flatMap(({ rollouts }) => rollouts));
      const trained = own.reduce((sum, { tokens }) => sum + tokens.length, 0);
      expect(metrics[0].num_tokens).toBe(trained + Number(metrics[0]['vsrm/tokens']));
    });
  });

  it.each(['', '\nnum_iterations: 2\ndynamic_sampling: refill'])(
    'gives the same weights and metrics after a kill%s',
    async (more) => {
      const { whole, killed } = await wholeAndKilled(line(', step_tokens: 1') + more);
      expect(killed).toEqual(whole);
    },
  );
});
