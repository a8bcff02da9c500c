/**
 * Every kernel that reads or writes what may be kept as float16, against float64 on inputs that float16 holds.
 *
 * Arithmetic is float32 on both sides of a store, so an element of a float16 output is off by one rounding to float16,
 * 2⁻¹¹ of itself at most, besides what its float32 sum is allowed.
 */
import { describe, expect, it } from 'vitest';
import { fromHalf, toHalf } from '../../../../src/kernels/half.ts';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { expectClose, expectConformance, RELATIVE, type Tolerance } from '../../../../test/support/compare.ts';
import { normals, uniforms } from '../../../../test/support/data.ts';
import {
  allRows,
  given,
  ids,
  type KernelCase,
  matrix,
  poisoned,
  roundable,
  runKernel,
} from '../../../../test/support/harness.ts';

const HALF_ROUNDING = 2 ** -11;
const backend = await loadBackend('webgpu:lavapipe:storageDtype=float16');
const cut = await loadBackend('webgpu:lavapipe:storageDtype=float16:bindingBytes=8192');

/** Of an output kept as float16, of sums of so many terms. */
const rounded = (terms = 1): Tolerance => ({ relative: HALF_ROUNDING + RELATIVE * Math.sqrt(terms) });

/** An even number of rows: the host writes float16 in whole pairs. */
const [N, D, F] = [38, 24, 44];
const random = (shape: readonly number[], seed: number, deviation?: number) =>
  given(shape, normals(shape, seed, deviation));
const half = (shape: readonly number[], seed: number, deviation?: number) => roundable(random(shape, seed, deviation));
const halfOutput = (shape: readonly number[]) => roundable(poisoned(shape));
const rows = allRows(N);

