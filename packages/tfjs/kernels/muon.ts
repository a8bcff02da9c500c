/** Muon, kellerjordan.github.io/posts/muon. Formula and shapes: ../kernels.ts (muon). */
import * as tf from '@tensorflow/tfjs';
import { MUON, NEWTON_SCHULZ } from '../../../src/kernels/kernels.ts';
import { clipFactor } from '../../../src/kernels/reference/adamw.ts';
import type { WaitingKernel } from './tfjs_kernel.ts';

/** One optimizer step of some matrices; nothing changes where the norm is not finite. */
export const muon: WaitingKernel<'muon'> = {
  async waits({ parameters, gradients, firstMoment, matrices, ...args }) {
    const norm = (await args.norm.values())[0] as number;
    if (!Number.isFinite(norm)) return;
    const settings = await args.settings.values();
    const setting = (name: Exclude<keyof typeof MUON, 'length'>): number => settings[MUON[name]] as number;
    const [rate, momentum] = [setting('learningRate'), setting('momentum')];
    const clip = clipFactor(norm, setting('maxGradNorm'));
    const keep = 1 - rate * setting('weightDecay');
    for (const { begin, rows, columns } of matrices) {
      const place = { begin, end: begin + rows * columns };
      tf.tidy(() => {
        const news = tf.mul(gradients.tensor(place), clip * (1 - momentum));
        const average = tf.add(tf.mul(firstMoment.tensor(place), momentum), news);
        const ahead = tf.reshape(tf.add(tf.mul(average, momentum), news), [rows, columns]) as tf.Tensor2D;
        const scale = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
        const update = tf.mul(tf.reshape(orthogonalized(ahead), [-1]), scale);
        parameters.set(tf.sub(tf.mul(parameters.tensor(place), keep), update), place);
        firstMoment.set(average, place);
      });
    }
  },
};

/** The matrix with singular values near 1. */
function orthogonalized(matrix: tf.Tensor2D): tf.Tensor2D {
  const [rows, columns] = matrix.shape;
  if (rows > columns) return tf.transpose(orthogonalized(tf.transpose(matrix)));
  const { steps, a, b, c, epsilon } = NEWTON_SCHULZ;
  let x: tf.Tensor2D = tf.div(matrix, tf.maximum(tf.norm(matrix), epsilon));
  for (let step = 0; step < steps; step++) {
    const gram: tf.Tensor2D = tf.matMul(x, x, false, true);
    const factor: tf.Tensor2D = tf.add(tf.mul(gram, b), tf.mul(tf.matMul(gram, gram), c));
    x = tf.add(tf.mul(x, a), tf.matMul(factor, x));
  }
  return x;
}
