import { describe, it } from 'vitest';
import type { Heads } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectClose, expectConformance, rowsOf, without } from '../support/compare.ts';
import { consecutive, integers, normals, uniforms } from '../support/data.ts';
import {
  allRows,
  given,
  ids,
  poisoned,
  rowBounds,
  runCases,
  runKernel,
  storedRows,
  type TestSlot,
} from '../support/harness.ts';

const POSITIONS = 50;
const EPS = 1e-6;

/** Angles position·10000^(−2i/hd), as the model's table has them. */
function angleTable(hd: number, map: (angle: number) => number): TestSlot {
  const half = hd / 2;
  const values = new Float64Array(POSITIONS * half).map((_, at) =>
    map(Math.floor(at / half) * 10000 ** (-(at % half) / half)),
  );
  return given([POSITIONS, half], values);
}

function inputs(N: number, heads: Heads, hasNorm: boolean): Record<string, TestSlot> {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
  return {
    qkv: given([N, (H + 2 * HK) * hd], normals([N, (H + 2 * HK) * hd], hd)),
    positions: ids([N], integers([N], 1, POSITIONS)),
    cos: angleTable(hd, Math.cos),
    sin: angleTable(hd, Math.sin),
    kvRows: ids(
      [N],
      consecutive(N).map((row) => N + 3 - row),
    ),
    ...(hasNorm && {
      qNorm: given([hd], uniforms([hd], 2, 0.5, 1.5)),
      kNorm: given([hd], uniforms([hd], 3, 0.5, 1.5)),
    }),
  };
}

/** The kv arena has five rows more than there are tokens, so that some stay untouched. */
function forwardCase(N: number, heads: Heads, hasNorm: boolean, begin = 0, end = N): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
  return {
    slots: {
      ...inputs(N, heads, hasNorm),
      q: poisoned([N, H * hd]),
      kv: poisoned([N + 5, 2 * HK * hd]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { qkv, positions, cos, sin, kvRows, q, kv, qNorm, kNorm, bounds }) => {
      const rows = storedRows(bounds);
      kernels.rotary({ qkv, positions, cos, sin, kvRows, q, kv, qNorm, kNorm, eps: EPS, heads, rows });
    },
    writes: { q: { terms: hd }, kv: { terms: hd } },
  };
}

function backwardCase(
  N: number,
  heads: Heads,
  hasNorm: boolean,
  ranges: readonly (readonly [number, number])[] = [[0, N]],
): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
  return {
    slots: {
      ...inputs(N, heads, hasNorm),
      dQ: given([N, H * hd], normals([N, H * hd], 5)),
      dKv: given([N + 5, 2 * HK * hd], normals([N + 5, 2 * HK * hd], 6)),
      dQkv: poisoned([N, (H + 2 * HK) * hd]),
      ...(hasNorm && { dQNorm: given([hd], normals([hd], 7)), dKNorm: given([hd], normals([hd], 8)) }),
    },
    build: (kernels, slots) => {
      const { qkv, positions, cos, sin, kvRows, qNorm, kNorm, dQ, dKv, dQkv, dQNorm, dKNorm } = slots;
      for (const [begin, end] of ranges) {
        const inputSlots = { qkv, positions, cos, sin, kvRows, qNorm, kNorm, eps: EPS, heads };
        kernels.rotaryBackward({ ...inputSlots, dQ, dKv, dQkv, dQNorm, dKNorm, rows: { begin, end } });
      }
    },
    writes: { dQkv: { terms: hd }, ...(hasNorm && { dQNorm: { terms: N * H + hd }, dKNorm: { terms: N * HK + hd } }) },
  };
}

const GEOMETRIES: readonly Heads[] = [
  { numHeads: 1, numKvHeads: 1, headDim: 2 },
  { numHeads: 2, numKvHeads: 1, headDim: 6 },
  { numHeads: 4, numKvHeads: 1, headDim: 8 },
  { numHeads: 3, numKvHeads: 3, headDim: 10 },
  { numHeads: 4, numKvHeads: 2, headDim: 16 },
  { numHeads: 2, numKvHeads: 2, headDim: 64 },
];

