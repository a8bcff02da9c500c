/** Linear layer with weight [out, in], and its two gradients. Formulas and shapes: ../kernels.ts (linear). */
import * as tf from '@tensorflow/tfjs';
import type { LinearArgs, LinearInputGradientArgs, LinearWeightGradientArgs } from '../kernels.ts';
import type { Opened } from './operands.ts';

/** x·weightᵀ */
export function project(x: tf.Tensor, weight: tf.Tensor): tf.Tensor {
  return tf.matMul(x, weight, false, true);
}

export function linear({ x, weight, bias, residual, out, rows }: Opened<LinearArgs>): void {
  let sum = project(x.tensor(rows), weight.tensor());
  if (bias !== undefined) sum = tf.add(sum, bias.tensor());
  if (residual !== undefined) sum = tf.add(sum, residual.tensor(rows));
  out.set(sum, rows);
}

export function linearInputGradient({ dOut, weight, dX, rows }: Opened<LinearInputGradientArgs>): void {
  const fixed = weight.tensor();
  const gradient = tf.grad((x) => project(x, fixed));
  dX.set(gradient(dX.tensor(rows), dOut.tensor(rows)), rows);
}

export function linearWeightGradient({ dOut, x, dWeight, dBias, rows }: Opened<LinearWeightGradientArgs>): void {
  const fixed = x.tensor(rows);
  const bias = tf.zeros([dWeight.shape[0]]);
  const gradients = tf.grads((w: tf.Tensor, b: tf.Tensor) => tf.add(project(fixed, w), b));
  // Linear in weight and bias: their values do not matter, only their shapes.
  const [dMatrix, dVector] = gradients([dWeight.tensor(), bias], dOut.tensor(rows)) as [tf.Tensor, tf.Tensor];
  dWeight.add(dMatrix);
  dBias?.add(dVector);
}
