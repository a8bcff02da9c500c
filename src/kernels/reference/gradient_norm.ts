/** Global gradient norm in two fixed stages. Formula and shapes: kernels.ts (gradientNorm). */
import { GRADIENT_NORM_BLOCK, type GradientNormArgs } from '../kernels.ts';
import type { Opened } from './operands.ts';

/** partials = Σ gradients² a block;  norm = √Σ partials */
export function gradientNorm({ gradients, partials, norm }: Opened<GradientNormArgs>): void {
  let sum = 0;
  for (let block = 0; block < partials.length; block++) {
    const end = Math.min(gradients.length, (block + 1) * GRADIENT_NORM_BLOCK);
    let squares = 0;
    for (let i = block * GRADIENT_NORM_BLOCK; i < end; i++) squares += gradients[i] ** 2;
    partials[block] = squares;
    sum += squares;
  }
  norm[0] = Math.sqrt(sum);
}
