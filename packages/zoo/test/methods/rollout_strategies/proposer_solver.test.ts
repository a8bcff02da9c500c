/** What is proposed, who solves it, and what a proposal is paid. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const itemOf = (task: string) => ({ ...groupOf([]).item, task });

/** Two kinds of problems; of `easy` all completions are right, of `hard` none. The policy proposes what is `said`. */
async function proposed(said: readonly string[], options = '') {
  const stage = stageOf(`rollout_strategies: [{name: proposer-solver${options}}]`, 'num_generations: 2');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  let drawn = 0;
  const tools = rolloutTools(stage, {
    metric: metricsInto(logged),
    draw: async (count) =>
      Array.from({ length: count }, () => ({ item: itemOf(drawn++ % 2 === 0 ? 'easy' : 'hard'), samples: 2 })),
    regroup: (group, rollouts) => ({ ...group, rollouts }),
  });
  const requests: GroupRequest[] = [];
  const next = async (own: readonly GroupRequest[]) => {
    requests.push(...own);
    return own.map(({ item, kind, judge }) => {
      if (kind === undefined) {
        const score = item.task === 'easy' ? 1 : 0;
        return { ...groupOf([rolloutOf(1, score), rolloutOf(1, score)]), item };
      }
      const rollouts = said.map((text) => ({
        ...rolloutOf(1, 0),
        text,
        verdict: judge?.(text) ?? rolloutOf(1, 0).verdict,
      }));
      return { ...groupOf(rollouts), item, kind };
    });
  };
  const groups = await part.rollOut(
    [
      { item: itemOf('easy'), samples: 2 },
      { item: itemOf('hard'), samples: 2 },
    ],
    next,
    tools,
  );
  return { groups, logged, requests, paid: groups[2].rollouts.map(({ reward }) => reward) };
}

describe('proposer-solver', () => {
  it('solves what is proposed, each in a group of its own', async () => {
    const { groups, logged } = await proposed(['<kind1>', '<kind0>']);
    expect(groups.map(({ kind = 'solve' }) => kind)).toEqual(['solve', 'solve', 'propose', 'solve', 'solve']);
    expect(groups.slice(3).map(({ item }) => item.task)).toEqual(['hard', 'easy']);
    expect(logged).toMatchObject({ valid: 1, 'proposed/easy': 0.5, 'proposed/hard': 0.5 });
  });

  it('pays 1 − p̂, or what is near to half solved, or within the band; nothing for no kind', async () => {
    expect((await proposed(['<kind0>', '<kind1>'], ', paid: hard')).paid).toEqual([0, 1]);
    const [easy, hard] = (await proposed(['<kind0>', '<kind1>'], ', paid: half, width: 0.25')).paid;
    expect(easy).toBeCloseTo(Math.exp(-2), 12);
    expect(hard).toBeCloseTo(Math.exp(-2), 12);
    expect((await proposed(['<kind0>', '<kind1>'], ', paid: band')).paid).toEqual([0, 0]);
    const { paid, groups } = await proposed(['<kind7>', 'maybe'], ', paid: hard');
    expect([paid, groups.length]).toEqual([[0, 0], 3]);
  });

  it('has groups of its own kind beside those that solve, and the same weights after a kill', async () => {
    const line = 'rollout_strategies: [{name: proposer-solver}]';
    await withTossedRun(line, async (run) => {
      const { batches } = await goOn(run);
      const [{ groups }] = batches;
      expect(groups.filter(({ kind }) => kind === 'propose')).toHaveLength(1);
      expect(groups.length).toBeGreaterThanOrEqual(5);
    });
    const { whole, killed } = await wholeAndKilled(line);
    expect(killed).toEqual(whole);
  });
});
