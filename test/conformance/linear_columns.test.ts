/** Products that write or read some columns of a wider slot: as with a slot of their own, and no other column moves. */
import { describe, expect, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type Columns, isOutside, takeColumns } from '../support/columns.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import type { Output, TestSlot } from '../support/harness.ts';
import { given, matrix, poisoned, rowBounds, runCases, runKernel, storedRows } from '../support/harness.ts';

interface Sizes {
  readonly N: number;
  readonly K: number;
  readonly M: number;
  /** Columns of the wider slot, and the first of the M that are used; undefined: a slot of their own. */
  readonly total: number;
  readonly firstColumn: number | undefined;
}

interface Options {
  readonly hasBias?: boolean;
  readonly residual?: 'absent' | 'separate' | 'in-place';
  readonly begin?: number;
  readonly end?: number;
}

/** At both edges and between them, on odd and even columns, of one row, of whole tiles and of parts of them. */
const RANGES: readonly Sizes[] = [
  { N: 1, K: 1, M: 1, total: 2, firstColumn: 1 },
  { N: 1, K: 8, M: 5, total: 23, firstColumn: 0 },
  { N: 1, K: 9, M: 40, total: 64, firstColumn: 17 },
  { N: 7, K: 3, M: 16, total: 48, firstColumn: 16 },
  { N: 8, K: 12, M: 24, total: 56, firstColumn: 32 },
  { N: 13, K: 33, M: 7, total: 31, firstColumn: 11 },
  { N: 30, K: 8, M: 32, total: 96, firstColumn: 64 },
  { N: 41, K: 130, M: 65, total: 131, firstColumn: 3 },
  { N: 70, K: 260, M: 33, total: 33, firstColumn: 0 },
  { N: 300, K: 4, M: 19, total: 57, firstColumn: 19 },
];

/** The M columns that are used. */
const used = ({ N, M, total, firstColumn = 0 }: Sizes): Columns => ({ rows: N, total, first: firstColumn, count: M });

/** What the slot holds before the product: `total` columns, or the M of them in a slot of their own. */
function wide(sizes: Sizes, seed: number): TestSlot {
  const { N, M, total, firstColumn } = sizes;
  const all = normals([N, total], seed);
  return firstColumn === undefined ? given([N, M], takeColumns(used(sizes), all)) : given([N, total], all);
}

/** The same product with a slot of its own that holds the same columns. */
function alone(test: ConformanceCase, sizes: Sizes, ...names: readonly string[]): ConformanceCase['slots'] {
  const own = names.flatMap((name) => {
    const slot = test.slots[name];
    return slot === undefined
      ? []
      : [[name, given([sizes.N, sizes.M], takeColumns(used(sizes), slot.values))] as const];
  });
  return { ...test.slots, ...Object.fromEntries(own) };
}

function forwardCase(sizes: Sizes, options: Options = {}): ConformanceCase {
  const { N, K, M, firstColumn } = sizes;
  const { hasBias = false, residual = 'in-place', begin = 0, end = N } = options;
  return {
    slots: {
      x: given([N, K], normals([N, K], K)),
      weight: matrix([M, K], normals([M, K], M)),
      ...(hasBias && { bias: given([M], normals([M], 3)) }),
      ...(residual === 'separate' && { residual: wide(sizes, 4) }),
      out: wide(sizes, 5),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { x, weight, bias, residual: separate, out, bounds }) =>
      kernels.linear({
        x,
        weight,
        bias,
        residual: residual === 'in-place' ? out : separate,
        out,
        firstColumn,
        rows: storedRows(bounds),
      }),
    writes: { out: { terms: K + 2 } },
  };
}

function inputGradientCase(sizes: Sizes): ConformanceCase {
  const { N, K, M, firstColumn } = sizes;
  return {
    slots: {
      dOut: wide(sizes, M),
      weight: matrix([M, K], normals([M, K], K)),
      dX: poisoned([N, K]),
      bounds: rowBounds(0, N),
    },
    build: (kernels, { dOut, weight, dX, bounds }) =>
      kernels.linearInputGradient({ dOut, weight, dX, firstColumn, rows: storedRows(bounds) }),
    writes: { dX: { terms: M } },
  };
}

function weightGradientCase(sizes: Sizes, hasBias = true): ConformanceCase {
  const { N, K, M, firstColumn } = sizes;
  return {
    slots: {
      dOut: wide(sizes, M),
      x: given([N, K], normals([N, K], K)),
      dWeight: given([M, K], normals([M, K], 5)),
      ...(hasBias && { dBias: given([M], normals([M], 6)) }),
    },
    build: (kernels, { dOut, x, dWeight, dBias }) =>
      kernels.linearWeightGradient({ dOut, x, dWeight, dBias, firstColumn, rows: { begin: 0, end: N } }),
    writes: { dWeight: { terms: N + 1 }, ...(hasBias && { dBias: { terms: N + 1 } }) },
  };
}

