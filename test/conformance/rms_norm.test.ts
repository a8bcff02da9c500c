import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance, rowsOf, without } from '../support/compare.ts';
import { normals, uniforms } from '../support/data.ts';
import { allRows, given, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

const EPS = 1e-5;

function inputs(N: number, D: number) {
  return { x: given([N, D], normals([N, D], D)), weight: given([D], uniforms([D], D, 0.5, 1.5)) };
}

function forwardCase(N: number, D: number, begin = 0, end = N): ConformanceCase {
  return {
    slots: { ...inputs(N, D), out: poisoned([N, D]), rstd: poisoned([N]), bounds: rowBounds(begin, end) },
    build: (kernels, { x, weight, out, rstd, bounds }) =>
      kernels.rmsNorm({ x, weight, out, rstd, eps: EPS, rows: storedRows(bounds) }),
    writes: { out: { terms: D }, rstd: { terms: D } },
  };
}

/** The forward, whose rstd the backward reads, then one backward call for each range of rows. */
function backwardCase(N: number, D: number, ranges: readonly (readonly [number, number])[]): ConformanceCase {
  return {
    slots: {
      ...inputs(N, D),
      out: poisoned([N, D]),
      rstd: poisoned([N]),
      dOut: given([N, D], normals([N, D], 2)),
      dX: given([N, D], normals([N, D], 3)),
      dWeight: given([D], normals([D], 4)),
    },
    build: (kernels, { x, weight, out, rstd, dOut, dX, dWeight }) => {
      kernels.rmsNorm({ x, weight, out, rstd, eps: EPS, rows: allRows(N) });
      for (const [begin, end] of ranges) {
        kernels.rmsNormBackward({ x, weight, rstd, dOut, dX, dWeight, rows: { begin, end } });
      }
    },
    writes: { out: { terms: D }, rstd: { terms: D }, dX: { terms: D }, dWeight: { terms: N + D } },
  };
}

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`rmsNorm on ${label}`, () => {
    it('matches float64 at every width from 1 to 40 and at 130', async () => {
      const widths = [...Array.from({ length: 40 }, (_, index) => index + 1), 130];
      await expectConformance(backend, ...widths.map((D) => forwardCase(3, D)));
    });

    it('matches float64 from 1 to 100 rows, and leaves other rows untouched', async () => {
      const all = [1, 2, 5, 17, 100].map((N) => forwardCase(N, 24));
      await expectConformance(backend, ...all, forwardCase(20, 9, 4, 13), forwardCase(5, 9, 3, 3));
    });

    it('keeps a row of zeros finite by its eps', async () => {
      const zeros: ConformanceCase = forwardCase(2, 8);
      await expectConformance(backend, { ...zeros, slots: { ...zeros.slots, x: given([2, 8], new Float64Array(16)) } });
    });

    it('matches float64 in the backward, adding to dX and dWeight', async () => {
      const widths = [1, 2, 3, 7, 8, 13, 40, 130];
      await expectConformance(
        backend,
        ...widths.map((D, index) => backwardCase(1 + 9 * index, D, [[0, 1 + 9 * index]])),
      );
    });

    it('leaves rows outside its range out of dX and dWeight', async () => {
      await expectConformance(backend, backwardCase(21, 10, [[5, 12]]), backwardCase(6, 10, [[2, 2]]));
    });

    it('writes no dWeight where the weight is frozen, and the same dX', async () => {
      const trained = backwardCase(19, 37, [[0, 19]]);
      const frozen = without(trained, 'dWeight');
      await expectConformance(backend, frozen);
      const [one, other] = await runCases(backend, [trained, frozen]);
      expectSame(other.dX, one.dX, 'dX');
    });

    it('gives a row the same bits alone as among many', async () => {
      const [N, D] = [19, 37];
      const many = forwardCase(N, D);
      const rows = [0, 7, N - 1];
      const singles = rows.map((row) => {
        const one = forwardCase(1, D);
        const x = given([1, D], normals([N, D], D).slice(row * D, (row + 1) * D));
        return { ...one, slots: { ...one.slots, x } };
      });
      const [together, ...alone] = await runCases(backend, [many, ...singles]);
      rows.forEach((row, index) => {
        expectSame(alone[index].out, rowsOf(together.out, D, row), `row ${row}`);
        expectSame(alone[index].rstd, rowsOf(together.rstd, 1, row), `rstd of row ${row}`);
      });
    });

    it('accumulates the same bits over two backward calls split at a row border as in one', async () => {
      const whole = backwardCase(45, 21, [[0, 45]]);
      const split = backwardCase(45, 21, [
        [0, 18],
        [18, 45],
      ]);
      const [one, two] = await runCases(backend, [whole, split]);
      expectSame(two.dWeight, one.dWeight, 'dWeight');
      expectSame(two.dX, one.dX, 'dX');
    });
  });
}
