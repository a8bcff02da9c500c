/** Linear layer with weight [out, in], and its two gradients. Formulas and shapes: ../kernels.ts (linear). */
import * as tf from '@tensorflow/tfjs';
import type { LinearArgs, LinearInputGradientArgs, LinearWeightGradientArgs } from '../../../src/kernels/kernels.ts';
import type { Opened, Operand, RowRange } from './operands.ts';

/** x·weightᵀ */
export function project(x: tf.Tensor, weight: tf.Tensor): tf.Tensor {
  return tf.matMul(x, weight, false, true);
}

/** The `width` columns of an operand from `firstColumn` on; all of them where none is named. */
function columns(operand: Operand, firstColumn: number | undefined, width: number, rows: RowRange): tf.Tensor {
  const whole = operand.tensor(rows) as tf.Tensor2D;
  return firstColumn === undefined ? whole : tf.slice2d(whole, [0, firstColumn], [-1, width]);
}

/** Overwrites those columns, and no others. */
function setColumns(operand: Operand, firstColumn: number | undefined, values: tf.Tensor, rows: RowRange): void {
  if (firstColumn === undefined) {
    operand.set(values, rows);
    return;
  }
  const past = firstColumn + (values.shape[1] as number);
  const before = columns(operand, 0, firstColumn, rows);
  const behind = columns(operand, past, operand.shape[1] - past, rows);
  operand.set(tf.concat([before, values, behind], 1), rows);
}

export function linear(args: Opened<LinearArgs>): void {
  const { x, weight, bias, residual, out, firstColumn, firstInput, rows } = args;
  let sum = project(columns(x, firstInput, weight.shape[1], rows), weight.tensor());
  if (bias !== undefined) sum = tf.add(sum, bias.tensor());
  if (residual !== undefined) sum = tf.add(sum, columns(residual, firstColumn, weight.shape[0], rows));
  setColumns(out, firstColumn, sum, rows);
}

export function linearInputGradient(args: Opened<LinearInputGradientArgs>): void {
  const { dOut, weight, dX, accumulate = false, firstColumn, firstInput, rows } = args;
  const fixed = weight.tensor();
  const inputs = columns(dX, firstInput, weight.shape[1], rows);
  const gradient = tf.grad((x) => project(x, fixed));
  const product = gradient(inputs, columns(dOut, firstColumn, weight.shape[0], rows));
  setColumns(dX, firstInput, accumulate ? tf.add(product, inputs) : product, rows);
}

export function linearWeightGradient(args: Opened<LinearWeightGradientArgs>): void {
  const { dOut, x, dWeight, dBias, firstColumn, firstInput, rows } = args;
  const fixed = columns(x, firstInput, dWeight.shape[1], rows);
  const bias = tf.zeros([dWeight.shape[0]]);
  const gradients = tf.grads((w: tf.Tensor, b: tf.Tensor) => tf.add(project(fixed, w), b));
  // Linear in weight and bias: their values do not matter, only their shapes.
  const dSum = columns(dOut, firstColumn, dWeight.shape[0], rows);
  const [dMatrix, dVector] = gradients([dWeight.tensor(), bias], dSum) as [tf.Tensor, tf.Tensor];
  dWeight.add(dMatrix);
  dBias?.add(dVector);
}
