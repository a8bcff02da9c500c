/**
 * With the aggregation `weighted-seq-mean` a completion counts the same whatever its weights are; with any other, one of
 * more digits counts more. After the precision-token loss of CAD-RL, arXiv:2508.10118.
 */
import { type CreditStep, keys, method, number } from '../kit.ts';

const DIGIT = /\d/;

export const precisionWeights = method({
  id: 'precision-weights',
  about: {
    does: 'Weighs tokens that write numbers.',
    names: ['CAD-RL'],
    formula: 'ω_t = number_weight where the token has a digit, else 1',
    source: '2508.10118',
    certainty: 'after the paper',
    when: 'Where wrong answers differ from right ones in their numbers alone.',
  },
  options: keys({
    numberWeight: number({ min: 0, example: 2 }).default(2).describe('Weight of a token that has a digit.'),
  }),
  create: ({ numberWeight }): CreditStep => ({
    apply(groups, { tokenText }) {
      const known = new Map<number, number>();
      const weightOf = (token: number): number => {
        const found = known.get(token) ?? (DIGIT.test(tokenText(token)) ? numberWeight : 1);
        known.set(token, found);
        return found;
      };
      if (numberWeight === 1) return groups;
      return groups.map((group) => ({
        ...group,
        tokenWeights: group.rollouts.map(({ tokens }, i) =>
          Float32Array.from(tokens, (token, t) => (group.tokenWeights?.[i][t] ?? 1) * weightOf(token)),
        ),
      }));
    },
  }),
});
