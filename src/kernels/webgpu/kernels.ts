/** Every kernel of the interface and the function that records its dispatches. */
import type { KernelName, Kernels } from '../kernels.ts';
import type { Recorder } from './recorder.ts';
import { adamw } from './shaders/adamw.ts';
import { attention } from './shaders/attention.ts';
import { attentionBackward } from './shaders/attention_backward.ts';
import { add, copy, fill, mix, scale } from './shaders/elementwise.ts';
import { embedding, embeddingBackward } from './shaders/embedding.ts';
import { gatherRows, gatherRowsBackward } from './shaders/gather_rows.ts';
import { gradientNorm } from './shaders/gradient_norm.ts';
import { groupAdvantages } from './shaders/group_advantages.ts';
import { linear, linearInputGradient, linearWeightGradient } from './shaders/linear.ts';
import { linearLogprob, linearLogprobBackward } from './shaders/linear_logprob.ts';
import { magnitudeGradient, magnitudeScale, scaleColumns } from './shaders/magnitudes.ts';
import { policyObjective } from './shaders/policy_objective.ts';
import { rmsNorm, rmsNormBackward } from './shaders/rms_norm.ts';
import { rotary, rotaryBackward } from './shaders/rotary.ts';
import { sample } from './shaders/sample.ts';
import { swiglu, swigluBackward } from './shaders/swiglu.ts';

type KernelRecorder<Name extends KernelName> = (recorder: Recorder, args: Parameters<Kernels[Name]>[0]) => void;

const kernelRecorders: { readonly [Name in KernelName]: KernelRecorder<Name> } = {
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

/** The kernels, recording into `recorder`; `onCall` is called at each call. */
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