for (const { label, backend, expectSame } of await requiredBackends()) {
  /** Runs each product on columns and, with the same numbers, on a slot of its own. */
  const bothWays = async (
    makeCase: (sizes: Sizes) => ConformanceCase,
    operands: readonly string[],
    compare: (part: Record<string, Output>, whole: Record<string, Output>, sizes: Sizes) => void,
  ): Promise<void> => {
    const parts = RANGES.map(makeCase);
    const wholes = RANGES.map((sizes, i) => {
      const own = makeCase({ ...sizes, firstColumn: undefined });
      return { ...own, slots: alone(parts[i], sizes, ...operands) };
    });
    const outputs = await runCases(backend, [...parts, ...wholes]);
    RANGES.forEach((sizes, i) => compare(outputs[i], outputs[RANGES.length + i], sizes));
  };

  describe(`linear into columns on ${label}`, () => {
    it.each<Options>([{}, { hasBias: true }, { residual: 'absent' }, { hasBias: true, residual: 'separate' }])(
      'matches float64, %j',
      async (options) => {
        await expectConformance(backend, ...RANGES.map((sizes) => forwardCase(sizes, options)));
      },
    );

    it.each<Options>([{}, { residual: 'absent' }, { begin: 2, end: 5 }, { begin: 3, end: 3 }])(
      'leaves every other column and row as it is, to the bit, %j',
      async (options) => {
        const ranges = RANGES.filter(({ N }) => N >= (options.end ?? 0));
        const tests = ranges.map((sizes) => forwardCase(sizes, options));
        const outputs = await runCases(backend, tests);
        const { begin = 0, end = Number.POSITIVE_INFINITY } = options;
        ranges.forEach((sizes, i) => {
          const before = tests[i].slots.out.values;
          const moved = Array.from(outputs[i].out).filter(
            (value, at) => isOutside(used(sizes), at, begin, end) && !Object.is(value, before[at]),
          );
          expect(moved, JSON.stringify(sizes)).toEqual([]);
        });
      },
    );

    it('gives the bits of a product with an output of its own', async () => {
      await bothWays(
        (sizes) => forwardCase(sizes, { hasBias: true }),
        ['out'],
        (part, whole, sizes) => {
          const own = Float32Array.from(takeColumns(used(sizes), part.out));
          expectSame(own, Float32Array.from(whole.out), JSON.stringify(sizes));
        },
      );
    });

    it('makes a fused product of its parts, bit for bit', async () => {
      const [N, K, widths] = [21, 30, [24, 9, 15]];
      const M = 48;
      const fused = forwardCase({ N, K, M, total: M, firstColumn: undefined }, { residual: 'absent' });
      const weights = fused.slots.weight.values;
      const begins = [0, 24, 33];
      const parts = widths.map((width, i) =>
        matrix([width, K], Array.from(weights).slice(begins[i] * K, (begins[i] + width) * K)),
      );
      const [whole, pieced] = await runCases(backend, [
        fused,
        {
          slots: { x: fused.slots.x, q: parts[0], k: parts[1], v: parts[2], out: poisoned([N, M]) },
          build: (kernels, { x, q, k, v, out }) => {
            [q, k, v].forEach((weight, i) => {
              kernels.linear({ x, weight, out, firstColumn: begins[i], rows: { begin: 0, end: N } });
            });
          },
        },
      ]);
      expectSame(pieced.out, whole.out);
    });
  });

  describe(`gradients from columns on ${label}`, () => {
    it('of the input match float64', async () => {
      await expectConformance(backend, ...RANGES.map(inputGradientCase));
    });

    it('of the input have the bits of a product with a dOut of its own', async () => {
      await bothWays(inputGradientCase, ['dOut'], (part, whole, sizes) => {
        expectSame(part.dX, whole.dX, JSON.stringify(sizes));
      });
    });

    it('of weight and bias match float64', async () => {
      await expectConformance(
        backend,
        ...RANGES.map((sizes) => weightGradientCase(sizes)),
        ...RANGES.map((sizes) => weightGradientCase(sizes, false)),
      );
    });

    it('of weight and bias have the bits of a product with a dOut of its own', async () => {
      await bothWays(
        (sizes) => weightGradientCase(sizes),
        ['dOut'],
        (part, whole, sizes) => {
          expectSame(part.dWeight, whole.dWeight, `dWeight ${JSON.stringify(sizes)}`);
          expectSame(part.dBias, whole.dBias, `dBias ${JSON.stringify(sizes)}`);
        },
      );
    });
  });

  describe(`columns on ${label}`, () => {
    it.each([
      ['past the last one', { N: 2, K: 3, M: 5, total: 8, firstColumn: 4 }, 'give a whole number of at most 3'],
      ['before the first one', { N: 2, K: 3, M: 5, total: 8, firstColumn: -1 }, 'give a whole number of at most 3'],
      ['between two', { N: 2, K: 3, M: 5, total: 8, firstColumn: 0.5 }, 'give a whole number of at most 3'],
      ['of a slot that is too narrow', { N: 2, K: 3, M: 5, total: 4, firstColumn: 0 }, 'give a wider slot'],
    ] as const)('%s are refused when a product is recorded', async (_, sizes, remedy) => {
      for (const test of [forwardCase(sizes), inputGradientCase(sizes), weightGradientCase(sizes)]) {
        const refused = await runKernel(backend, test.slots, test.build).catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'columns-out-of-range' });
        expect(String(refused)).toContain(remedy);
      }
    });
  });
}
