/**
 * TRL's own loss and derivatives, out of `GRPOTrainer._compute_loss`, through the aggregations and the
 * `policyObjective` kernel.
 *
 * One call of `_compute_loss` is one micro-batch of `gradient_accumulation_steps` equal ones: with b rows here and n
 * of them a step, B = n·b. TRL does not count the tokens of a step; it spreads those of the generation batch over
 * its optimizer steps: N = num_items_in_batch·n/steps_per_generation. In eval a batch is a step of its own: n = 1,
 * N = num_items_in_batch.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { LOSS_TYPES } from '../../src/config/method_keys.ts';
import type { Backend } from '../../src/kernels/kernels.ts';
import { OBJECTIVE } from '../../src/kernels/kernels.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { Aggregation, StepSizes } from '../../src/methods/points.ts';
import { METHODS } from '../../src/methods/registry.ts';
import type { TrlLossCase, TrlLossInputs, TrlLossOptions } from '../golden/load.ts';
import { loadGolden } from '../golden/load.ts';
import { worstRelative } from '../support/golden_model.ts';
import type { KernelCase, Output, TestSlot } from '../support/harness.ts';
import { allRows, poisoned, runCases } from '../support/harness.ts';
import { anyStage } from '../support/stages.ts';

const golden = loadGolden('trl_loss');

/** Those that the kernel computes: the clipped surrogate, averaged in four ways. */
const KERNEL_LOSS_TYPES: readonly string[] = ['grpo', 'bnpo', 'dr_grpo', 'dapo'];

function aggregationOf(lossType: string): Aggregation {
  const { aggregation } = LOSS_TYPES.get(lossType) ?? { aggregation: undefined };
  const method = METHODS.aggregation.find(({ id }) => id === aggregation);
  if (method === undefined) throw new Error(`no aggregation of ${lossType}`);
  return method.create({}, anyStage());
}

/** Cases that this trainer does not have, each with the reason. */
const OUT_OF_SCOPE: Readonly<Record<string, string>> = {
  'sequence level grpo': 'the objective weighs and clips token by token',
  'sequence level dapo': 'the objective weighs and clips token by token',
  'sequence level dapo beta=0.1 truncated': 'the objective weighs and clips token by token',
  'sequence level dapo on-policy': 'the objective weighs and clips token by token',
  'top entropy 0.5 dapo': 'every token of a completion is trained on',
  'top entropy 0.2 grpo': 'every token of a completion is trained on',
  'top entropy 0.5 with entropy_coef and beta': 'every token of a completion is trained on',
  cispo: 'no such loss_type: another surrogate, not another aggregation',
  sapo: 'no such loss_type: another surrogate, not another aggregation',
  'luspo sequence': 'no such loss_type: weighs by length, sequence level',
  'luspo token': 'no such loss_type: weighs by length, sequence level',
  vespo: 'no such loss_type: another surrogate, not another aggregation',
  'off-policy mask': 'updates are on-policy; no sequence is dropped for its distance',
  'bias-corrected kl': 'the KL estimator is k3, without an importance weight',
};

type Options = TrlLossOptions & { readonly num_items_in_batch: number };

function optionsOf(test: TrlLossCase): Options {
  return { ...golden.default_options, ...test.options };
}

function isInScope(test: TrlLossCase): boolean {
  const options = optionsOf(test);
  return (
    KERNEL_LOSS_TYPES.includes(options.loss_type) &&
    options.importance_sampling_level === 'token' &&
    options.top_entropy_quantile === 1 &&
    options.off_policy_mask_threshold === null &&
    !options.use_bias_correction_kl
  );
}

const covered = golden.cases.filter(isInScope);

function countMasked(mask: readonly (readonly number[])[]): number {
  return mask.flat().filter((value) => value === 1).length;
}

function microBatchesOf(options: Options): number {
  return options.mode === 'train' ? options.gradient_accumulation_steps : 1;
}

function stepSizes({ mask }: TrlLossInputs, options: Options): StepSizes {
  const microBatches = microBatchesOf(options);
  const steps = options.mode === 'train' ? options.steps_per_generation : 1;
  return {
    completions: mask.length * microBatches,
    lossTokens: (options.num_items_in_batch * microBatches) / steps,
    maxCompletionTokens: options.max_completion_length,
    microBatches,
    microLossTokens: countMasked(mask),
  };
}

/** A 'real' slot in full float64: TRL's options are not float32 numbers. */
function exactly(values: ArrayLike<number>): TestSlot {
  return { dtype: 'real', shape: [values.length], values, isMatrix: false };
}

function settingValues(options: Options): Float64Array {
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
  const aggregation = aggregationOf(options.loss_type);
  const coefficients = inputs.mask.flatMap((row) => {
    const tokens = countMasked([row]);
    return row.map((value) => (value === 1 ? aggregation(tokens, sizes) : 0));
  });
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
  it('has no case that is neither covered nor listed as out of scope', () => {
    const leftOut = golden.cases.filter((test) => !isInScope(test)).map(({ name }) => name);
    expect(leftOut.sort()).toEqual(Object.keys(OUT_OF_SCOPE).sort());
    expect(covered.length + leftOut.length).toBe(57);
  });

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
