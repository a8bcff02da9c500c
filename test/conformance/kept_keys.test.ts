/**
 * Keys and values that are kept as bf16: right by the specification on the same stored values, and with the very bits of the
 * same kernels on the widened ones, in every build and on any number of threads.
 */
import { describe, expect, it } from 'vitest';
import { fromBfloat, toBfloat } from '../../src/kernels/bfloat.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import type { Heads } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance, expectSameBits } from '../support/compare.ts';
import { integers, normals, uniforms } from '../support/data.ts';
import { allRows, given, ids, keptAsBfloat, poisoned, runCases, type TestSlot } from '../support/harness.ts';

/** Half a step between two bf16. */
const ROUNDING = 2 ** -8;
const PROMPT = 5;
const LENGTHS = [3, 41, 1];

const heads = (numHeads: number, numKvHeads: number, headDim: number): Heads => ({ numHeads, numKvHeads, headDim });
const GEOMETRIES = [heads(1, 1, 2), heads(2, 1, 6), heads(4, 4, 8), heads(3, 3, 10), heads(9, 3, 64), heads(4, 2, 44)];

/** Rows of a prompt and of completions that read it. */
function intervals(): number[][] {
  const rows = Array.from({ length: PROMPT }, (_, row) => [0, row + 1, 0, 0]);
  for (const length of LENGTHS) {
    const start = rows.length;
    for (let row = 0; row < length; row++) rows.push([0, PROMPT, start, start + row + 1]);
  }
  return rows;
}

/** The forward of attention and its backward. */
function attentionCase(geometry: Heads, asKept: (slot: TestSlot) => TestSlot): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = geometry;
  const read = intervals();
  const N = read.length;
  const keys = given([N, 2 * HK * hd], fromBfloat(toBfloat(normals([N, 2 * HK * hd], hd))));
  const terms = 2 * (hd + N) + N;
  const scale = hd ** -0.5;
  return {
    slots: {
      ...{ q: given([N, H * hd], normals([N, H * hd], 1)), kv: asKept(keys), intervals: ids([N, 2, 2], read.flat()) },
      ...{ out: poisoned([N, H * hd]), logSumExp: poisoned([N, H]), dOut: given([N, H * hd], normals([N, H * hd], 2)) },
      ...{ prefixGroups: ids([2], [0, N]), count: ids([1], [1]), dQ: poisoned([N, H * hd]) },
      dKv: given([N, 2 * HK * hd], normals([N, 2 * HK * hd], 3)),
    },
    build: (kernels, { q, kv, intervals: ranges, out, logSumExp, dOut, prefixGroups, count, dQ, dKv }) => {
      const operands = { q, kv, intervals: ranges, out, logSumExp, scale, heads: geometry };
      kernels.attention({ ...operands, rows: allRows(N) });
      const prefixGroupCount = { slot: count, index: 0 };
      kernels.attentionBackward({ ...operands, dOut, prefixGroups, prefixGroupCount, dQ, dKv });
    },
    writes: { out: { terms }, logSumExp: { terms }, dQ: { terms, absolute: 1e-6 }, dKv: { terms } },
  };
}

/** Rotary into rows of the cache, some of which are then moved. */
function rotaryCase(geometry: Heads): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = geometry;
  const N = 7;
  const width = 2 * HK * hd;
  return {
    slots: {
      ...{
        qkv: given([N, (H + 2 * HK) * hd], normals([N, (H + 2 * HK) * hd], 1)),
        positions: ids([N], integers([N], 1, 9)),
      },
      ...{
        cos: given([9, hd / 2], uniforms([9, hd / 2], 2, -1, 1)),
        sin: given([9, hd / 2], uniforms([9, hd / 2], 3, -1, 1)),
      },
      ...{ qNorm: given([hd], uniforms([hd], 4, 0.5, 1.5)), kNorm: given([hd], uniforms([hd], 5, 0.5, 1.5)) },
      ...{ kvRows: ids([N], [8, 7, 6, 5, 4, 3, 2]), q: poisoned([N, H * hd]) },
      kv: keptAsBfloat(given([N + 5, width], normals([N + 5, width], 6))),
      from: ids([3], [2, 8, 0]),
      places: ids([3], [9, 10, 11]),
    },
    build: (kernels, { qkv, positions, cos, sin, qNorm, kNorm, kvRows, q, kv, from, places }) => {
      kernels.rotary({
        qkv,
        positions,
        cos,
        sin,
        qNorm,
        kNorm,
        kvRows,
        q,
        kv,
        eps: 1e-6,
        heads: geometry,
        rows: allRows(N),
      });
      kernels.gatherRows({ x: kv, index: from, places, out: kv, rows: { begin: 0, end: 3 } });
    },
    writes: { q: { terms: hd }, kv: { relative: ROUNDING } },
  };
}

const outputsOf = async (backend: Backend, asKept: (slot: TestSlot) => TestSlot) =>
  runCases(
    backend,
    GEOMETRIES.map((geometry) => attentionCase(geometry, asKept)),
  );

const backends = await requiredBackends();

for (const { label, backend } of backends.filter(({ backend: { name } }) => name !== 'wasm')) {
  it(`${label} has no keys and values in bf16, and says so; the specification has their numbers`, async () => {
    if (backend.name === 'reference') await outputsOf(backend, keptAsBfloat);
    else await expect(outputsOf(backend, keptAsBfloat)).rejects.toMatchObject({ code: 'storage' });
  });
}

for (const { label, backend } of backends.filter(({ backend: { name } }) => name === 'wasm')) {
  describe(`keys and values in bf16 on ${label}`, () => {
    it('are attended to as float64 attends to the same stored values, forward and backward', async () => {
      await expectConformance(backend, ...GEOMETRIES.map((geometry) => attentionCase(geometry, keptAsBfloat)));
    });

    it('give the very bits of the widened ones', async () => {
      const [kept, widened] = [await outputsOf(backend, keptAsBfloat), await outputsOf(backend, (slot) => slot)];
      for (const [index, outputs] of kept.entries()) {
        for (const [name, values] of Object.entries(outputs)) expectSameBits(values, widened[index][name], name);
      }
    });

    it('are what rotary writes, rounded to the nearest, and are moved as they are', async () => {
      await expectConformance(backend, ...GEOMETRIES.map(rotaryCase));
      const [exact] = await runCases(backend, [
        { ...rotaryCase(heads(4, 2, 44)), slots: withFloats(rotaryCase(heads(4, 2, 44))) },
      ]);
      const [kept] = await runCases(backend, [rotaryCase(heads(4, 2, 44))]);
      expect([...kept.kv]).toEqual([...fromBfloat(toBfloat(exact.kv))]);
    });
  });
}

/** The same case whose keys and values are float32. */
function withFloats({ slots }: ConformanceCase): ConformanceCase['slots'] {
  return { ...slots, kv: { ...slots.kv, isKept: false } };
}
