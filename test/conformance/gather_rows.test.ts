import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { integers, normals, offsetsOf } from '../support/data.ts';
import { given, ids, poisoned, rowBounds, storedRows } from '../support/harness.ts';

/** R rows of N picked at random: ascending, with repeats and gaps. */
function pickedRows(N: number, R: number): Int32Array {
  return integers([R], R, N).sort();
}

function forwardCase(N: number, R: number, D: number, begin = 0, end = R): ConformanceCase {
  return {
    slots: {
      x: given([N, D], normals([N, D], D)),
      index: ids([R], pickedRows(N, R)),
      out: poisoned([R, D]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { x, index, out, bounds }) => kernels.gatherRows({ x, index, out, rows: storedRows(bounds) }),
    writes: { out: { relative: 0 } },
  };
}

/** R rows of N to places of their own, last row first, in runs of two; the rows between stay. */
function placedCase(N: number, R: number, D: number, begin = 0, end = R): ConformanceCase {
  const M = 2 * R + 1;
  const places = Int32Array.from({ length: R }, (_, r) => M - 1 - 4 * Math.floor(r / 2) - (1 - (r % 2)));
  return {
    slots: {
      x: given([N, D], normals([N, D], D)),
      index: ids([R], pickedRows(N, R)),
      places: ids([R], places),
      out: poisoned([M, D]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { x, index, places: to, out, bounds }) =>
      kernels.gatherRows({ x, index, places: to, out, rows: storedRows(bounds) }),
    writes: { out: { relative: 0 } },
  };
}

/** Rows of one slot to other rows of it. */
function withinCase(D: number): ConformanceCase {
  return {
    slots: {
      x: given([9, D], normals([9, D], D)),
      index: ids([4], Int32Array.of(2, 3, 0, 2)),
      places: ids([4], Int32Array.of(6, 7, 1, 8)),
    },
    build: (kernels, { x, index, places }) =>
      kernels.gatherRows({ x, index, places, out: x, rows: { begin: 0, end: 4 } }),
    writes: { x: { relative: 0 } },
  };
}

function backwardCase(N: number, R: number, D: number, begin = 0, end = N): ConformanceCase {
  const counts = new Int32Array(N);
  for (const row of pickedRows(N, R)) counts[row]++;
  return {
    slots: {
      dOut: given([R, D], normals([R, D], D)),
      offsets: ids([N + 1], offsetsOf([...counts])),
      dX: poisoned([N, D]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { dOut, offsets, dX, bounds }) =>
      kernels.gatherRowsBackward({ dOut, offsets, dX, rows: storedRows(bounds) }),
    writes: { dX: { terms: Math.max(...counts) } },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`gatherRows on ${label}`, () => {
    const sizes = [
      [1, 1, 1],
      [5, 9, 3],
      [30, 12, 17],
      [100, 90, 130],
    ] as const;

    it('copies exactly the rows of its index, repeated ones too', async () => {
      await expectConformance(backend, ...sizes.map(([N, R, D]) => forwardCase(N, R, D)));
    });

    it('puts them where they are asked, in another slot or in the same one', async () => {
      await expectConformance(
        backend,
        ...sizes.map(([N, R, D]) => placedCase(N, R, D)),
        placedCase(9, 14, 6, 3, 11),
        placedCase(9, 14, 6, 5, 5),
        withinCase(1),
        withinCase(70),
      );
    });

    it('sums repeated rows in the backward and writes 0 where a row was not gathered', async () => {
      await expectConformance(backend, ...sizes.map(([N, R, D]) => backwardCase(N, R, D)));
    });

    it('leaves rows outside its range untouched', async () => {
      await expectConformance(
        backend,
        forwardCase(9, 14, 6, 3, 11),
        forwardCase(9, 14, 6, 5, 5),
        backwardCase(14, 9, 6, 3, 11),
        backwardCase(14, 9, 6, 5, 5),
      );
    });
  });
}
