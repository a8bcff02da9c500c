/** Root-mean-square norm, arXiv:1910.07467. Formulas and shapes: ../kernels.ts (rmsNorm). */
import * as tf from '@tensorflow/tfjs';
import type { RmsNormArgs, RmsNormBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

/** 1 / √(mean(x²) + eps) of the last dimension, kept with size 1. */
export function inverseRms(x: tf.Tensor, eps: number): tf.Tensor {
  return tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), eps));
}

/** x / √(mean(x²) + eps) · weight, over the last dimension. */
export function normalize(x: tf.Tensor, weight: tf.Tensor, eps: number): tf.Tensor {
  return tf.mul(tf.mul(x, inverseRms(x, eps)), weight);
}

export function rmsNorm({ x, weight, out, rstd, eps, rows }: Opened<RmsNormArgs>): void {
  const values = x.tensor(rows);
  rstd.set(inverseRms(values, eps), rows);
  out.set(normalize(values, weight.tensor(), eps), rows);
}

/** eps is what rstd was made with: 1/rstd² − mean(x²), which is a tensor here. */
export function rmsNormBackward({ x, weight, rstd, dOut, dX, dWeight, rows }: Opened<RmsNormBackwardArgs>): void {
  const values = x.tensor(rows);
  const eps = tf.sub(
    tf.reciprocal(tf.square(tf.reshape(rstd.tensor(rows), [-1, 1]))),
    tf.mean(tf.square(values), -1, true),
  );
  const gradients = tf.grads((a: tf.Tensor, w: tf.Tensor) =>
    tf.mul(tf.mul(a, tf.rsqrt(tf.add(tf.mean(tf.square(a), -1, true), eps))), w),
  );
  const [dValues, dScale] = gradients([values, weight.tensor()], dOut.tensor(rows)) as [tf.Tensor, tf.Tensor];
  dX.add(dValues, rows);
  dWeight?.add(dScale);
}
