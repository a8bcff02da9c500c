/** Which voted groups learn, by how their shares move beside those of labelled problems. */
import { expect, it } from 'vitest';
import type { GroupStep } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, stepContext } from '../../../../../test/support/steps.ts';
import { cosine, hashShare } from '../../../methods/group_steps/trajectory_select.ts';

const stage = stageOf('group_steps: [{name: trajectory-select, labelled: 0.5, visits: 3, top: 0, likeness: 0.5}]');
const made = (): GroupStep => createMethods(stage).groupSteps[0].part;
const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
const [label] = names.filter((name) => hashShare(name) < 0.5);
const [like, unlike] = names.filter((name) => hashShare(name) >= 0.5);

/** Four completions, of which a share says `a`; the verifier wants it of the labelled problem, and of none else. */
function group(key: string, share: number): RolloutGroup {
  const rollouts = [0, 1, 2, 3].map((i) => {
    const [says, isRight] = [i < 4 * share ? 'a' : `${i}`, key === label && i < 4 * share];
    const given = { rewardParts: [isRight ? 1 : 0], reward: isRight ? 1 : 0 };
    const verdict = {
      score: isRight ? 1 : 0,
      status: isRight ? ('correct' as const) : ('incorrect' as const),
      reason: '',
    };
    return { ...rolloutOf(1, 0.5), text: says, verdict, given }; // 0.5: what a vote paid
  });
  return { ...groupOf(rollouts), item: { ...groupOf([]).item, key } };
}

it('is the cosine of what is left of two courses without their means', () => {
  expect(cosine([0, 0.5, 1], [0.2, 0.3, 0.4])).toBeCloseTo(1, 12);
  expect(cosine([0, 1], [1, 0])).toBeCloseTo(-1, 12);
  expect(cosine([9, 0, 1, 0], [0, 1, 1])).toBeCloseTo(1 / 2, 12); // (−1, 2, −1)/3 and (−2, 1, 1)/3
  expect(cosine([0.5, 0.5], [0, 1])).toBe(0);
});

it('keeps votes that move as labels do, once they were seen often enough, and gives labelled problems their own reward', () => {
  let step = made();
  const logged: Record<string, number> = {};
  const rounds = [0.25, 0.5, 0.75].map((rising, round) => {
    const groups = [group(label, rising), group(like, rising), group(unlike, 1 - rising / 2)];
    const after = step.apply(groups, { ...stepContext(stage), metric: metricsInto(logged) });
    const resumed = made();
    resumed.restore?.(JSON.parse(JSON.stringify(step.state?.())));
    if (round < 2) step = resumed;
    return after;
  });
  expect(rounds.map((after) => after.map(({ dead }) => dead))).toEqual([
    [false, true, true],
    [false, true, true],
    [false, false, true],
  ]);
  expect(rounds[2][0].rollouts.map(({ reward }) => reward)).toEqual([1, 1, 1, 0]);
  expect(rounds[2][1].rollouts.map(({ reward }) => reward)).toEqual([0.5, 0.5, 0.5, 0.5]);
  expect(logged.kept).toBe(0.5);
});
