/**
 * TRL's own loss and derivatives, out of `GRPOTrainer._compute_loss`, and what this trainer takes for the same.
 *
 * One call of `_compute_loss` is one micro-batch of `gradient_accumulation_steps` equal ones: with b rows here and n
 * of them a step, B = n·b. TRL does not count the tokens of a step; it spreads those of the generation batch over
 * its optimizer steps: N = num_items_in_batch·n/steps_per_generation. In eval a batch is a step of its own: n = 1,
 * N = num_items_in_batch.
 */

import { LOSS_TYPES } from '../../src/config/keys/method_keys.ts';
import type { Aggregation, StepSizes } from '../../src/methods/points.ts';
import type { TrlLossCase, TrlLossInputs, TrlLossOptions } from '../golden/load.ts';
import { loadGolden } from '../golden/load.ts';
import { METHODS } from './everything.ts';
import { anyStage } from './stages.ts';

export const golden = loadGolden('trl_loss');

export type TrlOptions = TrlLossOptions & { readonly num_items_in_batch: number };

export function optionsOf(test: TrlLossCase): TrlOptions {
  return { ...golden.default_options, ...test.options };
}

/** Cases that the engine's own kernel computes: the clipped surrogate, averaged in four ways. */
export function kernelCases(): TrlLossCase[] {
  return golden.cases.filter((test) => {
    const options = optionsOf(test);
    return (
      KERNEL_LOSS_TYPES.includes(options.loss_type) &&
      options.importance_sampling_level === 'token' &&
      options.top_entropy_quantile === 1 &&
      options.off_policy_mask_threshold === null &&
      !options.use_bias_correction_kl
    );
  });
}

export const KERNEL_LOSS_TYPES: readonly string[] = ['grpo', 'bnpo', 'dr_grpo', 'dapo'];

export function countMasked(mask: readonly (readonly number[])[]): number {
  return mask.flat().filter((value) => value === 1).length;
}

export function stepSizes({ mask }: TrlLossInputs, options: TrlOptions): StepSizes {
  const microBatches = options.mode === 'train' ? options.gradient_accumulation_steps : 1;
  const steps = options.mode === 'train' ? options.steps_per_generation : 1;
  return {
    completions: mask.length * microBatches,
    lossTokens: (options.num_items_in_batch * microBatches) / steps,
    maxCompletionTokens: options.max_completion_length,
    microBatches,
    microLossTokens: countMasked(mask),
  };
}

export function aggregationOf(lossType: string): Aggregation {
  const meant = LOSS_TYPES.get(lossType)?.aggregation;
  const method = METHODS.aggregation.find(({ id }) => id === meant);
  if (method === undefined) throw new Error(`no aggregation of ${lossType}`);
  return method.create({}, anyStage());
}

/** Aggregation of each token [rows × width], 0 where it is masked. */
export function coefficientsOf(inputs: TrlLossInputs, options: TrlOptions): number[] {
  const sizes = stepSizes(inputs, options);
  const aggregation = aggregationOf(options.loss_type);
  const groupTokens = countMasked(inputs.mask);
  return inputs.mask.flatMap((row) => {
    const tokens = countMasked([row]);
    const place = { groups: sizes.microBatches, groupTokens, tokenWeight: tokens };
    return row.map((value) => (value === 1 ? aggregation(tokens, sizes, place) : 0));
  });
}
