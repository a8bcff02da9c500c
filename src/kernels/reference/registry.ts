/** Every kernel of the interface and the function that specifies it. */
import type { KernelName, Kernels } from '../kernels.ts';
import { adamw } from './adamw.ts';
import { attention, attentionBackward } from './attention.ts';
import { add, copy, fill, mix, scale } from './elementwise.ts';
import { embedding, embeddingBackward } from './embedding.ts';
import { gatherRows, gatherRowsBackward } from './gather_rows.ts';
import { gradientNorm } from './gradient_norm.ts';
import { groupAdvantages } from './group_advantages.ts';
import { linear, linearInputGradient, linearWeightGradient } from './linear.ts';
import { linearLogprob, linearLogprobBackward } from './linear_logprob.ts';
import { magnitudeGradient, magnitudeScale, scaleColumns } from './magnitudes.ts';
import type { Dimensions, Opened } from './operands.ts';
import { policyObjective } from './policy_objective.ts';
import { rmsNorm, rmsNormBackward } from './rms_norm.ts';
import { rotary, rotaryBackward } from './rotary.ts';
import { sample } from './sample.ts';
import { swiglu, swigluBackward } from './swiglu.ts';

type ReferenceKernel<Name extends KernelName> = (
  operands: Opened<Parameters<Kernels[Name]>[0]>,
  dimensions: Dimensions,
) => void;

/** A kernel of unknown name, as the engine calls it. */
export type AnyKernel = (operands: unknown, dimensions: Dimensions) => void;

export const referenceKernels: { readonly [Name in KernelName]: ReferenceKernel<Name> } = {
  embedding,
  embeddingBackward,
  rmsNorm,
  rmsNormBackward,
  linear,
  linearInputGradient,
  linearWeightGradient,
  scaleColumns,
  magnitudeScale,
  magnitudeGradient,
  rotary,
  rotaryBackward,
  attention,
  attentionBackward,
  swiglu,
  swigluBackward,
  gatherRows,
  gatherRowsBackward,
  linearLogprob,
  linearLogprobBackward,
  sample,
  groupAdvantages,
  policyObjective,
  gradientNorm,
  adamw,
  fill,
  add,
  copy,
  scale,
  mix,
};
