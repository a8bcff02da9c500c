/** Helpful, sneaky, verifier: what each is paid. */
import { expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

/** One group of a right and a wrong answer for each prover, where every verdict is `said`. */
async function rolled(said: string) {
  const stage = stageOf('rollout_strategies: [{name: prover-verifier, sneaky_share: 1}]');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, { metric: metricsInto(logged) });
  const next = async (own: readonly GroupRequest[]) =>
    own.map(({ samples, judge, kind }) => {
      if (judge === undefined) return { ...groupOf([rolloutOf(3, 1), rolloutOf(3, 0)]), ...(kind && { kind }) };
      const one = { ...rolloutOf(1, 0), text: said, verdict: judge(said), reward: judge(said).score };
      return { ...groupOf(Array.from({ length: samples }, () => one)), ...(kind && { kind }) };
    });
  const groups = await part.rollOut([{ item: groupOf([]).item, samples: 2 }], next, tools);
  return { groups: groups.map(({ kind = 'solve', rollouts }) => [kind, rollouts.map(({ reward }) => reward)]), logged };
}

it('a verifier that accepts all pays the helpful one for what is right, and the sneaky one for what is wrong', async () => {
  const { groups, logged } = await rolled('<yes>');
  expect(groups.slice(0, 2)).toEqual([
    ['solve', [1.5, 0]],
    ['sneaky', [0, 1]],
  ]);
  expect(groups[2][0]).toBe('verify');
  expect(logged).toMatchObject({ sneaky_wrong: 0.5 });
});

it('a verifier that accepts nothing pays the helpful one its own reward, and the sneaky one nothing', async () => {
  const { groups } = await rolled('<no>');
  expect(groups.slice(0, 2)).toEqual([
    ['solve', [1, 0]],
    ['sneaky', [0, 0]],
  ]);
});

const LINE = 'rollout_strategies: [{name: prover-verifier, sneaky_share: 0.5}]';

it('samples and scores the same bits in all roles, and a kill changes none', async () => {
  await withTossedRun(LINE, async (run) => {
    const { metrics, batches } = await goOn(run);
    for (const { groups } of batches) {
      expect(groups.map(({ kind = 'solve' }) => kind)).toEqual([
        ...Array(4).fill('solve'),
        ...Array(2).fill('sneaky'),
        ...Array(2).fill('verify'),
      ]);
    }
    for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
  });
  const { whole, killed } = await wholeAndKilled(LINE);
  expect(killed).toEqual(whole);
});
