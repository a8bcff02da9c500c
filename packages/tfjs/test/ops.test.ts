/** The ops of rlvr-train/tfjs: values and gradients against the float64 reference, and no tensor left behind. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { loadBackend } from '../../../test/support/backends.ts';
import { expectClose } from '../../../test/support/compare.ts';
import { integers, normals, offsetsOf, uniforms } from '../../../test/support/data.ts';
import { given, ids, matrix, poisoned, poisonedIds, runKernel } from '../../../test/support/harness.ts';
import { openPolicy } from '../../../test/support/policies.ts';
import {
  clippedObjective,
  groupAdvantages,
  policyFromTensors,
  policyToTensors,
  takeRows,
  tokenLogProbs,
  tokenScores,
} from '../index.ts';
import { TFJS_NAMES } from './names.ts';

const tensor = (shape: number[], values: ArrayLike<number>): tf.Tensor => tf.tensor(Float32Array.from(values), shape);

/** log-probs, entropies and gradients of the reference, for derivatives given by row. */
async function referenceScores(R: number, D: number, V: number, temperature: number) {
  const slots = {
    hidden: given([R, D], normals([R, D], 1)),
    weight: matrix([V, D], normals([V, D], 2, 2 / Math.sqrt(D))),
    targets: ids([R], integers([R], 3, V)),
    temperature: given([1], [temperature]),
    dLogprobs: given([R], normals([R], 4)),
    dEntropies: given([R], normals([R], 5, 0.3)),
    logprobs: poisoned([R]),
    logSumExp: poisoned([R]),
    entropies: poisoned([R]),
    dHidden: poisoned([R, D]),
    dWeight: given([V, D], new Float64Array(V * D)),
  };
  const outputs = await runKernel(referenceBackend, slots, (kernels, named) => {
    const { hidden, weight, targets, temperature, logSumExp, entropies } = named;
    const shared = { hidden, weight, targets, temperature, logSumExp, entropies, rows: { begin: 0, end: R } };
    kernels.linearLogprob({ ...shared, logprobs: named.logprobs });
    const { dLogprobs, dEntropies, dHidden, dWeight } = named;
    kernels.linearLogprobBackward({ ...shared, dLogprobs, dEntropies, dHidden, dWeight });
  });
  return { slots, outputs };
}

