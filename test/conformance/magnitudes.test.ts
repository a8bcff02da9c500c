/** Columns scaled to magnitudes (DoRA) against float64. */
import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance, rowsOf } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

interface Range {
  readonly begin: number;
  readonly end: number;
}

function scaleCase(
  [N, M]: readonly [number, number],
  {
    isInPlace = false,
    adds = false,
    begin = 0,
    end = N,
  }: Partial<Range> & { isInPlace?: boolean; adds?: boolean } = {},
): ConformanceCase {
  return {
    slots: {
      ...(!isInPlace && { x: given([N, M], normals([N, M], M)) }),
      scale: given([M], normals([M], 3)),
      ...(adds && { bias: given([M], normals([M], 4)), residual: given([N, M], normals([N, M], 5)) }),
      out: isInPlace ? given([N, M], normals([N, M], M)) : poisoned([N, M]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { x, scale, bias, residual, out, bounds }) =>
      kernels.scaleColumns({ x: isInPlace ? out : x, scale, bias, residual, out, rows: storedRows(bounds) }),
    writes: { out: { terms: 3 } },
  };
}

/** The norms are large enough that no sum of squares is near 0, but for one, whose row is all 0. */
function magnitudeCase(
  [M, rank]: readonly [number, number],
  { inner = rank, firstInput = 0, firstColumn = 0, width = M } = {},
): ConformanceCase {
  const A = normals([inner, rank + 5], 7);
  const size = rank + 5;
  const gram = Float64Array.from({ length: inner * inner }, (_, at) => {
    const [k, l] = [Math.floor(at / inner), at % inner];
    let sum = 0;
    for (let i = 0; i < size; i++) sum += A[k * size + i] * A[l * size + i];
    return sum;
  });
  const norms = normals([M], 9).map((value) => 3 + Math.abs(value));
  const B = normals([M, rank], 10, 0.2);
  norms[M - 1] = 0;
  B.fill(0, (M - 1) * rank);
  return {
    slots: {
      magnitude: given([M], normals([M], 8)),
      baseNorms: given([M], norms),
      loraB: given([M, rank], B),
      products: given([inner, width], normals([inner, width], 11, 0.1)),
      gram: given([inner, inner], gram),
      scale: poisoned([M]),
    },
    build: (kernels, { magnitude, baseNorms, loraB, products, gram: ofA, scale }) =>
      kernels.magnitudeScale({
        ...{ magnitude, baseNorms, loraB, products, gram: ofA, firstInput, firstColumn, factor: 0.5, scale },
      }),
    writes: { scale: { terms: 2 * rank + 8 } },
  };
}

function gradientCase(
  [N, M]: readonly [number, number],
  ranges: readonly (readonly [number, number])[] = [[0, N]],
  { firstColumn = 0, width = M, adds = false } = {},
): ConformanceCase {
  const magnitude = normals([M], 12).map((value) => Math.sign(value) * (1 + Math.abs(value)));
  magnitude[0] = 0;
  return {
    slots: {
      dOut: given([N, width], normals([N, width], 13)),
      y: given([N, width], normals([N, width], 14)),
      ...(adds && { bias: given([width], normals([width], 15)), residual: given([N, width], normals([N, width], 16)) }),
      magnitude: given([M], magnitude),
      dMagnitude: given([M], normals([M], 17)),
    },
    build: (kernels, { dOut, y, bias, residual, magnitude: of, dMagnitude }) => {
      for (const [begin, end] of ranges) {
        const rows = { begin, end };
        kernels.magnitudeGradient({ dOut, out: y, bias, residual, magnitude: of, firstColumn, dMagnitude, rows });
      }
    },
    writes: { dMagnitude: { terms: 3 * N + 4 } },
  };
}

const SIZES = [
  [1, 1],
  [1, 130],
  [3, 7],
  [5, 16],
  [8, 19],
  [33, 33],
  [70, 5],
  [100, 66],
] as const;

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`magnitudes on ${label}`, () => {
    it('scale columns, with bias and residual, in place, and in some rows alone', async () => {
      await expectConformance(
        backend,
        ...SIZES.map((size) => scaleCase(size)),
        ...SIZES.map((size) => scaleCase(size, { isInPlace: true, adds: true })),
        scaleCase([20, 11], { begin: 3, end: 14, isInPlace: true }),
        scaleCase([20, 11], { begin: 7, end: 7 }),
      );
    });

    it('are divided by the norms of W + s·B·A, of a module alone or of one among several', async () => {
      await expectConformance(
        backend,
        ...SIZES.map(([M, rank]) => magnitudeCase([M, Math.min(rank, 40)])),
        magnitudeCase([9, 4], { inner: 12, firstInput: 4, firstColumn: 8, width: 30 }),
        magnitudeCase([70, 6], { inner: 12, firstInput: 6, firstColumn: 3, width: 80 }),
      );
    });

    it('have gradients over the rows, where the norm is a constant', async () => {
      await expectConformance(
        backend,
        ...SIZES.map((size) => gradientCase(size)),
        gradientCase([20, 9], [[6, 17]], { firstColumn: 5, width: 20, adds: true }),
        gradientCase([20, 16], [[0, 20]], { firstColumn: 4, width: 24, adds: true }),
        gradientCase([20, 9], [[4, 4]]),
      );
    });

    it('have the same bits in rows alone, and in gradients of a batch that is cut', async () => {
      const [N, M] = [40, 29];
      const [whole, ...parts] = await runCases(backend, [
        gradientCase([N, M]),
        ...[1, 17, 39].map((border) =>
          gradientCase(
            [N, M],
            [
              [0, border],
              [border, N],
            ],
          ),
        ),
      ]);
      for (const part of parts) expectSame(part.dMagnitude, whole.dMagnitude);
      const one = scaleCase([1, M], { adds: true });
      const row = 23;
      const alone = {
        ...one,
        slots: {
          ...one.slots,
          x: given([1, M], normals([N, M], M).slice(row * M, (row + 1) * M)),
          residual: given([1, M], normals([N, M], 5).slice(row * M, (row + 1) * M)),
        },
      };
      const [all, single] = await runCases(backend, [scaleCase([N, M], { adds: true }), alone]);
      expectSame(single.out, rowsOf(all.out, M, row));
    });
  });
}
