import { type CreditStep, keys, method, number } from '../kit.ts';
import { largestOf } from '../support/credit/group_size.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { unguarded } from '../support/credit/unguarded.ts';

/** Below 1 the policy learns more from its mistakes, which keeps its answers diverse; at 0 from them alone. */
export const posWeight = method({
  id: 'pos-weight',
  about: {
    does: 'Multiplies the advantages above 0.',
    formula: 'A ← positive_weight·A where A > 0',
    source: '2506.01347',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  options: keys({
    positiveWeight: number({ min: 0, example: 0.1 }).default(0.1).describe('Factor of an advantage above 0.'),
  }),
  warn: ({ positive_weight: weight }, _, __, members) => (largestOf(weight) < 1 ? unguarded(members) : undefined),
  create: ({ positiveWeight }): CreditStep => ({
    apply: (groups) => mapAdvantages(groups, (advantage) => (advantage > 0 ? positiveWeight * advantage : advantage)),
  }),
});
