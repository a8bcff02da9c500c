import { describe, it } from 'vitest';
import type { Kernels } from '../../src/kernels/kernels.ts';
import type { Slot } from '../../src/kernels/memory.ts';
import { loadBackend } from '../support/backends.ts';
import { expectSameBits } from '../support/compare.ts';
import { integers, normals, offsetsOf, uniforms } from '../support/data.ts';
import { allRows, given, ids, matrix, poisoned, runKernel } from '../support/harness.ts';

const [N, D, F, V] = [61, 40, 24, 150];
const HEADS = { numHeads: 4, numKvHeads: 2, headDim: 8 };
const ALL = allRows(N);

/** One layer and its head, forward and backward: every kernel that divides its work among threads. */
const slots = {
  x: given([N, D], normals([N, D], 1)),
  norm: given([D], uniforms([D], 2, 0.5, 1.5)),
  normed: poisoned([N, D]),
  rstd: poisoned([N]),
  qkvWeight: matrix([64, D], normals([64, D], 3, 0.2)),
  qkv: poisoned([N, 64]),
  intervals: ids(
    [N, 2, 2],
    Array.from({ length: N }, (_, row) => [0, Math.min(row + 1, 20), 20, Math.max(20, row + 1)]).flat(),
  ),
  kv: given([N, 32], normals([N, 32], 4)),
  attended: poisoned([N, 32]),
  attentionLse: poisoned([N, 4]),
  gateUp: given([N, 2 * F], normals([N, 2 * F], 5)),
  gated: poisoned([N, F]),
  head: matrix([V, D], normals([V, D], 6, 0.2)),
  targets: ids([N], integers([N], 7, V)),
  temperature: given([1], [0.8]),
  logprobs: poisoned([N]),
  lse: poisoned([N]),
  entropies: poisoned([N]),
  dLogprobs: given([N], normals([N], 8)),
  dEntropies: given([N], normals([N], 9, 0.1)),
  dNormed: poisoned([N, D]),
  dHead: given([V, D], normals([V, D], 10)),
  dX: given([N, D], normals([N, D], 11)),
  dNorm: given([D], normals([D], 12)),
  dQkv: given([N, 64], normals([N, 64], 13)),
  dInput: poisoned([N, D]),
  dQkvWeight: given([64, D], normals([64, D], 14)),
  q: given([N, 32], normals([N, 32], 15)),
  dAttended: given([N, 32], normals([N, 32], 16)),
  prefixGroups: ids([2], offsetsOf([N])),
  dQ: poisoned([N, 32]),
  dKv: given([N, 32], normals([N, 32], 17)),
  dGated: given([N, F], normals([N, F], 18)),
  dGateUp: poisoned([N, 2 * F]),
  gradientPartials: poisoned([Math.ceil((V * D) / 1024)]),
  gradients: given([V * D], normals([V * D], 19)),
  gradientNorm: poisoned([1]),
};

function forward(kernels: Kernels, s: Readonly<Record<string, Slot>>): void {
  kernels.rmsNorm({ x: s.x, weight: s.norm, out: s.normed, rstd: s.rstd, eps: 1e-6, rows: ALL });
  kernels.linear({ x: s.normed, weight: s.qkvWeight, out: s.qkv, rows: ALL });
  const attention = { q: s.q, kv: s.kv, intervals: s.intervals, out: s.attended, logSumExp: s.attentionLse };
  kernels.attention({ ...attention, scale: 8 ** -0.5, heads: HEADS, rows: ALL });
  kernels.swiglu({ gateUp: s.gateUp, out: s.gated, rows: ALL });
  const scores = { hidden: s.normed, weight: s.head, targets: s.targets, temperature: s.temperature };
  const outputs = { logprobs: s.logprobs, logSumExp: s.lse, entropies: s.entropies };
  kernels.linearLogprob({ ...scores, ...outputs, rows: ALL });
}

function backward(kernels: Kernels, s: Readonly<Record<string, Slot>>): void {
  const scores = { hidden: s.normed, weight: s.head, targets: s.targets, temperature: s.temperature };
  const saved = { logSumExp: s.lse, entropies: s.entropies, dLogprobs: s.dLogprobs, dEntropies: s.dEntropies };
  kernels.linearLogprobBackward({ ...scores, ...saved, dHidden: s.dNormed, dWeight: s.dHead, rows: ALL });
  kernels.linearInputGradient({ dOut: s.dQkv, weight: s.qkvWeight, dX: s.dInput, rows: ALL });
  kernels.linearWeightGradient({ dOut: s.dQkv, x: s.normed, dWeight: s.dQkvWeight, rows: ALL });
  const norm = { x: s.x, weight: s.norm, rstd: s.rstd, dOut: s.dNormed, dX: s.dX, dWeight: s.dNorm };
  kernels.rmsNormBackward({ ...norm, rows: ALL });
  const attention = { q: s.q, kv: s.kv, intervals: s.intervals, out: s.attended, logSumExp: s.attentionLse };
  const groups = { prefixGroups: s.prefixGroups, prefixGroupCount: 1, scale: 8 ** -0.5, heads: HEADS };
  kernels.attentionBackward({ ...attention, ...groups, dOut: s.dAttended, dQ: s.dQ, dKv: s.dKv });
  kernels.swigluBackward({ gateUp: s.gateUp, dOut: s.dGated, dGateUp: s.dGateUp, rows: ALL });
  kernels.gradientNorm({ gradients: s.gradients, partials: s.gradientPartials, norm: s.gradientNorm });
}

describe.each(['', ':fma=false'])('wasm threads%s', (options) => {
  it.each([2, 3])('1 and %i give the same bits in every slot of a layer, forward and backward', async (threads) => {
    const build = (kernels: Kernels, named: Readonly<Record<string, Slot>>): void => {
      forward(kernels, named);
      backward(kernels, named);
    };
    const one = await runKernel(await loadBackend(`wasm:threads=1${options}`), slots, build);
    const more = await runKernel(await loadBackend(`wasm:threads=${threads}${options}`), slots, build);
    for (const name of Object.keys(slots)) expectSameBits(more[name], one[name], name);
  });
});
