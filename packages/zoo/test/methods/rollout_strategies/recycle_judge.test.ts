/** Pairs of answers that the policy compares: both orders of each, paid by what the verifier said of them. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const LINE = 'rollout_strategies: [{name: recycle-judge, judge_share: 1}]';

/** What is asked about groups of these rewards. */
async function asked(rewards: readonly (readonly number[])[]) {
  const stage = stageOf(LINE);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const requests: GroupRequest[] = [];
  const groups = rewards.map((own) =>
    groupOf(own.map((reward) => ({ ...rolloutOf(2, reward), tokens: Int32Array.of(reward === 1 ? 7 : 8, 1) }))),
  );
  const next = async (own: readonly GroupRequest[]) => {
    if (own[0].kind === undefined) return groups;
    requests.push(...own);
    return own.map(({ judge }) => {
      const verdict = judge?.('<first>') ?? { score: null, status: 'invalid', reason: '' };
      return { ...groupOf([{ ...rolloutOf(1, verdict.score), text: '<first>', verdict }]), kind: 'judge' };
    });
  };
  const logged: Record<string, number> = {};
  const metric = metricsInto(logged);
  await part.rollOut(
    groups.map(({ item }) => ({ item, samples: 2 })),
    next,
    rolloutTools(stage, { metric }),
  );
  return { requests, logged };
}

describe('recycle-judge', () => {
  it('asks each pair of a right and a wrong answer in both orders', async () => {
    const { requests, logged } = await asked([
      [1, 0],
      [0, 0],
      [1, 1],
      [0, 1],
    ]);
    expect(requests.map(({ prompt }) => [...(prompt ?? [])].filter((token) => token > 1))).toEqual([
      [7, 8],
      [8, 7],
      [7, 8],
      [8, 7],
    ]);
    expect(requests.map(({ judge }) => judge?.('<first>').score)).toEqual([1, 0, 1, 0]);
    expect(requests.map(({ judge }) => judge?.('<second>').score)).toEqual([0, 1, 0, 1]);
    expect(logged).toEqual({ pairs: 2, accuracy: 0.5, says_first: 1, says_second: 0 });
  });

  it('asks nothing where answers do not differ', async () => {
    expect(
      await asked([
        [0, 0],
        [1, 1],
      ]),
    ).toEqual({ requests: [], logged: { pairs: 0 } });
  });

  it('trains on-policy to the bit, and gives the same after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(LINE);
    expect(killed).toEqual(whole);
    await withTossedRun(LINE, async (run) => {
      const { metrics, batches } = await goOn(run);
      expect(batches.flatMap(({ groups }) => groups.filter(({ kind }) => kind === 'judge')).length).toBeGreaterThan(4);
      for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
    });
  });
});
