/** One success with the smallest hint in the place of a member of groups that have none, and hints that fall off within a group. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const small = { verify: tossed(11) };
const line = (options: string): string => `rollout_strategies: [{name: minimal-hint-replace${options}}]`;

/** What becomes of three problems, of which the first is solved, the second by two tokens of a hint, the third never. */
async function replaced(options = '') {
  const stage = stageOf(line(options));
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const items = [0, 2, 99].map((needed) => ({ ...groupOf([]).item, key: String(needed) }));
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, {
    metric: metricsInto(logged),
    solution: () => Int32Array.of(5, 6, 7, 8),
  });
  const calls: (readonly GroupRequest[])[] = [];
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    calls.push(requests);
    return requests.map(({ item, samples, prompt, prefixes, origin }) => {
      const given = prompt ? prompt.length - 1 : (prefixes?.[0]?.length ?? 0);
      const rollouts = Array.from({ length: samples }, (_, i) => ({
        ...rolloutOf(2, given >= Number(item.key) && i === samples - 1 ? 1 : 0),
        text: String(given),
        ...(origin && { origin }),
        ...(prompt && { prompt }),
      }));
      return { ...groupOf(rollouts), item };
    });
  };
  const groups = await part.rollOut(
    items.map((item) => ({ item, samples: 3 })),
    next,
    tools,
  );
  return { calls, logged, groups };
}

describe('minimal-hint-replace', () => {
  it('asks every level at once, and replaces the last member by the success of the least', async () => {
    const { calls, logged, groups } = await replaced();
    expect(calls).toHaveLength(2);
    expect(calls[1].map(({ item, samples, prefixes }) => [item.key, samples, prefixes?.[0].length])).toEqual([
      ['2', 2, 1],
      ['2', 2, 2],
      ['2', 2, 3],
      ['99', 2, 1],
      ['99', 2, 2],
      ['99', 2, 3],
    ]);
    expect(groups.map(({ rollouts }) => rollouts.map(({ text }) => text).join(''))).toEqual(['000', '002', '000']);
    expect(groups[1].rollouts.map(({ origin }) => origin)).toEqual([undefined, undefined, 'hinted']);
    expect(logged).toEqual({ rate: 2 / 3, replaced_at_1: 0, replaced_at_2: 0.5, replaced_at_3: 0 });
  });

  it('trains the replacement under its own prompt, or as if there had been no hint', async () => {
    const { groups: hinted } = await replaced(', hint_in: prompt');
    expect(hinted[1].rollouts[2].prompt).toHaveLength(3);
    expect(hinted[1].rollouts[2].isOffPolicy).toBeUndefined();
    const { groups: bare } = await replaced(', hint_in: prompt, trained: unhinted');
    expect(bare[1].rollouts[2]).toMatchObject({ isOffPolicy: true });
    expect(bare[1].rollouts[2].prompt).toBeUndefined();
    expect(bare[1].rollouts[2].sampledUnder).toHaveLength(3);
  });

  it('is on-policy to the bit as sampled, and mixes prompts within a group', async () => {
    await withTossedRun(
      line(', hint_in: prompt'),
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const mixed = batches.flatMap(({ groups }) =>
          groups.filter(({ rollouts }) => new Set(rollouts.map(({ prompt }) => prompt !== undefined)).size === 2),
        );
        expect(mixed.length).toBeGreaterThan(0);
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      },
      small,
    );
  });

  it.each([', hint_in: prompt'])('gives the same weights and metrics after a kill%s', async (options) => {
    const { whole, killed } = await wholeAndKilled(`${line(options)}\nnum_iterations: 2`, small);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

describe('scaffold-decay', () => {
  const decaying = (options: string): string => `rollout_strategies: [{name: scaffold-decay${options}}]`;

  it('gives the first member the most, the last nothing, and half of it at half_at', async () => {
    const at = async (progress: number): Promise<number[]> => {
      const stage = stageOf(decaying(''));
      const [{ part }] = createMethods(stage).rolloutStrategies;
      const asked: GroupRequest[] = [];
      const next = async (requests: readonly GroupRequest[]) => {
        asked.push(...requests);
        return [];
      };
      const tools = rolloutTools(stage, { progress, solution: () => new Int32Array(40) });
      await part.rollOut([{ item: groupOf([]).item, samples: 5 }], next, tools);
      return asked[0].prefixes?.map(({ length }) => length) ?? [];
    };
    expect(await at(0)).toEqual([39, 29, 19, 9, 0]); // 1/(1 + exp(−25)) of 40, 30, 20, 10, 0, rounded down
    expect(await at(0.2)).toEqual([20, 15, 10, 5, 0]);
    expect(await at(1)).toEqual([]);
  });

  it('is on-policy to the bit behind what it gives', async () => {
    await withTossedRun(
      decaying(', half_at: 0.9'),
      async (run) => {
        const { metrics, batches } = await goOn(run, 2);
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
        const [{ rollouts }] = batches[0].groups;
        expect(rollouts.map(({ labels }) => labels?.filter((label) => label === 1).length ?? 0)).not.toEqual([
          0, 0, 0, 0,
        ]);
        expect(rollouts.at(-1)?.labels).toBeUndefined();
      },
      small,
    );
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(decaying(', half_at: 0.5, decay: 4'), small);
    expect(killed).toEqual(whole);
  });
});
