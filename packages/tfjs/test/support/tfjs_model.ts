/**
 * The whole transformer as one differentiable tfjs function, written from the formulas with plain ops and a dense
 * mask: what tf.grads says of the loss, to hold the gradients of our kernels against.
 */
import * as tf from '@tensorflow/tfjs';
import type { PackedBatch } from '../../../../src/model/batch.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';

/** Derivatives of a loss by each loss row's log-prob and entropy. */
export interface RowDerivatives {
  readonly dLogprobs: Float32Array;
  readonly dEntropies: Float32Array;
}

/** Log-probs and entropies of a batch's loss rows, and the gradient of every parameter, in the policy's order. */
export async function gradientsByTfjs(
  policy: Policy,
  weights: ArrayLike<number>,
  batch: PackedBatch,
  temperature: number,
  { dLogprobs, dEntropies }: RowDerivatives,
): Promise<{ logprobs: Float32Array; gradients: ReadonlyMap<string, Float32Array> }> {
  const names = policy.parameters.map(({ name }) => name);
  const values = policy.parameters.map(({ slot }) => {
    const size = slot.shape.reduce((product, length) => product * length, 1);
    return tf.tensor(Float32Array.from(weights).slice(slot.offset, slot.offset + size), [...slot.shape]);
  });
  const forward = (...tensors: tf.Tensor[]): tf.Tensor => {
    const named = new Map(names.map((name, i) => [name, tensors[i]]));
    return scores(policy.shape, named, batch, temperature);
  };
  const dScores = tf.stack([tf.tensor1d(dLogprobs), tf.tensor1d(dEntropies)], 1);
  const gradients = tf.grads(forward)(values, dScores);
  const [logprobs] = tf.unstack(forward(...values), 1);
  const data = await Promise.all(gradients.map((gradient) => gradient.data()));
  return {
    logprobs: (await logprobs.data()) as Float32Array,
    gradients: new Map(names.map((name, i) => [name, data[i] as Float32Array])),
  };
}

/** [loss rows, 2]: log-prob of the target, entropy. */
function scores(
  shape: ModelShape,
  weights: ReadonlyMap<string, tf.Tensor>,
  batch: PackedBatch,
  temperature: number,
): tf.Tensor {
  const weight = (name: string): tf.Tensor => {
    const found = weights.get(name);
    if (found === undefined) throw new Error(`no parameter ${name}`);
    return found;
  };
  const embedding = weight('model.embed_tokens.weight');
  const oneHot = (ids: Int32Array, size: number): tf.Tensor =>
    tf.cast(tf.oneHot(tf.tensor1d(ids, 'int32'), size), 'float32');
  const rowCount = batch.tokens.length;
  const tokens = batch.tokens;
  let x = tf.matMul(oneHot(tokens, shape.vocabSize), embedding);
  const mask = denseMask(batch.intervals, rowCount);
  const angles = rotaryAngles(batch.positions, shape);
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const part = (name: string): tf.Tensor => weight(`model.layers.${layer}.${name}`);
    const normed = rms(x, part('input_layernorm.weight'), shape.rmsNormEps);
    const head = (name: 'q' | 'k' | 'v', count: number): tf.Tensor => {
      let out = tf.matMul(normed, part(`self_attn.${name}_proj.weight`), false, true);
      if (shape.attentionBias) out = tf.add(out, part(`self_attn.${name}_proj.bias`));
      let perHead = tf.transpose(tf.reshape(out, [rowCount, count, shape.headDim]), [1, 0, 2]);
      if (name === 'v') return perHead;
      if (shape.qkNorm) perHead = rms(perHead, part(`self_attn.${name}_norm.weight`), shape.rmsNormEps);
      return rotate(perHead, angles);
    };
    const repeat = shape.numHeads / shape.numKvHeads;
    const shared = (perHead: tf.Tensor): tf.Tensor =>
      tf.reshape(tf.tile(tf.expandDims(perHead, 1), [1, repeat, 1, 1]), [shape.numHeads, rowCount, shape.headDim]);
    const [q, k, v] = [head('q', shape.numHeads), head('k', shape.numKvHeads), head('v', shape.numKvHeads)];
    const logits = tf.add(tf.div(tf.matMul(q, shared(k), false, true), Math.sqrt(shape.headDim)), mask);
    const attended = tf.reshape(tf.transpose(tf.matMul(tf.softmax(logits), shared(v)), [1, 0, 2]), [rowCount, -1]);
    x = tf.add(x, tf.matMul(attended, part('self_attn.o_proj.weight'), false, true));
    const second = rms(x, part('post_attention_layernorm.weight'), shape.rmsNormEps);
    const gate = tf.matMul(second, part('mlp.gate_proj.weight'), false, true);
    const up = tf.matMul(second, part('mlp.up_proj.weight'), false, true);
    const activated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
    x = tf.add(x, tf.matMul(activated, part('mlp.down_proj.weight'), false, true));
  }
  const picked = tf.matMul(oneHot(batch.lossIndex, rowCount), x);
  const hidden = rms(picked, weight('model.norm.weight'), shape.rmsNormEps);
  const headWeight = shape.tieWordEmbeddings ? embedding : weight('lm_head.weight');
  const logProbs = tf.logSoftmax(tf.div(tf.matMul(hidden, headWeight, false, true), temperature));
  const logprob = tf.sum(tf.mul(oneHot(batch.targets, shape.vocabSize), logProbs), 1);
  return tf.stack([logprob, tf.neg(tf.sum(tf.mul(tf.exp(logProbs), logProbs), 1))], 1);
}

function rms(x: tf.Tensor, weight: tf.Tensor, eps: number): tf.Tensor {
  return tf.mul(tf.div(x, tf.sqrt(tf.add(tf.mean(tf.square(x), -1, true), eps))), weight);
}

function rotate(x: tf.Tensor, { cos, sin }: { cos: tf.Tensor; sin: tf.Tensor }): tf.Tensor {
  const [a, b] = tf.split(x, 2, 2);
  return tf.concat([tf.sub(tf.mul(a, cos), tf.mul(b, sin)), tf.add(tf.mul(b, cos), tf.mul(a, sin))], 2);
}

function rotaryAngles(positions: Int32Array, shape: ModelShape): { cos: tf.Tensor; sin: tf.Tensor } {
  const half = shape.headDim / 2;
  const angles = [...positions].map((position) =>
    Array.from({ length: half }, (_, i) => position * shape.ropeTheta ** (-i / half)),
  );
  return {
    cos: tf.tensor2d(angles.map((row) => row.map(Math.cos))),
    sin: tf.tensor2d(angles.map((row) => row.map(Math.sin))),
  };
}

/** 0 where a row reads a row, −1e30 where it does not. */
function denseMask(intervals: Int32Array, rowCount: number): tf.Tensor {
  const mask = new Float32Array(rowCount * rowCount).fill(-1e30);
  for (let row = 0; row < rowCount; row++) {
    const [a, b, c, d] = intervals.subarray(row * 4, row * 4 + 4);
    mask.fill(0, row * rowCount + a, row * rowCount + b);
    mask.fill(0, row * rowCount + c, row * rowCount + d);
  }
  return tf.tensor2d(mask, [rowCount, rowCount]);
}
