/** Which completions are kept of those that were sampled, by each rule, and what that costs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { Rollout, RolloutGroup } from '../../../../../src/methods/records.ts';
import { hasEqualRewards } from '../../../../../src/methods/support/credit/baseline.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

const KEPT = 4;

/** What is kept of a group with these rewards, of which 1 is right, and what was asked for. */
async function kept(rule: string, rewards: readonly (number | null)[], seed = 'a', lengths: readonly number[] = []) {
  const stage = stageOf(
    `num_generations: ${KEPT}`,
    'generation_batch_size: 8',
    `rollout_strategies: [{name: oversample-select, oversampling: 2, kept_by: ${rule}}]`,
  );
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const rollouts = rewards.map((reward, i) => ({ ...rolloutOf(lengths[i] ?? 1, reward), text: String(i) }));
  const asked: GroupRequest[] = [];
  const tools = rolloutTools(stage, {
    rng: rngFor(seed),
    regroup: (group, members) => ({ ...group, rollouts: members, dead: hasEqualRewards({ rollouts: members }) }),
  });
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    asked.push(...requests);
    return [groupOf(rollouts)];
  };
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: KEPT }], next, tools);
  return { asked, group, texts: group.rollouts.map(({ text }) => text).join('') };
}

const variance = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
};

function subsets<T>(values: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return values.flatMap((value, i) => subsets(values.slice(i + 1), size - 1).map((rest) => [value, ...rest]));
}

describe('oversample-select', () => {
  it('asks for more completions than are trained on, and keeps a group of them in their order', async () => {
    const { asked, texts } = await kept('variance', [0, 0.5, 1, 0.5, 0, 0.5, 1, 0.5]);
    expect(asked.map(({ samples }) => samples)).toEqual([8]);
    expect(texts).toBe('0246');
  });

  it('finds the subset of greatest variance, of all that there are', async () => {
    const tenths = fc.array(
      fc.integer({ min: -9, max: 9 }).map((x) => x / 8),
      { minLength: 5, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(tenths, async (rewards) => {
        const { group } = await kept('variance', rewards);
        const found = variance(group.rollouts.map(({ reward }) => Number(reward)));
        const most = Math.max(...subsets(rewards, KEPT).map(variance));
        expect(found).toBeCloseTo(most, 10);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps half of them right, as far as there are', async () => {
    const rights = async (right: number): Promise<number> => {
      const rewards = Array.from({ length: 8 }, (_, i) => (i < right ? 1 : 0));
      const { group } = await kept('balanced', rewards);
      return group.rollouts.filter(({ verdict }) => verdict.score === 1).length;
    };
    expect(await Promise.all([0, 1, 2, 5, 6, 7, 8].map(rights))).toEqual([0, 1, 2, 2, 2, 3, 4]);
  });

  it('keeps the shortest, or those of most reward a token', async () => {
    const [rewards, lengths] = [
      [1, 0, 1, 0, null, 1, 0.5, 0],
      [9, 1, 3, 4, 2, 8, 2, 5],
    ];
    expect((await kept('shortest', rewards, 'a', lengths)).texts).toBe('1246');
    expect((await kept('efficient', rewards, 'a', lengths)).texts).toBe('0256');
  });

  it('by chance keeps each as often as any other', async () => {
    const counts = new Array<number>(8).fill(0);
    for (let i = 0; i < 400; i++) {
      for (const place of (await kept('random', [0, 1, 0, 1, 0, 1, 0, 1], `draw ${i}`)).texts) counts[Number(place)]++;
    }
    for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(60);
  });

  it('keeps a completion without a reward only where there is no other', async () => {
    expect((await kept('variance', [null, 0.2, null, 0.4, 1, 0])).texts).toBe('1345');
    expect((await kept('variance', [null, 0.2, null, 0.4, 1])).texts).toBe('0134');
  });

  it('calls a group dead by what is left of it', async () => {
    expect((await kept('balanced', [1, 1, 1, 1, 1, 1, 1, 1])).group.dead).toBe(true);
    expect((await kept('variance', [1, 1, 1, 1, 1, 1, 1, 0])).group.dead).toBe(false);
  });

  it('asks more completions of each beginning and temperature, and keeps as many as were asked for', async () => {
    const given: GroupRequest[] = [];
    const stage = stageOf('rollout_strategies: [oversample-select]');
    const [{ part }] = createMethods(stage).rolloutStrategies;
    const prefixes = [Int32Array.of(1), Int32Array.of(2)];
    const [group] = await part.rollOut(
      [{ item: groupOf([]).item, samples: 2, prefixes, temperatures: [1, 2] }],
      async (requests) => {
        given.push(...requests);
        return requests.map(({ samples }) => groupOf(Array.from({ length: samples }, (_, i) => rolloutOf(1, i % 2))));
      },
      rolloutTools(stage),
    );
    const [one, two] = prefixes;
    expect(given).toMatchObject([{ samples: 4, prefixes: [one, two, one, two], temperatures: [1, 2, 1, 2] }]);
    expect(group.rollouts).toHaveLength(2);
  });

  it.each(['hint-resample', 'prefix-branch, branches: 1', 'temperature-mix', 'success-replay'])(
    'stands before and behind %s in a chain',
    async (other) => {
      for (const chain of [`[oversample-select, {name: ${other}}]`, `[{name: ${other}}, oversample-select]`]) {
        await withTossedRun(`rollout_strategies: ${chain}`, async (run) => {
          const { batches, metrics } = await goOn(run);
          const sizes = batches.flatMap(({ groups }) => groups.map(({ rollouts }) => rollouts.length));
          expect(new Set(sizes)).toEqual(new Set([4]));
          expect(metrics).toHaveLength(4);
        });
      }
    },
  );

  const LINES = 'rollout_strategies: [{name: oversample-select, oversampling: 3}]\ndynamic_sampling: refill';

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(LINES);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });

  it('counts every token that was sampled, and trains on a group of each problem', async () => {
    await withTossedRun(LINES, async (run) => {
      const { batches } = await goOn(run, 1);
      const groups = batches.flatMap((batch) => batch.groups);
      const trained: readonly Rollout[] = groups.flatMap(({ rollouts }) => rollouts);
      expect(groups.every(({ rollouts }) => rollouts.length === 4)).toBe(true);
      expect(run.journal.state.rolloutsDrawn).toBe(3 * trained.length);
      const tokens = trained.reduce((sum, rollout) => sum + rollout.tokens.length, 0);
      expect(run.journal.state.tokens).toBeGreaterThan(2 * tokens);
    });
  });
});
