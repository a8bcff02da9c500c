/**
 * Log-probs and entropies of target tokens as a differentiable op: log-softmax of a linear head, by blocks of rows.
 *
 *   u = (hidden·weightᵀ)/T;  logprob = u[target] − log Σ e^u;  entropy = log Σ e^u − Σ p·u
 *
 * Logits exist for a block of rows at a time (16 MiB), forward and backward: [rows, vocabulary] is never held. On
 * tfjs-webgpu a block takes two kernels of ours, elsewhere tfjs ops.
 */
import * as tf from '@tensorflow/tfjs';
import { rowBlocks, scoreLogits } from './kernels/linear_logprob.ts';
import { hasLogitKernels, logitGradients, scoreLogitsFused } from './webgpu_kernels.ts';

/** How tokens are scored, and how much memory that may take. */
export interface TokenScoreOptions {
  /** Divides the logits; default 1. */
  readonly temperature?: number;
  /** Logits that exist at once, at most; default 2²², 16 MiB. */
  readonly mostLogits?: number;
  /** true: tfjs ops on tfjs-webgpu too, to compare our kernels with. Default false. */
  readonly composed?: boolean;
}

/** One number per row, both differentiable. A type, not an interface: tf.tidy takes only such. */
export type TokenScores = {
  readonly logprobs: tf.Tensor1D;
  /** Nats. */
  readonly entropies: tf.Tensor1D;
};

/**
 * Log-prob of each row's target.
 * @param hidden  [R, D], or logits [R, V] where there is no weight
 * @param weight  [V, D] of the head, or undefined
 * @param targets [R] token ids
 * @returns [R], differentiable in hidden and weight
 * @throws Error where shapes do not fit
 */
export function tokenLogProbs(
  hidden: tf.Tensor2D,
  weight: tf.Tensor2D | undefined,
  targets: ArrayLike<number>,
  options: TokenScoreOptions = {},
): tf.Tensor1D {
  return tf.tidy(() => tokenScores(hidden, weight, targets, options).logprobs);
}

/** Log-probs as `tokenLogProbs` gives them, and entropies of the same distributions. */
export function tokenScores(
  hidden: tf.Tensor2D,
  weight: tf.Tensor2D | undefined,
  targets: ArrayLike<number>,
  { temperature = 1, mostLogits, composed = false }: TokenScoreOptions = {},
): TokenScores {
  const ids = Int32Array.from(targets);
  check(hidden, weight, ids, temperature);
  const method: Method = { temperature, mostLogits, hasKernels: !composed && hasLogitKernels() };
  return tf.tidy(() => {
    const scores = weight === undefined ? scoreRows(hidden, ids, method) : scoreHead(hidden, weight, ids, method);
    const [logprobs, entropies] = tf.unstack(scores, 1) as [tf.Tensor1D, tf.Tensor1D];
    return { logprobs, entropies };
  });
}

function check(hidden: tf.Tensor2D, weight: tf.Tensor2D | undefined, ids: Int32Array, temperature: number): void {
  const [rows, width] = hidden.shape;
  const vocabulary = weight === undefined ? width : weight.shape[0];
  if (ids.length !== rows) throw new Error(`tokenLogProbs: ${ids.length} targets for ${rows} rows.`);
  if (weight !== undefined && weight.shape[1] !== width) {
    throw new Error(`tokenLogProbs: hidden [${hidden.shape}] and weight [${weight.shape}] differ in width.`);
  }
  if (!(temperature > 0)) throw new Error(`tokenLogProbs: temperature ${temperature}: it must be above 0.`);
  const wrong = ids.find((id) => id < 0 || id >= vocabulary);
  if (wrong !== undefined) throw new Error(`tokenLogProbs: target ${wrong} is not in 0 … ${vocabulary - 1}.`);
}

interface Method {
  readonly temperature: number;
  readonly mostLogits: number | undefined;
  readonly hasKernels: boolean;
}

/** [rows, 2]: log-prob and entropy, from logits that no temperature has divided. */
function scoresOf(logits: tf.Tensor, ids: Int32Array, { temperature, hasKernels }: Method): tf.Tensor {
  const targets = tf.tensor1d(ids, 'int32');
  if (hasKernels) return tf.slice(scoreLogitsFused(logits, targets, temperature), [0, 0], [-1, 2]);
  return scoreLogits(tf.div(logits, temperature), targets);
}

