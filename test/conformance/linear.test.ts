import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance, rowsOf } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, matrix, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

interface Sizes {
  readonly N: number;
  readonly K: number;
  readonly M: number;
}

interface Options {
  readonly hasBias?: boolean;
  readonly residual?: 'absent' | 'separate' | 'in-place';
  readonly begin?: number;
  readonly end?: number;
}

function forwardCase({ N, K, M }: Sizes, options: Options = {}): ConformanceCase {
  const { hasBias = false, residual = 'absent', begin = 0, end = N } = options;
  return {
    slots: {
      x: given([N, K], normals([N, K], K)),
      weight: matrix([M, K], normals([M, K], M)),
      ...(hasBias && { bias: given([M], normals([M], 3)) }),
      ...(residual === 'separate' && { residual: given([N, M], normals([N, M], 4)) }),
      out: residual === 'in-place' ? given([N, M], normals([N, M], 4)) : poisoned([N, M]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, slots) =>
      kernels.linear({
        x: slots.x,
        weight: slots.weight,
        bias: slots.bias,
        residual: residual === 'in-place' ? slots.out : slots.residual,
        out: slots.out,
        rows: storedRows(slots.bounds),
      }),
    writes: { out: { terms: K + 2 } },
  };
}

function inputGradientCase({ N, K, M }: Sizes, begin = 0, end = N): ConformanceCase {
  return {
    slots: {
      dOut: given([N, M], normals([N, M], M)),
      weight: matrix([M, K], normals([M, K], K)),
      dX: poisoned([N, K]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { dOut, weight, dX, bounds }) =>
      kernels.linearInputGradient({ dOut, weight, dX, rows: storedRows(bounds) }),
    writes: { dX: { terms: M } },
  };
}

/** One call for each range of rows; dWeight is among the matrices' gradients, not among the matrices. */
function weightGradientCase(
  { N, K, M }: Sizes,
  ranges: readonly (readonly [number, number])[] = [[0, N]],
  hasBias = true,
): ConformanceCase {
  return {
    slots: {
      dOut: given([N, M], normals([N, M], M)),
      x: given([N, K], normals([N, K], K)),
      dWeight: given([M, K], normals([M, K], 5)),
      ...(hasBias && { dBias: given([M], normals([M], 6)) }),
    },
    build: (kernels, { dOut, x, dWeight, dBias }) => {
      for (const [begin, end] of ranges) {
        kernels.linearWeightGradient({ dOut, x, dWeight, dBias, rows: { begin, end } });
      }
    },
    writes: { dWeight: { terms: N + 1 }, ...(hasBias && { dBias: { terms: N + 1 } }) },
  };
}

// biome-ignore format: a list
const ODD_SIZES: readonly Sizes[] = [
  { N: 1, K: 1, M: 1 }, { N: 1, K: 3, M: 130 }, { N: 2, K: 130, M: 1 }, { N: 3, K: 5, M: 7 }, { N: 4, K: 8, M: 16 },
  { N: 5, K: 33, M: 9 }, { N: 8, K: 16, M: 4 }, { N: 17, K: 12, M: 31 }, { N: 33, K: 31, M: 33 },
  { N: 100, K: 130, M: 65 },
];

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`linear on ${label}`, () => {
    it('matches float64 at odd sizes', async () => {
      await expectConformance(backend, ...ODD_SIZES.map((sizes) => forwardCase(sizes)));
    });

    it('matches float64 at every width from 1 to 40, of inputs and of outputs', async () => {
      const widths = Array.from({ length: 40 }, (_, index) => index + 1);
      await expectConformance(
        backend,
        ...widths.map((K) => forwardCase({ N: 3, K, M: 6 })),
        ...widths.map((M) => forwardCase({ N: 5, K: 6, M })),
      );
    });

    it('matches float64 at every number of rows from 1 to 20', async () => {
      const counts = Array.from({ length: 20 }, (_, index) => index + 1);
      await expectConformance(backend, ...counts.map((N) => forwardCase({ N, K: 21, M: 18 })));
    });

    it('matches float64 where the inner size spans several segments', async () => {
      await expectConformance(backend, ...[255, 256, 257, 600, 1031].map((K) => forwardCase({ N: 6, K, M: 5 })));
    });

    it('adds a bias, a residual, or both, the residual in place too', async () => {
      const sizes = { N: 11, K: 13, M: 10 };
      await expectConformance(
        backend,
        forwardCase(sizes, { hasBias: true }),
        forwardCase(sizes, { residual: 'separate' }),
        forwardCase(sizes, { hasBias: true, residual: 'separate' }),
        forwardCase(sizes, { hasBias: true, residual: 'in-place' }),
        forwardCase({ N: 1, K: 13, M: 10 }, { hasBias: true, residual: 'in-place' }),
      );
    });

    it('leaves rows outside its range untouched', async () => {
      const sizes = { N: 20, K: 9, M: 11 };
      await expectConformance(
        backend,
        forwardCase(sizes, { begin: 3, end: 14 }),
        forwardCase(sizes, { begin: 19, end: 20, hasBias: true, residual: 'in-place' }),
        forwardCase(sizes, { begin: 7, end: 7 }),
      );
    });

    it.each([
      { K: 37, M: 29 },
      { K: 600, M: 10 },
    ])('gives a row the same bits alone, among few, and among many, for %j', async ({ K, M }) => {
      const N = 40;
      const ranges = [
        [0, 1],
        [5, 6],
        [39, 40],
        [9, 12],
        [12, 20],
      ];
      const parts = ranges.map(([begin, end]) => {
        const part = forwardCase({ N: end - begin, K, M }, { hasBias: true });
        const x = given([end - begin, K], normals([N, K], K).slice(begin * K, end * K));
        return { ...part, slots: { ...part.slots, x } };
      });
      const [together, ...alone] = await runCases(backend, [forwardCase({ N, K, M }, { hasBias: true }), ...parts]);
      ranges.forEach(([begin, end], index) => {
        expectSame(alone[index].out, rowsOf(together.out, M, begin, end), `rows ${begin} to ${end}`);
      });
    });
  });

  describe(`linearInputGradient on ${label}`, () => {
    it('matches float64 at odd sizes and at every width from 1 to 40', async () => {
      const widths = Array.from({ length: 40 }, (_, index) => index + 1);
      await expectConformance(
        backend,
        ...ODD_SIZES.map((sizes) => inputGradientCase(sizes)),
        ...widths.map((K) => inputGradientCase({ N: 5, K, M: 6 })),
        ...widths.map((M) => inputGradientCase({ N: 3, K: 6, M })),
      );
    });

    it('leaves rows outside its range untouched', async () => {
      const sizes = { N: 20, K: 9, M: 11 };
      await expectConformance(backend, inputGradientCase(sizes, 6, 17), inputGradientCase(sizes, 4, 4));
    });

    it('gives a row the same bits alone as among many', async () => {
      const [N, K, M] = [21, 30, 300];
      const rows = [0, 10, N - 1];
      const singles = rows.map((row) => {
        const one = inputGradientCase({ N: 1, K, M });
        const dOut = given([1, M], normals([N, M], M).slice(row * M, (row + 1) * M));
        return { ...one, slots: { ...one.slots, dOut } };
      });
      const [together, ...alone] = await runCases(backend, [inputGradientCase({ N, K, M }), ...singles]);
      rows.forEach((row, index) => {
        expectSame(alone[index].dX, rowsOf(together.dX, K, row), `row ${row}`);
      });
    });
  });

  describe(`linearWeightGradient on ${label}`, () => {
    it('adds to dWeight and dBias as float64 does, at odd sizes and every width from 1 to 40', async () => {
      const widths = Array.from({ length: 40 }, (_, index) => index + 1);
      await expectConformance(
        backend,
        ...ODD_SIZES.map((sizes) => weightGradientCase(sizes)),
        ...widths.map((K) => weightGradientCase({ N: 5, K, M: 6 })),
        ...widths.map((M) => weightGradientCase({ N: 3, K: 6, M })),
      );
    });

    it('works without a bias, on a part of the rows, and on none', async () => {
      const sizes = { N: 20, K: 9, M: 11 };
      await expectConformance(
        backend,
        weightGradientCase(sizes, [[0, 20]], false),
        weightGradientCase(sizes, [[6, 17]]),
        weightGradientCase(sizes, [[4, 4]]),
      );
    });

    it('accumulates the same bits over two calls split at any row border as in one', async () => {
      const sizes = { N: 70, K: 37, M: 26 };
      const borders = [1, 16, 33, 69];
      const splits = borders.map((border) =>
        weightGradientCase(sizes, [
          [0, border],
          [border, 70],
        ]),
      );
      const [whole, ...split] = await runCases(backend, [weightGradientCase(sizes), ...splits]);
      borders.forEach((border, index) => {
        expectSame(split[index].dWeight, whole.dWeight, `dWeight, split at ${border}`);
        expectSame(split[index].dBias, whole.dBias, `dBias, split at ${border}`);
      });
    });
  });
}