describe.each(TFJS_NAMES)('ops on tfjs:%s', (name) => {
  it.each([
    { R: 1, D: 3, V: 2, T: 1 },
    { R: 9, D: 17, V: 130, T: 0.7 },
    { R: 130, D: 8, V: 33, T: 1.3 },
  ])('token scores match the reference, values and gradients: %j', async ({ R, D, V, T }) => {
    await loadBackend(`tfjs:${name}`);
    const { slots, outputs } = await referenceScores(R, D, V, T);
    const before = tf.memory().numTensors;
    const hidden = tensor([R, D], slots.hidden.values) as tf.Tensor2D;
    const weight = tensor([V, D], slots.weight.values) as tf.Tensor2D;
    const [dLogprobs, dEntropies] = [tensor([R], slots.dLogprobs.values), tensor([R], slots.dEntropies.values)];
    const loss = (h: tf.Tensor, w: tf.Tensor): tf.Tensor => {
      const scores = tokenScores(h as tf.Tensor2D, w as tf.Tensor2D, slots.targets.values, { temperature: T });
      return tf.sum(tf.add(tf.mul(scores.logprobs, dLogprobs), tf.mul(scores.entropies, dEntropies)));
    };
    const gradients = tf.grads(loss)([hidden, weight]);
    const scores = tf.tidy(() => tokenScores(hidden, weight, slots.targets.values, { temperature: T }));
    const close = { terms: D + V, absolute: (2e-6 * Math.sqrt(D + V)) / T };
    expectClose(await scores.logprobs.data(), outputs.logprobs, close, 'logprobs');
    expectClose(await scores.entropies.data(), outputs.entropies, close, 'entropies');
    expectClose(await gradients[0].data(), outputs.dHidden, close, 'dHidden');
    expectClose(await gradients[1].data(), outputs.dWeight, { ...close, terms: R + D + V }, 'dWeight');
    tf.dispose([hidden, weight, dLogprobs, dEntropies, ...gradients, scores.logprobs, scores.entropies]);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('of given logits they are what they are of a head that makes these logits', async () => {
    await loadBackend(`tfjs:${name}`);
    const { slots, outputs } = await referenceScores(6, 5, 40, 0.8);
    const hidden = tensor([6, 5], slots.hidden.values) as tf.Tensor2D;
    const weight = tensor([40, 5], slots.weight.values) as tf.Tensor2D;
    const dLogprobs = tensor([6], slots.dLogprobs.values);
    const targets = slots.targets.values;
    const temperature = 0.8;
    const logits: tf.Tensor2D = tf.matMul(hidden, weight, false, true);
    expectClose(
      await tokenLogProbs(logits, undefined, targets, { temperature }).data(),
      outputs.logprobs,
      { terms: 45, absolute: 2e-5 },
      'logprobs',
    );
    const byLogits = tf.grad((x) => tokenLogProbs(x as tf.Tensor2D, undefined, targets, { temperature }));
    const byHidden = tf.grad((x) => tokenLogProbs(x as tf.Tensor2D, weight, targets, { temperature }));
    const expected = await byHidden(hidden, dLogprobs).data();
    const dLogits = byLogits(logits, dLogprobs) as tf.Tensor2D;
    expectClose(await tf.matMul(dLogits, weight).data(), expected, { terms: 45, absolute: 2e-5 }, 'dHidden');
  });

  it('has the same scores and gradients in blocks of few rows as in one', async () => {
    await loadBackend(`tfjs:${name}`);
    const hidden = tensor([9, 4], normals([9, 4], 7));
    const weight = tensor([50, 4], normals([50, 4], 8));
    const scoresIn = (mostLogits: number) =>
      tf.grads((h: tf.Tensor, w: tf.Tensor) =>
        tokenLogProbs(h as tf.Tensor2D, w as tf.Tensor2D, integers([9], 9, 50), { mostLogits }),
      )([hidden, weight]);
    const [whole, blocks, singles] = [scoresIn(1000), scoresIn(200), scoresIn(1)];
    for (const parts of [blocks, singles]) {
      expectClose(await parts[0].data(), await whole[0].data(), { terms: 100 }, 'dHidden');
      expectClose(await parts[1].data(), await whole[1].data(), { terms: 100 }, 'dWeight');
    }
  });

  it.each(['group', 'batch', 'none'] as const)('advantages match the reference, scaled by %s', async (scale) => {
    await loadBackend(`tfjs:${name}`);
    const sizes = [4, 3, 1, 5];
    const rewards = Float64Array.from(uniforms([13], 11), (value) => Math.round(value * 4) / 4);
    rewards.fill(0.75, 4, 7); // a dead group
    const offsets = offsetsOf(sizes);
    const slots = {
      rewards: given([13], rewards),
      offsets: ids([5], offsets),
      advantages: poisoned([13]),
      dead: poisonedIds([4]),
    };
    const expected = await runKernel(referenceBackend, slots, (kernels, named) => {
      const { rewards, offsets, advantages, dead } = named;
      kernels.groupAdvantages({ rewards, offsets, advantages, dead, groups: 4, scale });
    });
    const actual = groupAdvantages(tensor([13], rewards) as tf.Tensor1D, sizes, { scale });
    expectClose(await actual.data(), expected.advantages, { terms: 13 }, 'advantages');
    expect([...(await actual.data())].slice(4, 8)).toEqual([0, 0, 0, 0]);
  });

  it('the clipped objective and its gradient are the formula, clipped or not, capped or not', async () => {
    await loadBackend(`tfjs:${name}`);
    const logRatios = [0, 0.1, 0.5, -0.1, -0.5, 2];
    const options = { epsilonLow: 0.2, epsilonHigh: 0.28, delta: 4, beta: 0.1 };
    for (const advantage of [1.5, -1.5]) {
      const current = tensor([6], logRatios);
      const refLogprobs = tensor(
        [6],
        logRatios.map((value) => value - 0.3),
      );
      const objective = (x: tf.Tensor): tf.Tensor =>
        clippedObjective(x, tf.zeros([6]), tf.fill([6], advantage), { ...options, refLogprobs });
      const [losses, slopes] = [await objective(current).data(), await tf.grad(objective)(current).data()];
      logRatios.forEach((logRatio, i) => {
        const ratio = Math.exp(logRatio);
        const unclipped = Math.min(ratio, 4) * advantage;
        const clipped = Math.min(Math.max(ratio, 0.8), 1.28) * advantage;
        const isFlat = clipped < unclipped || ratio > 4;
        expect(losses[i]).toBeCloseTo(-Math.min(unclipped, clipped) + 0.1 * (Math.exp(-0.3) + 0.3 - 1), 4);
        expect(slopes[i]).toBeCloseTo((isFlat ? 0 : -ratio * advantage) + 0.1 * (1 - Math.exp(-0.3)), 4);
      });
    }
  });

  it('takes rows, and adds the gradients of rows that are taken twice', async () => {
    await loadBackend(`tfjs:${name}`);
    const index = integers([200], 13, 7);
    const dOut = normals([200, 3], 14);
    const gradient = tf.grad((x) => takeRows(x, index))(tensor([9, 3], normals([9, 3], 15)), tensor([200, 3], dOut));
    const expected = new Float64Array(27);
    index.forEach((row, i) => {
      for (let c = 0; c < 3; c++) expected[row * 3 + c] += dOut[i * 3 + c];
    });
    expectClose(await gradient.data(), expected, { terms: 200 });
  });

  it('a wrong target, or groups that do not add up, are named', async () => {
    await loadBackend(`tfjs:${name}`);
    const logits = tf.zeros([2, 3]) as tf.Tensor2D;
    expect(() => tokenLogProbs(logits, undefined, [0, 3])).toThrow('tokenLogProbs: target 3 is not in 0 … 2.');
    expect(() => tokenLogProbs(logits, undefined, [0])).toThrow('1 targets for 2 rows');
    expect(() => groupAdvantages(tf.zeros([5]), 2)).toThrow('groups of 2 do not add up to 5 rewards');
  });

  it("a policy's weights come out as tensors and go back in, whether its kernels are tfjs's or ours", async () => {
    const backends = [await loadBackend(`tfjs:${name}`), await wasmBackend({ threads: 1 })];
    for (const backend of backends) {
      const policy = await openPolicy(backend);
      const weights = await policy.readVector('weights');
      const tensors = await policyToTensors(policy);
      expect(Object.keys(tensors)).toEqual(policy.parameters.map((parameter) => parameter.name));
      const doubled = Object.fromEntries(Object.entries(tensors).map(([key, value]) => [key, tf.mul(value, 2)]));
      await policyFromTensors(policy, doubled);
      tf.dispose([...Object.values(tensors), ...Object.values(doubled)]);
      expectClose(
        await policy.readVector('weights'),
        weights.map((value) => 2 * value),
        { relative: 0 },
      );
      const { 'lm_head.weight': _, ...others } = await policyToTensors(policy);
      await expect(policyFromTensors(policy, others)).rejects.toThrow('lm_head.weight must be [43,32]; there is none.');
      await policy.close();
    }
  });
});
