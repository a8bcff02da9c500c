/** Moves the reference of the KL term to the policy as it is, every so many steps: the policy may go on from there. */
import { key, whole } from '../../options/keys.ts';
import { unreadReference } from '../chosen.ts';
import { method } from '../method.ts';
import type { Controller } from '../points.ts';

export const refReset = method({
  id: 'ref-reset',
  about: {
    does: 'Makes the policy its own reference every so many steps.',
    names: ['ProRL'],
    formula: 'ref ← policy where step mod every = 0',
    source: '2505.24864',
    certainty: 'after the paper',
  },
  options: {
    every: key(
      'every',
      whole({ least: 1, example: 100 })
        .default(100)
        .describe('Optimizer steps from one reset to the next. Default 100.'),
    ),
  },
  warn: (_, methods) => unreadReference(methods),
  needs: () => ({ parameterSets: ['reference'] }),
  create: ({ every }): Controller => ({
    async afterStep(_, levers) {
      if (levers.step % every === 0) await levers.copyToReference();
    },
  }),
});