for (const { label, backend, expectSame } of await requiredBackends()) {
  for (const hasNorm of [false, true]) {
    describe(`rotary ${hasNorm ? 'with' : 'without'} q/k norm on ${label}`, () => {
      it('matches float64 for odd geometries and numbers of rows', async () => {
        const counts = [1, 2, 3, 7, 20, 98];
        await expectConformance(
          backend,
          ...GEOMETRIES.map((heads, index) => forwardCase(counts[index], heads, hasNorm)),
        );
      });

      it('writes only the q rows and kv rows of its range', async () => {
        const heads = GEOMETRIES[4];
        await expectConformance(backend, forwardCase(19, heads, hasNorm, 4, 11), forwardCase(4, heads, hasNorm, 3, 3));
      });

      it('matches float64 in the backward', async () => {
        const counts = [1, 2, 3, 7, 20, 98];
        await expectConformance(
          backend,
          ...GEOMETRIES.map((heads, index) => backwardCase(counts[index], heads, hasNorm)),
        );
      });

      it('writes only the dQkv rows of its range', async () => {
        const heads = GEOMETRIES[4];
        await expectConformance(
          backend,
          backwardCase(19, heads, hasNorm, [[4, 11]]),
          backwardCase(4, heads, hasNorm, [[3, 3]]),
        );
      });

      it('gives a row the same bits alone as among many', async () => {
        const [N, heads] = [13, GEOMETRIES[4]];
        const width = 2 * heads.numKvHeads * heads.headDim;
        const many = forwardCase(N, heads, hasNorm);
        const row = 6;
        const [together, single] = await runCases(backend, [many, forwardCase(N, heads, hasNorm, row, row + 1)]);
        const kvRow = Number(many.slots.kvRows.values[row]);
        expectSame(rowsOf(single.q, 64, row), rowsOf(together.q, 64, row), 'q');
        expectSame(rowsOf(single.kv, width, kvRow), rowsOf(together.kv, width, kvRow), 'kv');
      });
    });
  }

  it(`rotary on ${label} writes no gradient of a frozen norm, and the same of the other`, async () => {
    const trained = backwardCase(21, GEOMETRIES[4], true);
    for (const [frozenNorm, otherNorm] of [
      ['dQNorm', 'dKNorm'],
      ['dKNorm', 'dQNorm'],
    ]) {
      const frozen = without(trained, frozenNorm);
      await expectConformance(backend, frozen, without(frozen, otherNorm));
      const [one, other] = await runCases(backend, [trained, frozen]);
      expectSame(other.dQkv, one.dQkv, 'dQkv');
      expectSame(other[otherNorm], one[otherNorm], otherNorm);
    }
  });

  it(`rotary on ${label} accumulates norm gradients with the same bits over two calls as in one`, async () => {
    const whole = backwardCase(44, GEOMETRIES[4], true);
    const split = backwardCase(44, GEOMETRIES[4], true, [
      [0, 13],
      [13, 44],
    ]);
    const [one, two] = await runCases(backend, [whole, split]);
    expectSame(two.dQNorm, one.dQNorm, 'dQNorm');
    expectSame(two.dKNorm, one.dKNorm, 'dKNorm');
  });

  it(`rotary on ${label} turns back what it turned: backward of forward gives the queries and keys again`, async () => {
    const [N, heads] = [9, GEOMETRIES[3]];
    const forward = forwardCase(N, heads, false);
    const slots = { ...forward.slots, dQkv: poisoned([N, 90]) };
    const outputs = await runKernel(backend, slots, (kernels, named) => {
      forward.build(kernels, named);
      const { qkv, positions, cos, sin, kvRows, q, kv, dQkv } = named;
      const rows = allRows(N);
      kernels.rotaryBackward({ qkv, positions, cos, sin, kvRows, eps: EPS, heads, dQ: q, dKv: kv, dQkv, rows });
    });
    expectClose(outputs.dQkv, outputs.qkv, { terms: 4 });
  });
}
