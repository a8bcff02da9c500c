/** Columns scaled to magnitudes, and the magnitudes' gradient. Formulas and shapes: ../kernels.ts (scaleColumns). */
import * as tf from '@tensorflow/tfjs';
import type { MagnitudeGradientArgs, MagnitudeScaleArgs, ScaleColumnsArgs } from '../../../src/kernels/magnitudes.ts';
import type { Opened, Operand, RowRange } from './operands.ts';

/** out = scale ⊙ x (+ bias) (+ residual) */
export function scaleColumns({ x, scale, bias, residual, out, rows }: Opened<ScaleColumnsArgs>): void {
  let sum = tf.mul(x.tensor(rows), scale.tensor());
  if (bias !== undefined) sum = tf.add(sum, bias.tensor());
  if (residual !== undefined) sum = tf.add(sum, residual.tensor(rows));
  out.set(sum, rows);
}

/** scale = magnitude / ‖W + s·B·A‖, by row */
export function magnitudeScale(args: Opened<MagnitudeScaleArgs>): void {
  const { magnitude, baseNorms, loraB, products, gram, firstInput, firstColumn, factor, scale } = args;
  const [outputs, rank] = loraB.shape as [number, number];
  const b = loraB.tensor() as tf.Tensor2D;
  const ofModule = tf.slice2d(products.tensor() as tf.Tensor2D, [firstInput, firstColumn], [rank, outputs]);
  const ownGram = tf.slice2d(gram.tensor() as tf.Tensor2D, [firstInput, firstInput], [rank, rank]);
  const once = tf.sum(tf.mul(b, tf.transpose(ofModule)), 1);
  const twice = tf.sum(tf.mul(tf.matMul(b, ownGram), b), 1);
  const change = tf.mul(tf.add(tf.mul(once, 2), tf.mul(twice, factor)), factor);
  const squared = tf.add(tf.square(baseNorms.tensor()), change);
  const hasNorm = tf.greater(squared, 0);
  const norm = tf.sqrt(tf.where(hasNorm, squared, tf.onesLike(squared)));
  scale.set(tf.where(hasNorm, tf.div(magnitude.tensor(), norm), tf.onesLike(squared)));
}

/** dMagnitude += Σ_r dOut·(out − residual − bias) / magnitude */
export function magnitudeGradient(args: Opened<MagnitudeGradientArgs>): void {
  const { dOut, out, bias, residual, magnitude, firstColumn, dMagnitude, rows } = args;
  const width = magnitude.shape[0] as number;
  const columns = (operand: Operand, range: RowRange): tf.Tensor2D =>
    tf.slice2d(operand.tensor(range) as tf.Tensor2D, [0, firstColumn], [-1, width]);
  let scaled: tf.Tensor = columns(out, rows);
  if (residual !== undefined) scaled = tf.sub(scaled, columns(residual, rows));
  if (bias !== undefined) scaled = tf.sub(scaled, tf.slice1d(bias.tensor() as tf.Tensor1D, firstColumn, width));
  const m = magnitude.tensor();
  const sum = tf.sum(tf.mul(columns(dOut, rows), scaled), 0);
  dMagnitude.add(tf.where(tf.notEqual(m, 0), tf.div(sum, m), tf.zerosLike(sum)));
}
