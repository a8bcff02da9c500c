/** Global gradient norm in two fixed stages. Formula and shapes: kernels.ts (gradientNorm). */
import { GRADIENT_NORM_BLOCK } from '../kernels.ts';
import { slotLength } from '../memory.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** partials = Σ gradients² a block;  norm = √Σ partials */
export const gradientNorm: ReferenceKernel<'gradientNorm'> = {
  rules: ({ gradients }) => ({
    gradients: real('length'),
    partials: real(Math.ceil(slotLength(gradients) / GRADIENT_NORM_BLOCK)),
    norm: real(1),
  }),
  run({ gradients, partials, norm }) {
    let sum = 0;
    for (let block = 0; block < partials.length; block++) {
      const end = Math.min(gradients.length, (block + 1) * GRADIENT_NORM_BLOCK);
      let squares = 0;
      for (let i = block * GRADIENT_NORM_BLOCK; i < end; i++) squares += gradients[i] ** 2;
      partials[block] = squares;
      sum += squares;
    }
    norm[0] = Math.sqrt(sum);
  },
};
