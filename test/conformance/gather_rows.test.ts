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
