/** Every kernel of the interface and the tfjs function that computes it. */
import * as tf from '@tensorflow/tfjs';
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
import type { Opened } from './operands.ts';
import { policyObjective } from './policy_objective.ts';
import { rmsNorm, rmsNormBackward } from './rms_norm.ts';
import { rotary, rotaryBackward } from './rotary.ts';
import { sample } from './sample.ts';
import { swiglu, swigluBackward } from './swiglu.ts';

/** Computes on opened operands; asynchronous where values must come to the host on the way. */
type TfjsKernel<Name extends KernelName> = (operands: Opened<Parameters<Kernels[Name]>[0]>) => void | Promise<void>;

/** A kernel of unknown name, as the engine calls it. */
export type AnyKernel = (operands: unknown) => void | Promise<void>;

/** Disposes what a synchronous kernel leaves besides its outputs. */
function tidy<Operands>(kernel: (operands: Operands) => void): (operands: Operands) => void {
  return (operands) => tf.tidy(() => kernel(operands));
}

export const tfjsKernels: { readonly [Name in KernelName]: TfjsKernel<Name> } = {
  embedding: tidy(embedding),
  embeddingBackward: tidy(embeddingBackward),
  rmsNorm: tidy(rmsNorm),
  rmsNormBackward: tidy(rmsNormBackward),
  linear: tidy(linear),
  linearInputGradient: tidy(linearInputGradient),
  linearWeightGradient: tidy(linearWeightGradient),
  scaleColumns: tidy(scaleColumns),
  magnitudeScale: tidy(magnitudeScale),
  magnitudeGradient: tidy(magnitudeGradient),
  rotary: tidy(rotary),
  rotaryBackward: tidy(rotaryBackward),
  attention: tidy(attention),
  attentionBackward: tidy(attentionBackward),
  swiglu: tidy(swiglu),
  swigluBackward: tidy(swigluBackward),
  gatherRows: tidy(gatherRows),
  gatherRowsBackward: tidy(gatherRowsBackward),
  linearLogprob: tidy(linearLogprob),
  linearLogprobBackward: tidy(linearLogprobBackward),
  sample,
  groupAdvantages,
  policyObjective,
  gradientNorm: tidy(gradientNorm),
  adamw,
  fill: tidy(fill),
  add: tidy(add),
  copy: tidy(copy),
  scale: tidy(scale),
  mix: tidy(mix),
};
