/** Pays for entropy: the loss falls by entropy_coef times its mean over all loss tokens of the optimizer step. */
import { key, real } from '../../options/keys.ts';
import { coefficientSwitch, method } from '../method.ts';
import type { LossTerm, StepSizes } from '../points.ts';

const weight = key(
  'entropy_coef',
  real({ least: 0, example: 0.03 }).default(0).describe('Weight of the entropy bonus, per nat. Default 0.'),
);

export const entropyBonus = method({
  id: 'entropy-bonus',
  about: {
    does: 'Keeps the policy from becoming certain too early.',
    formula: '−entropy_coef · mean_t H_t',
    source: '1602.01783',
    certainty: 'paper',
  },
  options: { entropyCoef: weight },
  switchedOnBy: coefficientSwitch(weight),
  create: ({ entropyCoef }): LossTerm => {
    const coefficient = ({ lossTokens }: StepSizes): number => entropyCoef / Math.max(1, lossTokens);
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      device: { entropyCoefficient: coefficient },
      add(sequences, gradients, { sizes }) {
        const share = coefficient(sizes);
        sequences.forEach(({ entropies, coefficients }, i) => {
          const { losses, dEntropies } = gradients[i];
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] -= share * entropies[t];
            dEntropies[t] -= share;
          }
        });
      },
    };
  },
});
