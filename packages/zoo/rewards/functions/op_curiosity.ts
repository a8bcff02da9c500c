/**
 * Pays the use of an operation while few completions of the group use it, and charges its overuse. arXiv:2505.15966
 * (Pixel Reasoner), to be listed beside accuracy.
 *
 *   bonus_i = α·max(H − u, 0)·1[n_i > 0] + β·min(N − n_i, 0)      u: share of the group that uses it, n_i: how often i does
 *
 * The bonus is gone once a share H of the group uses it, so it is paid for trying, not for repeating.
 */
import { integer, number, options, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

/** What overuse may cost at most, whatever the length of a completion. */
const LEAST = -1;

export const opCuriosityReward = defineReward({
  does: 'Pays the use of an operation, a text such as *, while less than a share of the group uses it, and charges using it too often; to be listed beside accuracy.',
  options: options({
    op: text('*').describe('The text whose use is paid.'),
    alpha: number({ min: 0, example: 0.5 }).default(0.5).describe('Factor of the bonus.'),
    beta: number({ min: 0, example: 0.05 }).default(0.05).describe('What each use beyond `free` costs.'),
    target: number({ above: 0, max: 1, example: 0.3 })
      .default(0.3)
      .describe('The share of the group from which on nothing is paid.'),
    free: integer({ min: 0, example: 1 }).default(1).describe('Uses in a completion that cost nothing.'),
  }),
  create: ({ op, alpha, beta, target, free }) => ({
    name: 'op-curiosity',
    range: [LEAST, alpha * target],
    score: ({ completions, groupOf }) => {
      const uses = completions.map((completion) => completion.split(op).length - 1);
      const groups = new Map<number, { size: number; using: number }>();
      uses.forEach((count, row) => {
        const { size, using } = groups.get(groupOf[row]) ?? { size: 0, using: 0 };
        groups.set(groupOf[row], { size: size + 1, using: using + Number(count > 0) });
      });
      return uses.map((count, row) => {
        const { size, using } = groups.get(groupOf[row]) ?? { size: 1, using: 0 };
        const bonus = count > 0 ? alpha * Math.max(target - using / size, 0) : 0;
        return Math.max(LEAST, bonus + beta * Math.min(free - count, 0));
      });
    },
  }),
});
