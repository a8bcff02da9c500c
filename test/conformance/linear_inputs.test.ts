/** Products whose inputs are some columns of a wider slot, and those that add to what the gradient of the input holds. */
import { describe, expect, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type Columns, isOutside, takeColumns } from '../support/columns.ts';
import { type ConformanceCase, expectConformance, rowsOf } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, matrix, poisoned, rowBounds, runCases, runKernel, storedRows } from '../support/harness.ts';

interface Sizes {
  readonly N: number;
  readonly K: number;
  readonly M: number;
  /** Columns of the wider slot, and the first of the K that are used; undefined: a slot of their own. */
  readonly total: number;
  readonly firstInput: number | undefined;
}

/** At both edges and between them, on odd and even columns, of one row, of whole tiles and of parts of them. */
const RANGES: readonly Sizes[] = [
  { N: 1, K: 1, M: 1, total: 2, firstInput: 1 },
  { N: 1, K: 16, M: 40, total: 48, firstInput: 16 },
  { N: 2, K: 5, M: 23, total: 11, firstInput: 0 },
  { N: 7, K: 16, M: 3, total: 48, firstInput: 32 },
  { N: 13, K: 7, M: 33, total: 31, firstInput: 11 },
  { N: 41, K: 65, M: 130, total: 131, firstInput: 3 },
  { N: 70, K: 260, M: 33, total: 260, firstInput: 0 },
  { N: 300, K: 8, M: 19, total: 24, firstInput: 8 },
];

/** The K columns that are used. */
const used = ({ N, K, total, firstInput = 0 }: Sizes): Columns => ({ rows: N, total, first: firstInput, count: K });

/** The same numbers in a wide slot, or those that are used in a slot of their own. */
function inputs(sizes: Sizes, isWide: boolean, seed: number) {
  const { N, K, total } = sizes;
  const all = normals([N, total], seed);
  return isWide ? given([N, total], all) : given([N, K], takeColumns(used(sizes), all));
}

interface Options {
  readonly isWide?: boolean;
  readonly accumulate?: boolean;
  readonly begin?: number;
  readonly end?: number;
}

function forwardCase(sizes: Sizes, { isWide = true }: Options = {}): ConformanceCase {
  const { N, K, M } = sizes;
  const firstInput = isWide ? sizes.firstInput : undefined;
  return {
    slots: { x: inputs(sizes, isWide, K), weight: matrix([M, K], normals([M, K], M)), out: poisoned([N, M]) },
    build: (kernels, { x, weight, out }) => kernels.linear({ x, firstInput, weight, out, rows: { begin: 0, end: N } }),
    writes: { out: { terms: K } },
  };
}

function inputGradientCase(sizes: Sizes, options: Options = {}): ConformanceCase {
  const { N, K, M } = sizes;
  const { isWide = true, accumulate = false, begin = 0, end = N } = options;
  const firstInput = isWide ? sizes.firstInput : undefined;
  return {
    slots: {
      dOut: given([N, M], normals([N, M], M)),
      weight: matrix([M, K], normals([M, K], K)),
      dX: inputs(sizes, isWide, 9),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { dOut, weight, dX, bounds }) =>
      kernels.linearInputGradient({ dOut, weight, dX, firstInput, accumulate, rows: storedRows(bounds) }),
    writes: { dX: { terms: M + 1 } },
  };
}

