/** A vocabulary of 150,000: its weights are larger than the 128 MiB that one kernel may see of a buffer. */
import { expect, it } from 'vitest';
import type { MemoryPlan } from '../../../../src/kernels/memory.ts';
import { ArenaBuilder } from '../../../../src/kernels/memory.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import { normals } from '../../../../test/support/data.ts';
import { webgpuBackend } from '../../backend.ts';
import { openAdapter } from '../support/adapters.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const [V, D, R] = [151_936, 224, 2];
const TEMPERATURE = 0.8;
const TARGETS = [3, V - 1];

/** Uniform between −0.1 and 0.1: drawing millions of normals would take longer than the kernels. */
function cheapNoise(length: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.2;
  });
}

/** Log-prob of the target and entropy, in float64. */
function expectedOf(hidden: ArrayLike<number>, weight: Float32Array, row: number) {
  const logits = Float64Array.from({ length: V }, (_, v) => {
    let sum = 0;
    for (let d = 0; d < D; d++) sum += hidden[row * D + d] * weight[v * D + d];
    return sum / TEMPERATURE;
  });
  const largest = logits.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const mass = logits.reduce((sum, value) => sum + Math.exp(value - largest), 0);
  const logSumExp = largest + Math.log(mass);
  const mean = logits.reduce((sum, value) => sum + Math.exp(value - logSumExp) * value, 0);
  return { logprob: logits[TARGETS[row]] - logSumExp, entropy: logSumExp - mean };
}

it('scores, samples and goes back through 150,000 tokens under bindings of 128 MiB', async () => {
  const backend = await webgpuBackend(await openAdapter(REQUIRED_ADAPTERS[0]), { bindingBytes: 2 ** 27 });
  const arenas = {
    weights: new ArenaBuilder('weights', 'real', 'weights'),
    gradients: new ArenaBuilder('gradients', 'real', 'gradients'),
    small: new ArenaBuilder('small', 'real', 'activations'),
    ints: new ArenaBuilder('ints', 'int', 'batch'),
  };
  const { small, ints } = arenas;
  const weight = arenas.weights.slot([V, D]);
  const dWeight = arenas.gradients.slot([V, D]);
  const [hidden, dHidden] = [small.slot([R, D]), small.slot([R, D])];
  const perRow = ['logprobs', 'logSumExp', 'entropies', 'dLogprobs', 'dEntropies', 'sampledLogprobs', 'keptLogMass'];
  const real = Object.fromEntries(perRow.map((name) => [name, small.slot([R])]));
  const [temperature, sampling] = [small.slot([1]), small.slot([4])];
  const [targets, counters, tokens] = [ints.slot([R]), ints.slot([R]), ints.slot([R])];
  const [key, rolloutNumbers] = [ints.slot([2]), ints.slot([R, 2])];
  const plan: MemoryPlan = {
    arenas: Object.values(arenas).map((arena) => arena.spec()),
    matrices: [{ slot: weight, uses: ['forward', 'backward'] }],
    limits: { rows: R, context: R, vocabSize: V, width: D, headDim: 1 },
  };
  const engine = await backend.open(plan);
  try {
    const [values, inputs] = [cheapNoise(V * D), normals([R, D], 1)];
    engine.write(weight, values);
    engine.write(hidden, inputs);
    engine.write(targets, TARGETS);
    engine.write(temperature, [TEMPERATURE]);
    engine.write(sampling, [TEMPERATURE, 0, 1, 0]);
    engine.write(real.dLogprobs, [1, 0]);
    const rows = { begin: 0, end: R };
    const { logprobs, logSumExp, entropies, dLogprobs, dEntropies } = real;
    const shared = { hidden, weight, targets, temperature, logSumExp, entropies, rows };
    const score = engine.record('score', (kernels) => kernels.linearLogprob({ ...shared, logprobs }));
    const sample = engine.record('sample', (kernels) =>
      kernels.sample({
        ...{ hidden, weight, sampling, key, rolloutNumbers, counters, tokens, rows },
        ...{ logprobs: real.sampledLogprobs, entropies, keptLogMass: real.keptLogMass },
      }),
    );
    const backward = engine.record('backward', (kernels) =>
      kernels.linearLogprobBackward({ ...shared, dLogprobs, dEntropies, dHidden, dWeight }),
    );
    await engine.replay(score);
    const scored = { logprobs: await engine.read(logprobs), entropies: await engine.read(entropies) };
    for (let row = 0; row < R; row++) {
      const { logprob, entropy } = expectedOf(inputs, values, row);
      expect(Math.abs(scored.logprobs[row] - logprob)).toBeLessThan(1e-4);
      expect(Math.abs(scored.entropies[row] - entropy)).toBeLessThan(1e-4);
    }
    await engine.replay(sample);
    const sampled = await engine.read(real.sampledLogprobs);
    engine.write(targets, await engine.read(tokens));
    await engine.replay(score);
    expectSameBits(await engine.read(logprobs), sampled, 'log-probs of the sampled tokens');

    engine.write(targets, TARGETS);
    await engine.replay(score, backward);
    // dWeight[target] of the one row with a derivative: (1 − p)·hidden/T, at either end of the table.
    const target = { ...dWeight, offset: dWeight.offset + TARGETS[0] * D, shape: [D] };
    const gradient = await engine.read(target);
    const slope = (1 - Math.exp(scored.logprobs[0])) / TEMPERATURE;
    gradient.forEach((value, d) => {
      expect(Math.abs(value - slope * inputs[d])).toBeLessThan(1e-5);
    });
    const last = { ...dWeight, offset: dWeight.offset + (V - 1) * D, shape: [D] };
    expect((await engine.read(last)).some((value) => value !== 0)).toBe(true);
  } finally {
    await engine.close();
  }
});
