/** AdamW with decoupled weight decay, arXiv:1711.05101. Formula and shapes: ../kernels.ts (adamw). */
import * as tf from '@tensorflow/tfjs';
import { ADAMW } from '../../../src/kernels/kernels.ts';
import { clipFactor } from '../../../src/kernels/reference/adamw.ts';
import type { WaitingKernel } from './tfjs_kernel.ts';

/** One optimizer step over flat arenas; nothing changes where the norm is not finite. */
export const adamw: WaitingKernel<'adamw'> = {
  async waits(args) {
    const { parameters, gradients, firstMoment, secondMoment, decayLength } = args;
    const norm = (await args.norm.values())[0] as number;
    if (!Number.isFinite(norm)) return;
    const settings = await args.settings.values();
    const setting = (name: Exclude<keyof typeof ADAMW, 'length'>): number => settings[ADAMW[name]] as number;
    const clip = clipFactor(norm, setting('maxGradNorm'));
    /** beta·moment + (1 − beta)·news */
    const moved = (moment: tf.Tensor, news: tf.Tensor, beta: number): tf.Tensor =>
      tf.add(tf.mul(moment, beta), tf.mul(news, 1 - beta));
    tf.tidy(() => {
      const g = tf.mul(gradients.tensor(), clip);
      const m = moved(firstMoment.tensor(), g, setting('beta1'));
      const v = moved(secondMoment.tensor(), tf.square(g), setting('beta2'));
      const scale = tf.add(tf.sqrt(tf.div(v, setting('biasCorrection2'))), setting('epsilon'));
      const update = tf.div(tf.div(m, setting('biasCorrection1')), scale);
      const decay = 1 - setting('learningRate') * setting('weightDecay');
      parameters.set(tf.sub(decayed(parameters.tensor(), decay, decayLength), tf.mul(update, setting('learningRate'))));
      firstMoment.set(m);
      secondMoment.set(v);
    });
  },
};

/** The first `length` elements times `decay`. */
function decayed(values: tf.Tensor, decay: number, length: number): tf.Tensor {
  const [matrices, vectors] = tf.split(values, [length, values.size - length]) as [tf.Tensor, tf.Tensor];
  return tf.concat([tf.mul(matrices, decay), vectors]);
}
