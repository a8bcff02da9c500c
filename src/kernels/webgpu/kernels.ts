/** Every kernel of the interface and the function that records its dispatches. */
import type { KernelName, Kernels } from '../kernels.ts';
import { adamw } from './adamw.ts';
import { attention } from './attention.ts';
import { attentionBackward } from './attention_backward.ts';
import { add, copy, fill, mix, scale } from './elementwise.ts';
import { embedding, embeddingBackward } from './embedding.ts';
import { gatherRows, gatherRowsBackward } from './gather_rows.ts';
import { gradientNorm } from './gradient_norm.ts';
import { groupAdvantages } from './group_advantages.ts';
import { linear, linearInputGradient, linearWeightGradient } from './linear.ts';
import { linearLogprob, linearLogprobBackward } from './linear_logprob.ts';
import { policyObjective } from './policy_objective.ts';
import type { Recorder } from './recorder.ts';
import { rmsNorm, rmsNormBackward } from './rms_norm.ts';
import { rotary, rotaryBackward } from './rotary.ts';
import { sample } from './sample.ts';
import { swiglu, swigluBackward } from './swiglu.ts';

type KernelRecorder<Name extends KernelName> = (recorder: Recorder, args: Parameters<Kernels[Name]>[0]) => void;

const kernelRecorders: { readonly [Name in KernelName]: KernelRecorder<Name> } = {
  embedding,
  embeddingBackward,
  rmsNorm,
  rmsNormBackward,
  linear,
  linearInputGradient,
  linearWeightGradient,
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

/** The kernels, recording into `recorder`; `onCall` hears of each call. */
export function recordKernels(recorder: Recorder, onCall: () => void): Kernels {
  const entries = Object.entries(kernelRecorders).map(([name, record]) => [
    name,
    (args: never) => {
      onCall();
      // One name picks both the function and its arguments; a union cannot say so.
      (record as (recorder: Recorder, args: never) => void)(recorder, args);
    },
  ]);
  return Object.fromEntries(entries) as Kernels;
}
