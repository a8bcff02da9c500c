/** Global gradient norm in two stages. Formula and shapes: ../kernels.ts (gradientNorm). */
import * as tf from '@tensorflow/tfjs';
import { GRADIENT_NORM_BLOCK, type GradientNormArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

/** partials = Σ gradients² a block;  norm = √Σ partials */
export function gradientNorm({ gradients, partials, norm }: Opened<GradientNormArgs>): void {
  const blocks = partials.shape[0];
  const squares = tf.square(gradients.tensor()) as tf.Tensor1D;
  const padded = tf.pad1d(squares, [0, blocks * GRADIENT_NORM_BLOCK - squares.size]);
  const sums = tf.sum(tf.reshape(padded, [blocks, GRADIENT_NORM_BLOCK]), 1);
  partials.set(sums);
  norm.set(tf.sqrt(tf.sum(sums)));
}