/**
 * Gradient of `scoresOf` by its logits: (dLogprob·(1[v = target] − p) − dEntropy·p·(log p + entropy))/T. Not tf.grad,
 * which tfjs cannot nest in a gradient: the inner one ends the outer one's tape.
 */
function gradientOf(logits: tf.Tensor, ids: Int32Array, method: Method, dScores: tf.Tensor): tf.Tensor {
  const { temperature } = method;
  const targets = tf.tensor1d(ids, 'int32');
  if (method.hasKernels) {
    const scores = scoreLogitsFused(logits, targets, temperature);
    return logitGradients(logits, targets, scores, dScores, temperature);
  }
  const [dLogprob, dEntropy] = tf.split(dScores, 2, 1);
  const logP = tf.logSoftmax(tf.div(logits, temperature));
  const p = tf.exp(logP);
  const entropy = tf.neg(tf.sum(tf.mul(p, logP), 1, true));
  const isTarget = tf.cast(tf.oneHot(targets, logP.shape[1] as number), 'float32');
  const du = tf.sub(tf.mul(dLogprob, tf.sub(isTarget, p)), tf.mul(dEntropy, tf.mul(p, tf.add(logP, entropy))));
  return tf.div(du, temperature);
}

/** Scores of logits that are there already. */
function scoreRows(logits: tf.Tensor2D, ids: Int32Array, method: Method): tf.Tensor {
  const score = tf.customGrad((x, save) => {
    (save as tf.GradSaveFunc)([x as tf.Tensor]);
    return {
      value: scoresOf(x as tf.Tensor, ids, method),
      gradFunc: (dScores: tf.Tensor, [saved]: tf.Tensor[]) => gradientOf(saved, ids, method, dScores),
    };
  });
  return score(logits);
}

/** Scores under a head, whose logits are computed block by block, and again for the gradient. */
function scoreHead(hidden: tf.Tensor2D, weight: tf.Tensor2D, ids: Int32Array, method: Method): tf.Tensor {
  const blocks = rowBlocks({ begin: 0, end: ids.length }, weight.shape[0], method.mostLogits);
  const rowsOf = (x: tf.Tensor, i: number): tf.Tensor =>
    tf.slice(x, [blocks[i].begin, 0], [blocks[i].end - blocks[i].begin, -1]);
  const idsOf = (i: number): Int32Array => ids.slice(blocks[i].begin, blocks[i].end);
  const logitsOf = (h: tf.Tensor, w: tf.Tensor): tf.Tensor => tf.matMul(h, w, false, true);
  const forward = (h: tf.Tensor, w: tf.Tensor): tf.Tensor =>
    tf.concat(
      blocks.map((_, i) => tf.tidy(() => scoresOf(logitsOf(rowsOf(h, i), w), idsOf(i), method))),
      0,
    );
  const backward = (h: tf.Tensor, w: tf.Tensor, dScores: tf.Tensor): [tf.Tensor, tf.Tensor] => {
    const parts: tf.Tensor[] = [];
    let dWeight: tf.Tensor = tf.zerosLike(w);
    blocks.forEach((_, i) => {
      const [dRows, sum] = tf.tidy(() => {
        const rows = rowsOf(h, i);
        const dLogits = gradientOf(logitsOf(rows, w), idsOf(i), method, rowsOf(dScores, i));
        return [tf.matMul(dLogits, w), tf.add(dWeight, tf.matMul(dLogits, rows, true))];
      });
      dWeight.dispose();
      dWeight = sum;
      parts.push(dRows);
    });
    return [tf.concat(parts, 0), dWeight];
  };
  const score = tf.customGrad((h, w, save) => {
    (save as tf.GradSaveFunc)([h as tf.Tensor, w as tf.Tensor]);
    return {
      value: forward(h as tf.Tensor, w as tf.Tensor),
      gradFunc: (dScores: tf.Tensor, [rows, head]: tf.Tensor[]) => backward(rows, head, dScores),
    };
  });
  return score(hidden, weight);
}
