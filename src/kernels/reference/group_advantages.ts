/** Group-relative advantages, arXiv:2402.03300 §4.1. Formulas and shapes: kernels.ts (groupAdvantages). */
import type { Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, real } from './shapes.ts';

/** Added to the standard deviation, as TRL does. */
const STD_EPSILON = 1e-4;

/** (reward − group mean) / (std + 1e-4), or without a division where scale is 'none'; dead groups exactly 0. */
export const groupAdvantages: ReferenceKernel<'groupAdvantages'> = {
  rules: () => ({
    rewards: real('C'),
    offsets: int('groups+1'),
    groups: 'groups',
    advantages: real('C'),
    dead: int('groups'),
  }),
  run(args) {
    const { rewards, offsets, groups, scale, advantages, dead } = args;
    const batchStd = standardDeviation(rewards.subarray(offsets[0], offsets[groups]));
    for (let group = 0; group < groups; group++) {
      const members = rewards.subarray(offsets[group], offsets[group + 1]);
      dead[group] = members.every((reward) => reward === members[0]) ? 1 : 0;
      const mean = meanOf(members);
      const std = scale === 'batch' ? batchStd : standardDeviation(members);
      const divisor = scale === 'none' ? 1 : std + STD_EPSILON;
      members.forEach((reward, member) => {
        advantages[offsets[group] + member] = dead[group] === 1 ? 0 : (reward - mean) / divisor;
      });
    }
  },
};

function meanOf(values: Values): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** With n − 1; NaN for fewer than two values, which are dead groups and never divide by it. */
function standardDeviation(values: Values): number {
  const mean = meanOf(values);
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
