/**
 * AdamW with decoupled weight decay, arXiv:1711.05101. Formula and shapes: kernels.ts (adamw). One thread a
 * parameter; one dispatch, or one per piece where the arena is larger than a kernel can see. 28 bytes moved per parameter.
 */
import type { AdamwArgs } from '../../../src/kernels/kernels.ts';
import { ADAMW } from '../../../src/kernels/kernels.ts';
import type { Slot } from '../../../src/kernels/memory.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';

export function adamw(recorder: Recorder, args: AdamwArgs): void {
  const { parameters, gradients, firstMoment, secondMoment, norm, settings, decayLength } = args;
  for (const { begin, end, slot } of recorder.pieces(parameters)) {
    const part = (whole: Slot): Slot => ({ ...whole, offset: whole.offset + begin, shape: [end - begin] });
    elementwise(recorder, {
      label: 'adamw',
      operands: {
        parameters: write(slot),
        gradients: read(part(gradients)),
        first_moment: write(part(firstMoment)),
        second_moment: write(part(secondMoment)),
        norm: read(norm),
        settings: read(settings),
      },
      rows: { begin: 0, end: end - begin },
      per: slot,
      scalars: { decay_length: Math.max(0, decayLength - begin) },
      code: /* wgsl */ `
  let norm = load_norm(0u);
  // Bits, since a compiler may assume that infinities and NaN do not occur.
  if ((bitcast<u32>(norm) & 0x7f800000u) == 0x7f800000u) { return; }
  let most = load_settings(${ADAMW.maxGradNorm}u);
  let clip = select(1.0, min(1.0, most / (norm + 1e-6)), most > 0.0);
  let rate = load_settings(${ADAMW.learningRate}u);
  let beta1 = load_settings(${ADAMW.beta1}u);
  let beta2 = load_settings(${ADAMW.beta2}u);
  let g = load_gradients(i) * clip;
  let m = fma(beta1, load_first_moment(i), (1.0 - beta1) * g);
  let v = fma(beta2, load_second_moment(i), (1.0 - beta2) * g * g);
  store_first_moment(i, m);
  store_second_moment(i, v);
  let decay = select(1.0, 1.0 - rate * load_settings(${ADAMW.weightDecay}u), i < P.decay_length);
  let scale = sqrt(v / load_settings(${ADAMW.biasCorrection2}u)) + load_settings(${ADAMW.epsilon}u);
  let update = m / load_settings(${ADAMW.biasCorrection1}u) / scale;
  store_parameters(i, fma(load_parameters(i), decay, -(rate * update)));`,
    });
  }
}
