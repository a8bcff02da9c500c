/** Group-relative advantages, arXiv:2402.03300 §4.1. Formulas and shapes: ../kernels.ts (groupAdvantages). */
import * as tf from '@tensorflow/tfjs';
import type { ScaleRewards } from '../../../src/kernels/kernels.ts';
import { NO_ROW, placeRows } from './take_rows.ts';
import type { WaitingKernel } from './tfjs_kernel.ts';

/** Added to the standard deviation, as TRL does. */
const STD_EPSILON = 1e-4;

/** Beyond every reward, and finite. */
const FAR = 3e38;

/**
 * (reward − group mean) / (std + 1e-4), or without a division where scale is 'none'; dead groups exactly 0.
 * @param rewards [C] finite, group by group
 * @param sizes   members of each group; their sum is C
 * @returns advantages [C], and dead [groups], float32: 1 where max === min
 */
export function advantagesOf(
  rewards: tf.Tensor,
  sizes: readonly number[],
  scale: ScaleRewards,
): { advantages: tf.Tensor; dead: tf.Tensor } {
  const { memberAt, placeOf, width } = padGroups(sizes);
  const byGroup = [sizes.length, width];
  const values = tf.reshape(placeRows(rewards, memberAt, placeOf), byGroup);
  const isMember = tf.tensor(
    Float32Array.from(memberAt, (member) => (member === NO_ROW ? 0 : 1)),
    byGroup,
  );
  const count = tf.tensor2d([...sizes], [sizes.length, 1]);
  const centred = tf.mul(tf.sub(values, tf.div(tf.sum(values, 1, true), count)), isMember);
  const beyond = tf.mul(tf.sub(1, isMember), FAR);
  const dead = tf.equal(tf.max(tf.sub(values, beyond), 1, true), tf.min(tf.add(values, beyond), 1, true));
  const scaled = tf.div(centred, divisorOf(scale, rewards, centred, count));
  const credited = tf.where(tf.tile(dead, [1, width]), tf.zerosLike(scaled), scaled);
  return {
    advantages: placeRows(tf.reshape(credited, [-1]), placeOf, memberAt),
    dead: tf.reshape(tf.cast(dead, 'float32'), [-1]),
  };
}

/** Standard deviations with n − 1, of groups [groups, 1] or of the batch, + 1e-4; 1 where nothing is scaled. */
function divisorOf(scale: ScaleRewards, rewards: tf.Tensor, centred: tf.Tensor, count: tf.Tensor): tf.Tensor {
  if (scale === 'none') return tf.scalar(1);
  // A group of one is dead and divides by nothing; 1 keeps it finite.
  const deviation = (squares: tf.Tensor, size: tf.Tensor): tf.Tensor =>
    tf.add(tf.sqrt(tf.div(squares, tf.maximum(tf.sub(size, 1), 1))), STD_EPSILON);
  if (scale === 'group') return deviation(tf.sum(tf.square(centred), 1, true), count);
  return deviation(tf.sum(tf.square(tf.sub(rewards, tf.mean(rewards)))), tf.scalar(rewards.size));
}

/** Groups as rows of one width: which member each place holds, or NO_ROW, and the place of each member. */
function padGroups(sizes: readonly number[]): { memberAt: Int32Array; placeOf: Int32Array; width: number } {
  const width = Math.max(...sizes);
  const memberAt = new Int32Array(sizes.length * width).fill(NO_ROW);
  const placeOf = new Int32Array(sizes.reduce((sum, size) => sum + size, 0));
  let member = 0;
  sizes.forEach((size, group) => {
    for (let i = 0; i < size; i++, member++) {
      memberAt[group * width + i] = member;
      placeOf[member] = group * width + i;
    }
  });
  return { memberAt, placeOf, width };
}

export const groupAdvantages: WaitingKernel<'groupAdvantages'> = {
  async waits(args) {
    const { rewards, offsets, groups, scale, advantages, dead } = args;
    if (groups === 0) return;
    const bounds = offsets.ints;
    const sizes = Array.from({ length: groups }, (_, g) => bounds[g + 1] - bounds[g]);
    const members = { begin: bounds[0], end: bounds[groups] };
    const flags = tf.tidy(() => {
      const credited = advantagesOf(rewards.tensor(members), sizes, scale);
      advantages.set(credited.advantages, members);
      return credited.dead;
    });
    dead.ints.set(await flags.data());
    flags.dispose();
  },
};
