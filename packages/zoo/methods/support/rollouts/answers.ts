/** The answers of a batch that further requests are about. */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import { isRight, type Rollout, type RolloutGroup } from '../../kit.ts';

/** A sampled answer, with its group. */
export interface SampledAnswer {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
}

/** Its tokens without the end. */
export function answerTokens({ tokens, finishReason }: Rollout): Int32Array {
  return finishReason === 'eos' ? tokens.subarray(0, -1) : tokens;
}

/** The one of the highest reward; of several, the first. */
export function bestOf({ rollouts }: RolloutGroup): Rollout {
  const rewardOf = ({ reward }: Rollout): number => reward ?? Number.NEGATIVE_INFINITY;
  return rollouts.reduce((best, one) => (rewardOf(one) > rewardOf(best) ? one : best));
}

/** `count` answers of a batch, right and wrong ones alike as far as there are; which of them is left to chance. */
export function balancedAnswers(groups: readonly RolloutGroup[], count: number, rng: Rng): SampledAnswer[] {
  const all = rng.shuffle(groups.flatMap((group) => group.rollouts.map((rollout) => ({ group, rollout }))));
  const right = all.filter(({ rollout }) => isRight(rollout));
  const wrong = all.filter(({ rollout }) => !isRight(rollout));
  const ofRight = Math.min(right.length, Math.max(Math.ceil(count / 2), count - wrong.length));
  return [...right.slice(0, ofRight), ...wrong.slice(0, count - ofRight)];
}

/** A pair of answers to the same problem. */
export interface AnswerPair {
  readonly group: RolloutGroup;
  readonly right: Rollout;
  readonly wrong: Rollout;
}

/** `count` pairs of a right and a wrong answer, of different problems as far as there are; any of them. */
export function answerPairs(groups: readonly RolloutGroup[], count: number, rng: Rng): AnswerPair[] {
  const pairs = groups.flatMap((group): AnswerPair[] => {
    const rollouts = rng.shuffle([...group.rollouts]);
    const right = rollouts.find(isRight);
    const wrong = rollouts.find((one) => !isRight(one));
    return right === undefined || wrong === undefined ? [] : [{ group, right, wrong }];
  });
  return rng.shuffle(pairs).slice(0, count);
}
