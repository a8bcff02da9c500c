/** Which completions are judged by the exact verifier, and what that changes. */
import { expect, it } from 'vitest';
import { createMethods } from '../../../../../test/support/everything.ts';
import { wholeAndKilled } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, stepContext } from '../../../../../test/support/steps.ts';

const line = (share: number): string => `group_steps: [{name: active-audit, audit_share: ${share}}]`;

/** @param right  [groups][completions] */
function audited(rewards: readonly (readonly number[])[], right: readonly (readonly number[])[], share: number) {
  const stage = stageOf(line(share));
  const [{ part }] = createMethods(stage).groupSteps;
  const logged: Record<string, number> = {};
  const groups = rewards.map((own, i) =>
    groupOf(
      own.map((reward, k) => ({
        ...rolloutOf(2, reward),
        verdict: { score: right[i][k], status: 'incorrect' as const, reason: '' },
      })),
    ),
  );
  const after = part.apply(groups, { ...stepContext(stage), metric: metricsInto(logged) });
  return { rewards: after.map(({ rollouts }) => rollouts.map(({ reward }) => reward)), logged };
}

it('judges what is nearest to one half, in the most divided group, and leaves the rest', () => {
  const { rewards, logged } = audited(
    [
      [0.9, 0.45, 0.1],
      [1, 0.5, 1],
    ],
    [
      [0, 1, 1],
      [0, 0, 0],
    ],
    2 / 6,
  );
  expect(rewards).toEqual([
    [0.9, 1, 0.1],
    [1, 0, 1],
  ]);
  expect(logged.audited).toBe(2);
  expect(logged.overturned).toBeCloseTo((0.55 + 0.5) / 2, 12);
});

it('with a share of 1 is the exact verifier, with 0 nothing, to the bit', async () => {
  expect(audited([[0.2, 0.7]], [[1, 0]], 1).rewards).toEqual([[1, 0]]);
  expect(audited([[0.2, 0.7]], [[1, 0]], 0).rewards).toEqual([[0.2, 0.7]]);
  const { whole, killed } = await wholeAndKilled(line(0.25));
  expect(killed).toEqual(whole);
  expect((await wholeAndKilled(line(0))).whole.sha256).toBe((await wholeAndKilled('')).whole.sha256);
});
