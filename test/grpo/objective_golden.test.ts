/** TRL's losses and derivatives through the aggregations and the `policyObjective` kernel. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { OBJECTIVE } from '../../src/kernels/kernels.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { TrlLossCase } from '../golden/load.ts';
import { worstRelative } from '../support/golden_model.ts';
import type { KernelCase, Output, TestSlot } from '../support/harness.ts';
import { allRows, poisoned, runCases } from '../support/harness.ts';
import {
  coefficientsOf,
  golden,
  KERNEL_LOSS_TYPES,
  kernelCases,
  optionsOf,
  stepSizes,
  type TrlOptions,
} from '../support/trl_loss.ts';

const covered = kernelCases();

/** A 'real' slot in full float64: TRL's options are not float32 numbers. */
function exactly(values: ArrayLike<number>): TestSlot {
  return { dtype: 'real', shape: [values.length], values, isMatrix: false };
}

function settingValues(options: TrlOptions): Float64Array {
  const values = new Float64Array(OBJECTIVE.length);
  values[OBJECTIVE.clipEpsilonLow] = options.epsilon;
  values[OBJECTIVE.clipEpsilonHigh] = options.epsilon_high;
  values[OBJECTIVE.clipDelta] = options.delta ?? 0;
  values[OBJECTIVE.klCoef] = options.beta;
  return values;
}

/** Every place of the padded batch is a loss row; padding is masked by its coefficients. */
function kernelCase(test: TrlLossCase): KernelCase {
  const options = optionsOf(test);
  const inputs = golden.inputs[test.inputs];
  const width = inputs.mask[0].length;
  const R = inputs.mask.length * width;
  const sizes = stepSizes(inputs, options);
  const coefficients = coefficientsOf(inputs, options);
  const bonus = options.entropy_coef / (sizes.microBatches * sizes.microLossTokens);
  return {
    slots: {
      logprobs: exactly(inputs.logps.data),
      oldLogprobs: exactly(test.old ? inputs.old.data : inputs.logps.data),
      refLogprobs: exactly(inputs.ref.data),
      entropies: exactly(inputs.entropies.data),
      advantages: exactly(inputs.mask.flatMap((row, i) => row.map(() => inputs.advantages[i]))),
      coefficients: exactly(coefficients),
      entropyCoefficients: exactly(inputs.mask.flat().map((value) => value * bonus)),
      settings: exactly(settingValues(options)),
      losses: poisoned([R]),
      dLogprobs: poisoned([R]),
      dEntropies: poisoned([R]),
    },
    build: (kernels, slots) => {
      const { logprobs, oldLogprobs, refLogprobs, entropies, advantages } = slots;
      const { coefficients, entropyCoefficients, settings, losses, dLogprobs, dEntropies } = slots;
      const policies = { logprobs, oldLogprobs, refLogprobs, entropies, advantages };
      const outputs = { losses, dLogprobs, dEntropies, rows: allRows(R) };
      kernels.policyObjective({ ...policies, coefficients, entropyCoefficients, settings, ...outputs });
    },
  };
}

function sumOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0);
}

describe('trl_loss.json', () => {
  it('covers each of the four loss types with and without KL, on policy and off, with an empty row', () => {
    for (const type of KERNEL_LOSS_TYPES)
      expect(covered.filter((test) => optionsOf(test).loss_type === type)).not.toEqual([]);
    expect(covered.some((test) => optionsOf(test).beta > 0)).toBe(true);
    expect(covered.some((test) => optionsOf(test).delta !== null)).toBe(true);
    expect(covered.some((test) => !test.old)).toBe(true);
    expect(golden.inputs.truncated.mask.some((row) => !row.includes(1))).toBe(true);
  });
});

const backends: [string, () => Promise<Backend>, number][] = [
  ['reference', async () => referenceBackend, 1e-9],
  ['wasm', () => wasmBackend({ threads: 1 }), 1e-6],
  ['wasm without fma', () => wasmBackend({ inline: true, fma: false }), 1e-6],
];

describe.each(backends)('on %s', (_, open, tolerance) => {
  let outputs: readonly Record<string, Output>[];
  beforeAll(async () => {
    outputs = await runCases(await open(), covered.map(kernelCase));
  });

  it.each(covered.map((test, index) => [test.name, index] as const))("has TRL's loss: %s", (_name, index) => {
    const { losses } = outputs[index];
    const scale = sumOf(losses.map(Math.abs));
    expect(Math.abs(sumOf(losses) - covered[index].loss) / scale).toBeLessThanOrEqual(tolerance);
  });

  it.each(covered.map((test, index) => [test.name, index] as const))("has TRL's derivatives: %s", (_name, index) => {
    const { dlogps, dentropies } = covered[index];
    const { dLogprobs, dEntropies } = outputs[index];
    expect(worstRelative(dLogprobs, dlogps.data)).toBeLessThanOrEqual(tolerance);
    const expected = dentropies?.data ?? new Float64Array(dEntropies.length);
    expect(worstRelative(dEntropies, expected)).toBeLessThanOrEqual(tolerance);
  });

  it('gives masked tokens exactly no loss and no gradient, whatever they hold', () => {
    covered.forEach((test, index) => {
      const mask = golden.inputs[test.inputs].mask.flat();
      for (const name of ['losses', 'dLogprobs', 'dEntropies']) {
        const masked = Array.from(outputs[index][name]).filter((_value, row) => mask[row] === 0);
        expect(
          masked.every((value) => value === 0),
          `${name} of ${test.name}`,
        ).toBe(true);
      }
    });
  });
});
