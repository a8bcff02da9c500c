/** AdamW with decoupled weight decay, arXiv:1711.05101. Formula and shapes: kernels.ts (adamw). */
import { ADAMW } from '../kernels.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** One optimizer step over flat arenas; nothing changes where the norm is not finite. */
export const adamw: ReferenceKernel<'adamw'> = {
  rules: () => ({
    parameters: real('length'),
    gradients: real('length'),
    firstMoment: real('length'),
    secondMoment: real('length'),
    norm: real(1),
    settings: real(ADAMW.length),
  }),
  run(args) {
    const { parameters, gradients, firstMoment, secondMoment, norm, settings, decayLength } = args;
    if (!Number.isFinite(norm[0])) return;
    const clip = clipFactor(norm[0], settings[ADAMW.maxGradNorm]);
    const learningRate = settings[ADAMW.learningRate];
    const beta1 = settings[ADAMW.beta1];
    const beta2 = settings[ADAMW.beta2];
    for (let i = 0; i < parameters.length; i++) {
      const g = gradients[i] * clip;
      firstMoment[i] = beta1 * firstMoment[i] + (1 - beta1) * g;
      secondMoment[i] = beta2 * secondMoment[i] + (1 - beta2) * g * g;
      const decay = i < decayLength ? 1 - learningRate * settings[ADAMW.weightDecay] : 1;
      const scale = Math.sqrt(secondMoment[i] / settings[ADAMW.biasCorrection2]) + settings[ADAMW.epsilon];
      const update = firstMoment[i] / settings[ADAMW.biasCorrection1] / scale;
      parameters[i] = parameters[i] * decay - learningRate * update;
    }
  },
};

/** min(1, maxGradNorm/(norm + 1e-6)), or 1 where clipping is off. */
export function clipFactor(norm: number, maxGradNorm: number): number {
  return maxGradNorm > 0 ? Math.min(1, maxGradNorm / (norm + 1e-6)) : 1;
}