function weightGradientCase(sizes: Sizes, { isWide = true }: Options = {}): ConformanceCase {
  const { N, K, M } = sizes;
  const firstInput = isWide ? sizes.firstInput : undefined;
  return {
    slots: {
      dOut: given([N, M], normals([N, M], M)),
      x: inputs(sizes, isWide, K),
      dWeight: given([M, K], normals([M, K], 5)),
      dBias: given([M], normals([M], 6)),
    },
    build: (kernels, { dOut, x, dWeight, dBias }) =>
      kernels.linearWeightGradient({ dOut, x, firstInput, dWeight, dBias, rows: { begin: 0, end: N } }),
    writes: { dWeight: { terms: N + 1 }, dBias: { terms: N + 1 } },
  };
}

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`inputs from columns on ${label}`, () => {
    it('match float64, in a product and in both gradients', async () => {
      const accumulate = [false, true].map((value) => ({ accumulate: value }));
      await expectConformance(
        backend,
        ...RANGES.map((sizes) => forwardCase(sizes)),
        ...RANGES.flatMap((sizes) => accumulate.map((options) => inputGradientCase(sizes, options))),
        ...RANGES.map((sizes) => weightGradientCase(sizes)),
      );
    });

    it('give the bits of a slot of their own', async () => {
      const cases = [
        ['out', (sizes: Sizes, isWide: boolean) => forwardCase(sizes, { isWide })],
        ['dX', (sizes: Sizes, isWide: boolean) => inputGradientCase(sizes, { isWide })],
        ['dX', (sizes: Sizes, isWide: boolean) => inputGradientCase(sizes, { isWide, accumulate: true })],
        ['dWeight', (sizes: Sizes, isWide: boolean) => weightGradientCase(sizes, { isWide })],
      ] as const;
      for (const [output, make] of cases) {
        const both = RANGES.flatMap((sizes) => [make(sizes, true), make(sizes, false)]);
        const outputs = await runCases(backend, both);
        RANGES.forEach((sizes, i) => {
          const [wide, own] = [outputs[2 * i][output], outputs[2 * i + 1][output]];
          const shown = output === 'dX' ? takeColumns(used(sizes), wide) : wide;
          expectSame(Float32Array.from(shown), Float32Array.from(own), `${output} ${JSON.stringify(sizes)}`);
        });
      }
    });

    it.each<Options>([{}, { accumulate: true }, { accumulate: true, begin: 2, end: 5 }])(
      'leave every other column and row of the gradient as it is, to the bit, %j',
      async (options) => {
        const { begin = 0, end = Number.POSITIVE_INFINITY } = options;
        const ranges = RANGES.filter(({ N }) => N >= (options.end ?? 0));
        const tests = ranges.map((sizes) => inputGradientCase(sizes, options));
        const outputs = await runCases(backend, tests);
        ranges.forEach((sizes, i) => {
          const before = tests[i].slots.dX.values;
          const moved = Array.from(outputs[i].dX).filter(
            (value, at) => isOutside(used(sizes), at, begin, end) && !Object.is(value, before[at]),
          );
          expect(moved).toEqual([]);
        });
      },
    );

    it('past the last one are refused when a product is recorded', async () => {
      const sizes = { N: 2, K: 5, M: 3, total: 8, firstInput: 4 };
      for (const test of [forwardCase(sizes), inputGradientCase(sizes), weightGradientCase(sizes)]) {
        const refused = await runKernel(backend, test.slots, test.build).catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'columns-out-of-range' });
      }
    });
  });

  it(`a gradient that adds has the same bits for a row alone as among many, on ${label}`, async () => {
    const [N, K, M] = [41, 30, 300];
    const sizes = { N, K, M, total: K, firstInput: 0 };
    const rows = [0, 10, N - 1];
    const all = inputGradientCase(sizes, { accumulate: true });
    const singles = rows.map((row) => {
      const one = inputGradientCase({ ...sizes, N: 1 }, { accumulate: true });
      const rowOf = (name: 'dOut' | 'dX', width: number) =>
        given([1, width], Array.from(all.slots[name].values).slice(row * width, (row + 1) * width));
      return { ...one, slots: { ...one.slots, dOut: rowOf('dOut', M), dX: rowOf('dX', K) } };
    });
    const [together, ...alone] = await runCases(backend, [all, ...singles]);
    rows.forEach((row, i) => {
      expectSame(alone[i].dX, rowsOf(together.dX, K, row), `row ${row}`);
    });
  });
}
