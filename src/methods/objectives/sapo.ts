import { key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { Surrogate } from '../points.ts';

/** The gradient fades faster for negative advantages; at ratio 1 it equals every other surrogate's. */
export const sapo = method({
  id: 'sapo',
  about: {
    does: 'Fades the gradient of a token as its ratio leaves 1, without a bound at which it stops.',
    formula: '−A·σ(τ·(r − 1))·4/τ, τ by the sign of A',
    source: '2511.20347',
    certainty: 'after the paper',
  },
  against: ['clip-fraction'],
  optionsAreStageKeys: true,
  lossTypes: { sapo: 'seq-mean' },
  options: {
    sapoNegative: key(
      'sapo_temperature_neg',
      number({ above: 0, example: 1.05 }).default(1.05).describe('Steepness of the gate for advantages of 0 or below.'),
    ),
    sapoPositive: key(
      'sapo_temperature_pos',
      number({ above: 0, example: 1 }).default(1).describe('The same for advantages above 0.'),
    ),
  },
  actsOn: 'moved',
  create: ({ sapoNegative, sapoPositive }): Surrogate => ({
    at({ logRatio, advantage }, out) {
      const steepness = advantage > 0 ? sapoPositive : sapoNegative;
      const ratio = Math.exp(logRatio);
      const gate = 1 / (1 + Math.exp(-steepness * (ratio - 1)));
      out.loss = (-advantage * gate * 4) / steepness;
      out.slope = -advantage * 4 * gate * (1 - gate) * ratio;
    },
  }),
});
