import { describe, it } from 'vitest';
import type { Rows } from '../../src/kernels/memory.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { integers, normals } from '../support/data.ts';
import { allRows, given, ids, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

const V = 11;

function forwardCase(N: number, D: number, rows: Rows = allRows(N)): ConformanceCase {
  return {
    slots: {
      tokens: ids([N], integers([N], N, V)),
      table: given([V, D], normals([V, D], D)),
      out: poisoned([N, D]),
      bounds: rowBounds(Number(rows.begin), Number(rows.end)),
    },
    build: (kernels, { tokens, table, out, bounds }) =>
      kernels.embedding({ tokens, table, out, rows: storedRows(bounds) }),
    writes: { out: { relative: 0 } },
  };
}

/** Rows of a range sorted by token, ties by row, and where each distinct token's rows begin. */
function bucketsOf(tokens: Int32Array, begin: number, end: number) {
  const rows = [...tokens.keys()].slice(begin, end).sort((a, b) => tokens[a] - tokens[b] || a - b);
  const starts = rows.flatMap((row, place) => (place === 0 || tokens[row] !== tokens[rows[place - 1]] ? [place] : []));
  return { rows, tokens: starts.map((place) => tokens[rows[place]]), offsets: [...starts, rows.length] };
}

function padded(values: readonly number[], length: number): Int32Array {
  const array = new Int32Array(length);
  array.set(values);
  return array;
}

/** One backward call for each range of rows; the bucket tables have room for more buckets than there are. */
function backwardCase(N: number, D: number, ranges: readonly (readonly [number, number])[]): ConformanceCase {
  const tokens = integers([N], N, V);
  const tables = ranges.map(([begin, end]) => bucketsOf(tokens, begin, end));
  const perRange = tables.flatMap((table, index) => [
    [`sortedRows${index}`, ids([N], padded(table.rows, N))] as const,
    [`bucketTokens${index}`, ids([V], padded(table.tokens, V))] as const,
    [`bucketOffsets${index}`, ids([V + 1], padded(table.offsets, V + 1))] as const,
    [`buckets${index}`, ids([1], [table.tokens.length])] as const,
  ]);
  return {
    slots: {
      dOut: given([N, D], normals([N, D], 3)),
      dTable: given([V, D], normals([V, D], 4)),
      ...Object.fromEntries(perRange),
    },
    build: (kernels, slots) => {
      for (const index of ranges.keys()) {
        kernels.embeddingBackward({
          dOut: slots.dOut,
          sortedRows: slots[`sortedRows${index}`],
          bucketTokens: slots[`bucketTokens${index}`],
          bucketOffsets: slots[`bucketOffsets${index}`],
          buckets: { slot: slots[`buckets${index}`], index: 0 },
          dTable: slots.dTable,
        });
      }
    },
    writes: { dTable: { terms: N } },
  };
}

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`embedding on ${label}`, () => {
    it('copies exactly the table rows of its tokens, and only in its rows', async () => {
      const shapes = [forwardCase(1, 1), forwardCase(9, 5), forwardCase(30, 17), forwardCase(70, 130)];
      await expectConformance(
        backend,
        ...shapes,
        forwardCase(12, 7, { begin: 3, end: 8 }),
        forwardCase(4, 4, { begin: 2, end: 2 }),
      );
    });

    it('adds each row to its token in the backward, with repeated and unused tokens', async () => {
      const shapes = [1, 2, 33, 90].map((N, index) => backwardCase(N, [1, 5, 18, 130][index], [[0, N]]));
      await expectConformance(backend, ...shapes, backwardCase(8, 3, [[4, 4]]));
    });

    it('accumulates the same bits over two calls split at a row border as in one', async () => {
      const whole = backwardCase(50, 19, [[0, 50]]);
      const split = backwardCase(50, 19, [
        [0, 23],
        [23, 50],
      ]);
      const [one, two] = await runCases(backend, [whole, split]);
      expectSame(two.dTable, one.dTable);
    });
  });
}
