/**
 * Log-probability of one target per row under a linear head with temperature, and entropy. Formulas and shapes:
 * ../kernels.ts (linearLogprob). Logits exist for a block of rows at a time, in the backward too.
 */
import * as tf from '@tensorflow/tfjs';
import type { LinearLogprobArgs, LinearLogprobBackwardArgs } from '../../../src/kernels/kernels.ts';
import { project } from './linear.ts';
import type { Opened, RowRange } from './operands.ts';

/** Logits that exist at once, at most: 16 MiB. */
const MOST_LOGITS = 2 ** 22;

/** Rows in blocks whose logits fit. */
export function rowBlocks({ begin, end }: RowRange, vocabulary: number, mostLogits = MOST_LOGITS): RowRange[] {
  const size = Math.max(1, Math.floor(mostLogits / vocabulary));
  const count = Math.ceil((end - begin) / size);
  return Array.from({ length: count }, (_, i) => ({
    begin: begin + i * size,
    end: Math.min(end, begin + (i + 1) * size),
  }));
}

/** (hidden·weightᵀ)/T, [R, V] */
export function temperedLogits(hidden: tf.Tensor, weight: tf.Tensor, temperature: tf.Tensor): tf.Tensor {
  return tf.div(project(hidden, weight), temperature);
}

/** [R, 2]: log-prob of each target under logits [R, V], and entropy in nats. */
export function scoreLogits(logits: tf.Tensor, targets: tf.Tensor1D): tf.Tensor {
  const [, vocabulary] = logits.shape as [number, number];
  const logProbs = logSoftmax(logits);
  // Cast: of a float32 one-hot tfjs-wasm makes the bits of int32.
  const isTarget = tf.cast(tf.oneHot(targets, vocabulary), 'float32');
  const logprobs = tf.sum(tf.mul(isTarget, logProbs), 1);
  const entropies = tf.neg(tf.sum(tf.mul(tf.exp(logProbs), logProbs), 1));
  return tf.stack([logprobs, entropies], 1);
}

/** Columns that are summed before their sum is added to the others: `tf.sum` of tfjs-wasm adds one by one, and loses the small. */
const SUMMED = 256;

/** log Σ_v e^logits[r, v], [R, 1] */
function logSumExp(logits: tf.Tensor): tf.Tensor {
  const [rows, columns] = logits.shape as [number, number];
  if (columns <= SUMMED) return tf.logSumExp(logits, 1, true);
  const most = tf.max(logits, 1, true);
  const parts = Math.ceil(columns / SUMMED);
  const padding: [number, number][] = [
    [0, 0],
    [0, parts * SUMMED - columns],
  ];
  const sums = tf.sum(tf.reshape(tf.pad(tf.exp(tf.sub(logits, most)), padding), [rows, parts, SUMMED]), 2);
  return tf.add(most, tf.log(tf.sum(sums, 1, true)));
}

/** In one operation where its sums are short enough, which has a gradient of its own. */
function logSoftmax(logits: tf.Tensor): tf.Tensor {
  const [, columns] = logits.shape as [number, number];
  return columns <= SUMMED ? tf.logSoftmax(logits) : tf.sub(logits, logSumExp(logits));
}

export function linearLogprob(args: Opened<LinearLogprobArgs>): void {
  const { hidden, weight, targets, temperature, logprobs, logSumExp: logSumExps, entropies, rows } = args;
  for (const block of rowBlocks(rows, weight.shape[0])) {
    tf.tidy(() => {
      const logits = temperedLogits(hidden.tensor(block), weight.tensor(), temperature.tensor());
      const scores = scoreLogits(logits, targets.tensor(block) as tf.Tensor1D);
      const [logprob, entropy] = tf.unstack(scores, 1) as [tf.Tensor, tf.Tensor];
      logprobs.set(logprob, block);
      entropies.set(entropy, block);
      logSumExps.set(tf.reshape(logSumExp(logits), [-1]), block);
    });
  }
}

export function linearLogprobBackward(args: Opened<LinearLogprobBackwardArgs>): void {
  const { hidden, weight, targets, temperature, dLogprobs, dEntropies, dHidden, dWeight, rows } = args;
  for (const block of rowBlocks(rows, weight.shape[0])) {
    tf.tidy(() => {
      const [ids, divisor] = [targets.tensor(block) as tf.Tensor1D, temperature.tensor()];
      const gradients = tf.grads((h: tf.Tensor, w: tf.Tensor) => scoreLogits(temperedLogits(h, w, divisor), ids));
      const dScores = tf.stack([dLogprobs.tensor(block), dEntropies.tensor(block)], 1);
      const [dRows, dMatrix] = gradients([hidden.tensor(block), weight.tensor()], dScores) as [tf.Tensor, tf.Tensor];
      dHidden.set(dRows, block);
      dWeight?.add(dMatrix);
    });
  }
}
