/** Labels of answers by the policy's own verdicts. */
import { expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

/** A group of two wrong answers with four verdicts each. @param yes  how many verdicts on each answer say yes */
async function rolled(yes: readonly [number, number]) {
  const stage = stageOf('rollout_strategies: [{name: self-principle, judge_share: 1}]');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, { metric: metricsInto(logged) });
  const judges: GroupRequest[] = [];
  const next = async (own: readonly GroupRequest[]) =>
    own.map((request, i) => {
      const { samples, judge, kind } = request;
      if (judge === undefined) return groupOf([rolloutOf(3, 0), rolloutOf(3, 0)]);
      if (samples > 1) judges.push(request);
      const said = i % 4 < (yes[Math.floor(i / 4)] ?? 0) ? '<yes>' : '<no>';
      const one = { ...rolloutOf(1, 0), text: said, verdict: judge(said), reward: judge(said).score };
      return { ...groupOf(Array.from({ length: samples }, () => one)), ...(kind && { kind }) };
    });
  const groups = await part.rollOut([{ item: groupOf([]).item, samples: 2 }], next, tools);
  return { groups, logged, judges };
}

it('an answer is worth the share of verdicts that call it right, whatever the rule says', async () => {
  const { groups, logged } = await rolled([3, 0]);
  expect(groups[0].rollouts.map(({ reward }) => reward)).toEqual([0.75, 0]);
  expect(logged).toEqual({ label: 0.375, label_accuracy: 0.5, accuracy: 0 });
});

it('a verdict is paid where it is that of the majority', async () => {
  for (const [yes, due] of [
    [4, '<yes>'],
    [1, '<no>'],
  ] as const) {
    const { judges } = await rolled([yes, yes]);
    expect(judges).toHaveLength(1);
    for (const word of ['<yes>', '<no>']) expect(judges[0].judge?.(word).score).toBe(Number(word === due));
  }
});

const LINE = 'rollout_strategies: [{name: self-principle, verdicts: 3, judge_share: 0.5, reward: accuracy}]';
/** A policy of random weights hardly ever says yes. */
const small = { overrides: ['reward_funcs=[lcs, accuracy]'] };

it('samples and scores the same bits, and a kill changes none', async () => {
  const seen = await withTossedRun(LINE, goOn, small);
  expect(seen.metrics).toHaveLength(4);
  for (const step of seen.metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
  const { whole, killed } = await wholeAndKilled(LINE, small);
  expect(killed).toEqual(whole);
});
