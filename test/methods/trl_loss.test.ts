/** TRL's losses and derivatives through the terms of the loss in float64, as the host computes them. */
import { describe, expect, it } from 'vitest';
import { LOSS_TYPES } from '../../src/config/method_keys.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { createMethods } from '../../src/methods/create.ts';
import { Ledger } from '../../src/methods/ledger.ts';
import type { LossContext, LossGradient, LossSequence } from '../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import type { TrlLossCase } from '../golden/load.ts';
import { worstRelative } from '../support/golden_model.ts';
import { stageOf } from '../support/stages.ts';
import { casesOf, coefficientsOf, golden, optionsOf, stepSizes, WAITING } from '../support/trl_loss.ts';

const covered = casesOf(LOSS_TYPES.keys());

/** Coefficients reach a term as float32. */
const TOLERANCE = 1e-6;

/** One sequence per row of the padded batch; padding is masked by its coefficients. */
function sequencesOf(test: TrlLossCase): LossSequence[] {
  const inputs = golden.inputs[test.inputs];
  const width = inputs.mask[0].length;
  const coefficients = coefficientsOf(inputs, optionsOf(test));
  return inputs.mask.map((_, i): LossSequence => {
    const row = (values: ArrayLike<number>): Float32Array =>
      Float32Array.from({ length: width }, (__, t) => values[i * width + t]);
    return {
      group: {} as CreditedGroup, // no term of these looks at it
      rollout: {} as Rollout,
      logprobs: row(inputs.logps.data),
      oldLogprobs: row(test.old ? inputs.old.data : inputs.logps.data),
      refLogprobs: row(inputs.ref.data),
      entropies: row(inputs.entropies.data),
      advantages: new Float32Array(width).fill(inputs.advantages[i]),
      weights: new Float32Array(width).fill(1),
      coefficients: row(coefficients),
    };
  });
}

function gradientsOf(test: TrlLossCase): LossGradient[] {
  const options = optionsOf(test);
  const stage = stageOf(
    `loss_type: ${options.loss_type}`,
    ...(['epsilon', 'epsilon_high', 'delta', 'beta', 'entropy_coef'] as const)
      .filter((name) => options[name] !== undefined)
      .map((name) => `${name}: ${options[name]}`),
  );
  const sizes = stepSizes(golden.inputs[test.inputs], options);
  const context: LossContext = {
    step: 0,
    progress: 0,
    stage,
    rng: rngFor('trl'),
    ledger: new Ledger(),
    metric: () => {},
    // TRL's mean of the bonus is over the tokens of a micro-batch.
    sizes: { ...sizes, lossTokens: sizes.microBatches * sizes.microLossTokens },
  };
  const sequences = sequencesOf(test);
  const gradients = sequences.map(({ logprobs: { length } }) => ({
    losses: new Float64Array(length),
    dLogprobs: new Float64Array(length),
    dEntropies: new Float64Array(length),
  }));
  for (const { part } of createMethods(stage).lossTerms) part.add(sequences, gradients, context);
  return gradients;
}

const flat = (gradients: readonly LossGradient[], of: keyof LossGradient): number[] =>
  gradients.flatMap((gradient) => [...gradient[of]]);

describe('trl_loss.json', () => {
  it('has no case that is neither covered nor waits for a method by name', () => {
    const leftOut = golden.cases.filter((test) => !covered.includes(test)).map(({ name }) => name);
    expect(leftOut.sort()).toEqual(Object.keys(WAITING).sort());
    expect(covered.length + leftOut.length).toBe(57);
  });

  it.each(covered.map((test) => [test.name, test] as const))("has TRL's loss and derivatives: %s", (_name, test) => {
    const gradients = gradientsOf(test);
    const losses = flat(gradients, 'losses');
    const scale = losses.reduce((sum, loss) => sum + Math.abs(loss), 0);
    expect(Math.abs(losses.reduce((sum, loss) => sum + loss, 0) - test.loss) / scale).toBeLessThanOrEqual(TOLERANCE);
    expect(worstRelative(flat(gradients, 'dLogprobs'), test.dlogps.data)).toBeLessThanOrEqual(TOLERANCE);
    const bonus = test.dentropies?.data ?? new Float64Array(losses.length);
    expect(worstRelative(flat(gradients, 'dEntropies'), bonus)).toBeLessThanOrEqual(TOLERANCE);
  });
});
