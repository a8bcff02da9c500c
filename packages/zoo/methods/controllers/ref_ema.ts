import { averagedWeights, parameterSet, reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, integer, keys, method, number, unreadReference } from '../kit.ts';

/**
 * The reference may be the average itself, or be replaced by it every few steps, while the average continues separately.
 */
export const refEma = method({
  id: 'ref-ema',
  about: {
    does: "Makes the reference a moving average of the policy's weights.",
    formula: 'average ← ema_rate·policy + (1 − ema_rate)·average; ref ← average where step mod ema_every = 0',
    source: '1703.01780',
    certainty: 'after the paper',
  },
  options: keys({
    emaRate: number({ above: 0, max: 1, example: 0.01 })
      .default(0.01)
      .describe('Share of the policy in the average, at each step.'),
    emaEvery: integer({ min: 1, example: 10 })
      .default(1)
      .describe('Steps after which the reference becomes the average; 1: it is the average.'),
  }),
  warn: (_, __, ___, members) => unreadReference(members),
  uses: ({ emaRate, emaEvery }) => [
    reference,
    ...(emaEvery === 1 ? [] : [parameterSet('average')]),
    ...(emaRate === 1 ? [] : [averagedWeights('use ref-reset, which copies it')]),
  ],
  create: ({ emaRate, emaEvery }): Controller => ({
    async afterStep(_, levers) {
      await levers.mix(emaEvery === 1 ? 'reference' : 'average', 'policy', emaRate);
      if (emaEvery > 1 && levers.step % emaEvery === 0) await levers.mix('reference', 'average', 1);
    },
  }),
});
