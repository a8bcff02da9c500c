/** Who of a group is punished how much, for how likely it was. */
import { expect, it } from 'vitest';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { groupOf, groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { rankPenalty } from '../../../methods/group_steps/rank_penalty.ts';

const stage = stageOf();

/** Rewards after the step of completions with these scores and log-probs of their one token. */
function rewardsOf(members: readonly (readonly [score: number, logprob: number])[], rankWeight = 1): (number | null)[] {
  const plain = groupOfRewards(
    members.map(() => 1),
    members.map(([score]) => score),
  );
  const rollouts = plain.rollouts.map((rollout, i): Rollout => {
    const [score, logprob] = members[i];
    const verdict = { ...rollout.verdict, score, status: score === 1 ? 'correct' : 'incorrect' } as const;
    return { ...rollout, verdict, logprobs: Float32Array.of(logprob) };
  });
  const [{ rollouts: after }] = rankPenalty
    .create({ rankWeight } as never, stage)
    .apply([{ ...groupOf(rollouts), rollouts }], stepContext(stage));
  return after.map(({ reward }) => reward);
}

it('takes most from the likeliest wrong one, and rank_weight from all of them together', () => {
  const rewards = rewardsOf([
    [0, -1],
    [1, -2],
    [0, -3],
    [0, -4],
  ]) as number[];
  const shares = [1 / Math.log(2), 1 / Math.log(4), 1 / Math.log(5)];
  const sum = shares[0] + shares[1] + shares[2];
  expect(rewards[1]).toBe(1);
  [0, 2, 3].forEach((member, k) => {
    expect(rewards[member]).toBeCloseTo(-shares[k] / sum, 12);
  });
  expect(rewards[0] + rewards[2] + rewards[3]).toBeCloseTo(-1, 12);
});

it('leaves a group alone that is all right or all wrong, and all of them at a weight of 0', () => {
  expect(rewardsOf([[0, -1], [0, -2]])).toEqual([0, 0]); // biome-ignore format: pairs
  expect(rewardsOf([[1, -1], [1, -2]])).toEqual([1, 1]); // biome-ignore format: pairs
  expect(rewardsOf([[1, -1], [0, -2]], 0)).toEqual([1, 0]); // biome-ignore format: pairs
});
