/**
 * Teaches the value head that `gae` reads: PPO's clipped squared error, ½·max((v − R)², (clip(v, v_old ± c) − R)²), averaged
 * over tokens as the stage averages its loss. The head has an optimizer of its own. A share of the gradient may reach the
 * policy's trunk; by default none does, and the head reads what the policy knows anyway.
 */

import { hiddenGradients } from '../../../../src/methods/uses/hidden_rows.ts';
import type { LossTerm } from '../kit.ts';
import { keys, method, number } from '../kit.ts';
import { headOf, type ValueHead } from '../support/critic/value_head.ts';

export const valueLoss = method({
  id: 'value-loss',
  about: {
    does: "Teaches a head on the policy's last hidden row to expect the returns of gae, by PPO's clipped squared error.",
    names: ['value function loss', 'critic loss', 'value head', 'vf_coef'],
    formula: 'vf_coef·½·max((v − R)², (clip(v, v_old ± cliprange_value) − R)²), v = w·h + b',
    source: '1707.06347',
    certainty: 'paper',
    when: 'Beside gae, which reads the values; without it nothing is learned.',
  },
  companions: [{ ids: ['gae'], line: 'advantage_estimator: gae', why: 'whose returns it learns' }],
  options: keys({
    vfCoef: number({ above: 0, example: 0.1 }).default(0.1).describe('Weight of the error in the loss.'),
    cliprangeValue: number({ above: 0, example: 0.2 })
      .default(0.2)
      .describe('How far a value may move from what it was before the batch until its error stops to fall.'),
    valueLearningRate: number({ above: 0, example: 1e-3 })
      .default(1e-2)
      .describe('Learning rate of the head alone, for its own Adam.'),
    valueTrunkCoef: number({ min: 0, max: 1, example: 0.5 })
      .default(0)
      .describe("Share of the error's gradient that reaches the weights of the policy; 0: none."),
  }),
  tells: ({ valueTrunkCoef }) => (valueTrunkCoef === 0 ? ['learns-apart'] : []),
  uses: () => [hiddenGradients],
  create: ({ vfCoef, cliprangeValue, valueLearningRate, valueTrunkCoef }): LossTerm => {
    let head: ValueHead | undefined;
    let [errors, clipped, tokens] = [0, 0, 0];
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      learnsWithoutRewards: true,
      begin(_, context) {
        head = headOf(context);
        head.forgetGradient();
        [errors, clipped, tokens] = [0, 0, 0];
      },
      add(sequences, gradients, context) {
        const own = headOf(context);
        sequences.forEach(({ rollout, hidden, coefficients }, i) => {
          const { values: before, returns } = rollout;
          if (before === undefined || returns === undefined || hidden === undefined) return;
          const values = own.values(hidden, coefficients.length);
          const size = hidden.length / coefficients.length;
          const { losses, dHidden } = gradients[i];
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            const { error, slope } = clippedError(values[t], returns[t], before[t], cliprangeValue);
            const weight = vfCoef * coefficients[t];
            losses[t] += weight * error;
            errors += error;
            clipped += Number(Math.abs(values[t] - before[t]) > cliprangeValue);
            tokens++;
            if (slope === 0) continue;
            own.addGradient(hidden, t, weight * slope);
            if (valueTrunkCoef === 0 || dHidden === undefined) continue;
            const { slopes } = own;
            for (let d = 0; d < size; d++) dHidden[t * size + d] += valueTrunkCoef * weight * slope * slopes[d];
          }
        });
      },
      afterUpdate() {
        if (tokens === 0) return undefined;
        head?.step(valueLearningRate);
        return { value_loss: errors / tokens, value_clip_ratio: clipped / tokens };
      },
    };
  },
});

/** ½·max((v − R)², (clip(v, v_old ± c) − R)²), and its derivative by v. */
export function clippedError(
  value: number,
  target: number,
  before: number,
  range: number,
): { readonly error: number; readonly slope: number } {
  const bounded = Math.min(Math.max(value, before - range), before + range);
  const [plain, kept] = [(value - target) ** 2, (bounded - target) ** 2];
  if (kept > plain) return { error: kept / 2, slope: 0 };
  return { error: plain / 2, slope: value - target };
}
