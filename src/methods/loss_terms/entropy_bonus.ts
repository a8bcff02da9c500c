import { flag, key, laterKey, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { LossTerm, StepSizes } from '../points.ts';

const weight = key(
  'entropy_coef',
  number({ min: 0, example: 0.03 })
    .default(0)
    .describe('Weight of the entropy bonus, per nat; a batch without a live group takes no step for it.'),
);

const nats = (yaml: string, fallback: number, text: string) =>
  laterKey(
    yaml,
    number({ min: 0, example: fallback === 0 ? 0.01 : fallback })
      .default(fallback)
      .describe(text),
  );

/**
 * Adaptive, the coefficient moves by a fixed step towards a target entropy, and acts only at or below it:
 * arXiv:2505.22312.
 */
export const entropyBonus = method({
  id: 'entropy-bonus',
  about: {
    does: 'Keeps the policy from becoming certain too early.',
    formula: '−entropy_coef · mean_t H_t',
    source: '1602.01783',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'sharpening', 'duplicates'],
  optionsAreStageKeys: true,
  options: {
    entropyCoef: weight,
    isEntropyAdaptive: laterKey(
      'use_adaptive_entropy',
      flag().default(false).describe('Move entropy_coef towards entropy_target, step by step.'),
    ),
    leastEntropyCoef: nats('entropy_coef_min', 0, 'Lower bound of the adaptive coefficient.'),
    mostEntropyCoef: nats('entropy_coef_max', 1, 'Upper bound of the adaptive coefficient.'),
    entropyCoefDelta: nats('entropy_coef_delta', 0.005, 'How far the adaptive coefficient moves per step.'),
    entropyTarget: nats(
      'entropy_target',
      0.2,
      'Entropy per token, in nats, at or below which the adaptive coefficient acts and rises.',
    ),
  },
  switchedOnBy: {
    key: weight,
    on: (value, given) =>
      value === 0 && given('use_adaptive_entropy') !== true ? undefined : { entropy_coef: value as number },
    off: 0,
    written: (options) => options.entropy_coef ?? 0,
  },
  create: (options): LossTerm => {
    const { entropyCoef, isEntropyAdaptive, leastEntropyCoef, mostEntropyCoef, entropyCoefDelta, entropyTarget } =
      options;
    let coef = entropyCoef;
    let lastEntropy = Number.POSITIVE_INFINITY;
    const share = ({ lossTokens, selectedTokens = lossTokens }: StepSizes): number =>
      (isEntropyAdaptive && lastEntropy > entropyTarget ? 0 : coef) / Math.max(1, selectedTokens);
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      device: { entropyCoefficient: share },
      add(sequences, gradients, { sizes }) {
        const tokenShare = share(sizes);
        sequences.forEach(({ entropies, coefficients, selection }, i) => {
          const { losses, dEntropies } = gradients[i];
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0 || selection?.[t] === 0) continue;
            losses[t] -= tokenShare * entropies[t];
            dEntropies[t] -= tokenShare;
          }
        });
      },
      afterUpdate({ entropy }) {
        if (isEntropyAdaptive) {
          const rises = entropy <= entropyTarget;
          coef = rises
            ? Math.min(coef + entropyCoefDelta, mostEntropyCoef)
            : Math.max(coef - entropyCoefDelta, leastEntropyCoef);
          lastEntropy = entropy;
        }
        return { entropy_coef: coef };
      },
      ...(isEntropyAdaptive && {
        state: () => ({ coef, lastEntropy: Number.isFinite(lastEntropy) ? lastEntropy : null }),
        restore(state) {
          const kept = state as { readonly coef: number; readonly lastEntropy: number | null }; // written by `state`
          coef = kept.coef;
          lastEntropy = kept.lastEntropy ?? Number.POSITIVE_INFINITY;
        },
      }),
    };
  },
});