describe('float16 storage', () => {
  it('holds what host and device write, rounded to the nearest', async () => {
    const values = [0, -0, 1, -1.5, 65504, 2 ** -24, 2 ** -14, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 65520, -1e9];
    const nearest = [0, -0, 1, -1.5, 65504, 2 ** -24, 2 ** -14, 1, 1 + 2 ** -9, 65504, Infinity, -Infinity];
    expect([...fromHalf(toHalf(values))]).toEqual(nearest);
    const slots = {
      x: { ...given([12], values), isRoundable: true },
      exact: given([12], values),
      copied: halfOutput([12]),
      back: poisoned([12]),
    };
    const outputs = await runKernel(backend, slots, (kernels, { x, exact, copied, back }) => {
      kernels.copy({ x: exact, out: copied });
      kernels.copy({ x, out: back });
    });
    for (const name of ['x', 'copied', 'back']) expect([...outputs[name]], name).toEqual(nearest);
  });

  it.each([
    ['vectors', 64, 96],
    ['scalars', 37, 45],
  ])('serves linear layers and the gradients of their weights: %s', async (_, inputs, outputs) => {
    for (const count of [4, 38]) {
      const all = allRows(count);
      await expectConformance(backend, {
        slots: {
          x: half([count, inputs], 1),
          weight: matrix([outputs, inputs], normals([outputs, inputs], 2)),
          residual: random([count, outputs], 3),
          exact: poisoned([count, outputs]),
          rounded: halfOutput([count, outputs]),
          dOut: random([count, outputs], 4),
          dWeight: random([outputs, inputs], 5),
        },
        build: (kernels, { x, weight, residual, exact, rounded: out, dOut, dWeight }) => {
          kernels.linear({ x, weight, residual, out: exact, rows: all });
          kernels.linear({ x, weight, out, rows: all });
          kernels.linearWeightGradient({ dOut, x, dWeight, rows: all });
        },
        writes: { exact: { terms: inputs }, rounded: rounded(inputs), dWeight: { terms: count } },
      });
    }
  });

  it('serves norms and gated units, forward and backward', async () => {
    const dOut = random([N, D], 6);
    await expectConformance(
      backend,
      {
        slots: { x: random([N, D], 1), weight: random([D], 2), out: halfOutput([N, D]), rstd: poisoned([N]) },
        build: (kernels, { x, weight, out, rstd }) => kernels.rmsNorm({ x, weight, out, rstd, eps: 1e-5, rows }),
        writes: { out: rounded(D), rstd: { terms: D } },
      },
      {
        slots: {
          gateUp: half([N, 2 * F], 3),
          out: halfOutput([N, F]),
          dOut: random([N, F], 4),
          dGateUp: poisoned([N, 2 * F]),
        },
        build: (kernels, { gateUp, out, dOut: d, dGateUp }) => {
          kernels.swiglu({ gateUp, out, rows });
          kernels.swigluBackward({ gateUp, dOut: d, dGateUp, rows });
        },
        writes: { out: rounded(), dGateUp: {} },
      },
      {
        slots: {
          x: half([N, D], 5),
          index: ids([N], indices(N)),
          out: halfOutput([N, D]),
          exact: poisoned([N, D]),
          dOut,
        },
        build: (kernels, { x, index, out, exact }) => {
          kernels.gatherRows({ x, index, out, rows });
          kernels.gatherRows({ x, index, out: exact, rows });
        },
        writes: { out: { relative: 0 }, exact: { relative: 0 } },
      },
    );
  });

  it('serves rotary embeddings, with the norms of queries and keys', async () => {
    const heads = { numHeads: 4, numKvHeads: 2, headDim: 6 };
    const [wide, q, kv] = [8 * 6, 4 * 6, 2 * 2 * 6];
    const shared = { eps: 1e-5, heads, rows };
    await expectConformance(backend, {
      slots: {
        qkv: half([N, wide], 1),
        positions: ids([N], indices(N)),
        kvRows: ids([N], indices(N)),
        cos: given([N, 3], uniforms([N, 3], 2, -1, 1)),
        sin: given([N, 3], uniforms([N, 3], 3, -1, 1)),
        qNorm: given([6], uniforms([6], 4, 0.5, 1.5)),
        kNorm: given([6], uniforms([6], 5, 0.5, 1.5)),
        q: halfOutput([N, q]),
        kv: halfOutput([N, kv]),
        dQ: random([N, q], 6),
        dKv: random([N, kv], 7),
        dQkv: poisoned([N, wide]),
        dQNorm: random([6], 8),
        dKNorm: random([6], 9),
      },
      build: (kernels, slots) => {
        const { qkv, positions, kvRows, cos, sin, qNorm, kNorm } = slots;
        const inputs = { qkv, positions, kvRows, cos, sin, qNorm, kNorm, ...shared };
        kernels.rotary({ ...inputs, q: slots.q, kv: slots.kv });
        const { dQ, dKv, dQkv, dQNorm, dKNorm } = slots;
        kernels.rotaryBackward({ ...inputs, dQ, dKv, dQkv, dQNorm, dKNorm });
      },
      writes: {
        ...{ q: rounded(6), kv: rounded(6), dQkv: { terms: 12 } },
        ...{ dQNorm: { terms: 4 * N }, dKNorm: { terms: 2 * N } },
      },
    });
  });

  it('serves attention, forward and backward', async () => {
    const heads = { numHeads: 4, numKvHeads: 2, headDim: 8 };
    const [q, kv] = [4 * 8, 2 * 2 * 8];
    const shared = { scale: 8 ** -0.5, heads };
    const prompt = 9;
    const intervals = indices(N).flatMap((r) => (r < prompt ? [0, r + 1, 0, 0] : [0, prompt, prompt, r + 1]));
    const inputs = { q: half([N, q], 1), kv: half([N, kv], 2), intervals: ids([N, 2, 2], intervals) };
    const forward: KernelCase = {
      slots: { ...inputs, out: halfOutput([N, q]), logSumExp: poisoned([N, 4]) },
      build: (kernels, slots) => {
        const { q: queries, kv: keys, intervals: ranges, out, logSumExp } = slots;
        kernels.attention({ q: queries, kv: keys, intervals: ranges, out, logSumExp, ...shared, rows });
      },
    };
    const terms = 8 + N;
    await expectConformance(backend, { ...forward, writes: { out: rounded(terms), logSumExp: { terms } } });
    const saved = await runKernel(referenceBackend, forward.slots, forward.build);
    await expectConformance(backend, {
      slots: {
        ...inputs,
        out: roundable(given([N, q], saved.out)),
        logSumExp: given([N, 4], saved.logSumExp),
        dOut: random([N, q], 3),
        prefixGroups: ids([2], [0, N]),
        count: ids([1], [1]),
        dQ: poisoned([N, q]),
        dKv: random([N, kv], 4),
      },
      build: (kernels, slots) => {
        const { q: queries, kv: keys, intervals: ranges, out, logSumExp, dOut, prefixGroups, count, dQ, dKv } = slots;
        const operands = { q: queries, kv: keys, intervals: ranges, out, logSumExp, dOut, prefixGroups, dQ, dKv };
        kernels.attentionBackward({ ...operands, ...shared, prefixGroupCount: { slot: count, index: 0 } });
      },
      writes: { dQ: { terms: 2 * terms + N }, dKv: { terms: 2 * terms + N } },
    });
  });

  it.each([
    ['whole', backend],
    ['cut into pieces', cut],
  ])('serves a frozen policy whose weights are rounded when they are copied: %s', async (_, by) => {
    const V = 302;
    const weight = roundable(matrix([V, D], normals([V, D], 1, 0.3)));
    const targets = indices(N).map((r) => (7 * r) % V);
    await expectConformance(by, {
      slots: {
        ...{ weight, tokens: ids([N], targets), embedded: poisoned([N, D]), hidden: random([N, D], 2) },
        ...{ temperature: given([1], [0.8]), targets: ids([N], targets) },
        ...{ logprobs: poisoned([N]), logSumExp: poisoned([N]), entropies: poisoned([N]) },
      },
      build: (kernels, { weight: table, tokens, embedded, hidden, temperature, targets: wanted, ...out }) => {
        const { logprobs, logSumExp, entropies } = out;
        kernels.embedding({ tokens, table, out: embedded, rows });
        const head = { hidden, weight: table, targets: wanted, temperature };
        kernels.linearLogprob({ ...head, logprobs, logSumExp, entropies, rows });
      },
      writes: {
        ...{ embedded: { relative: 0 }, logprobs: { terms: D + V } },
        ...{ logSumExp: { terms: D + V }, entropies: { terms: D + V } },
      },
    });
    const copied = await runKernel(
      by,
      { weight: matrix([V, D], normals([V, D], 1, 0.3)), frozen: roundable(poisoned([V, D])) },
      (kernels, { weight: x, frozen }) => kernels.copy({ x, out: frozen }),
    );
    expectClose(copied.frozen, weight.values, { relative: 0 });
  });
});

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
