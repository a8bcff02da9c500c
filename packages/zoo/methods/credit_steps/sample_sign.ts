import { type CreditStep, choice, keys, method } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { unguarded } from '../support/credit/unguarded.ts';

export const sampleSign = method({
  id: 'sample-sign',
  about: {
    does: 'Keeps the advantages of one sign; the others become 0.',
    names: ['NSR', 'PSR', 'negative sample reinforcement'],
    formula: 'A ← A·1[sign(A) is kept]',
    source: '2506.01347',
    certainty: 'paper',
  },
  options: keys({
    keptSign: choice(['all', 'negative', 'positive'], 'not a kind of advantages')
      .default('negative')
      .describe('Which advantages are kept.'),
  }),
  sameAs: { given: { kept_sign: 'negative' }, id: 'pos-weight', options: { positive_weight: 0 } },
  warn: ({ kept_sign: kept }, _, __, members) => (kept === 'negative' ? unguarded(members) : undefined),
  create: ({ keptSign }): CreditStep => {
    const isKept = { all: () => true, negative: (a: number) => a < 0, positive: (a: number) => a > 0 }[keptSign];
    return { apply: (groups) => mapAdvantages(groups, (advantage) => (isKept(advantage) ? advantage : 0)) };
  },
});
