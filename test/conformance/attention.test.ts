import { describe, it } from 'vitest';
import type { Heads } from '../../src/kernels/kernels.ts';
import { lastKeys } from '../../src/model/window.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectClose, expectConformance, rowsOf } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, ids, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

/** Intervals of every row, and where each prefix group begins; kv rows are those of the layout. */
interface Layout {
  readonly intervals: readonly (readonly [number, number, number, number])[];
  readonly prefixGroups: readonly number[];
  readonly capacity: number;
}

/** One row after another over its own past, as in a prompt: the second interval is empty. */
function causal(N: number): Layout {
  return { intervals: Array.from({ length: N }, (_, row) => [0, row + 1, 0, 0]), prefixGroups: [0, N], capacity: N };
}

/** Groups: a prompt, then completions that read the prompt's rows and their own earlier rows. */
function groups(prompts: readonly number[], completions: readonly number[]): Layout {
  const intervals: [number, number, number, number][] = [];
  const prefixGroups = [0];
  for (const promptLength of prompts) {
    const prompt = intervals.length;
    for (let row = 0; row < promptLength; row++) intervals.push([prompt, prompt + row + 1, 0, 0]);
    for (const length of completions) {
      const start = intervals.length;
      for (let row = 0; row < length; row++) intervals.push([prompt, prompt + promptLength, start, start + row + 1]);
    }
    prefixGroups.push(intervals.length);
  }
  return { intervals, prefixGroups, capacity: intervals.length };
}

/** The same rows, each of which reads the last `size` of its keys. */
function lastOf(size: number, { intervals, prefixGroups, capacity }: Layout): Layout {
  const last = lastKeys(Int32Array.from(intervals.flat()), size);
  const rows = intervals.map((_, row): Layout['intervals'][number] => {
    const [a, b, c, d] = last.subarray(4 * row);
    return [a, b, c, d] as [number, number, number, number];
  });
  return { intervals: rows, prefixGroups, capacity };
}

function heads(numHeads: number, numKvHeads: number, headDim: number): Heads {
  return { numHeads, numKvHeads, headDim };
}

function longest({ intervals }: Layout): number {
  return Math.max(...intervals.map(([a, b, c, d]) => b - a + d - c));
}

function forwardCase(layout: Layout, geometry: Heads, begin = 0, end = layout.intervals.length): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = geometry;
  const N = layout.intervals.length;
  const terms = hd + longest(layout);
  return {
    slots: {
      q: given([N, H * hd], normals([N, H * hd], hd)),
      kv: given([layout.capacity, 2 * HK * hd], normals([layout.capacity, 2 * HK * hd], hd + 1)),
      intervals: ids([N, 2, 2], layout.intervals.flat()),
      out: poisoned([N, H * hd]),
      logSumExp: poisoned([N, H]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { q, kv, intervals, out, logSumExp, bounds }) => {
      const rows = storedRows(bounds);
      kernels.attention({ q, kv, intervals, out, logSumExp, scale: hd ** -0.5, heads: geometry, rows });
    },
    writes: { out: { terms }, logSumExp: { terms } },
  };
}

/** The forward, then the backward of the first `prefixGroupCount` prefix groups. */
function backwardCase(
  layout: Layout,
  geometry: Heads,
  prefixGroupCount = layout.prefixGroups.length - 1,
): ConformanceCase {
  const { numHeads: H, numKvHeads: HK, headDim: hd } = geometry;
  const N = layout.intervals.length;
  const forward = forwardCase(layout, geometry);
  const terms = 2 * (hd + longest(layout)) + N;
  return {
    slots: {
      ...forward.slots,
      dOut: given([N, H * hd], normals([N, H * hd], 5)),
      prefixGroups: ids([layout.prefixGroups.length], layout.prefixGroups),
      count: ids([1], [prefixGroupCount]),
      dQ: poisoned([N, H * hd]),
      dKv: given([layout.capacity, 2 * HK * hd], normals([layout.capacity, 2 * HK * hd], 6)),
    },
    build: (kernels, slots) => {
      forward.build(kernels, slots);
      const { q, kv, intervals, out, logSumExp, dOut, prefixGroups, count, dQ, dKv } = slots;
      const shared = { q, kv, intervals, out, logSumExp, scale: hd ** -0.5, heads: geometry };
      kernels.attentionBackward({
        ...shared,
        dOut,
        prefixGroups,
        prefixGroupCount: { slot: count, index: 0 },
        dQ,
        dKv,
      });
    },
    // Of a row with one key, dQ is 0: what remains is the rounding of dOut·v − dOut·out.
    writes: { ...forward.writes, dQ: { terms, absolute: 1e-6 }, dKv: { terms } },
  };
}

const GEOMETRIES = [heads(1, 1, 2), heads(2, 1, 6), heads(4, 1, 8), heads(3, 3, 10), heads(4, 2, 16), heads(8, 2, 32)];

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`attention on ${label}`, () => {
    it('matches float64 for ratios 1, 2 and 4 of query to key heads and odd head sizes', async () => {
      await expectConformance(backend, ...GEOMETRIES.map((geometry) => forwardCase(groups([5], [3, 4]), geometry)));
    });

    it('matches float64 for every number of keys from 1 to 40, and for 130', async () => {
      await expectConformance(
        backend,
        forwardCase(causal(40), heads(2, 1, 12)),
        forwardCase({ intervals: [[0, 130, 0, 0]], prefixGroups: [0, 1], capacity: 130 }, heads(2, 2, 8)),
        forwardCase({ intervals: [[3, 90, 95, 130]], prefixGroups: [0, 1], capacity: 130 }, heads(2, 2, 8)),
      );
    });

    it('matches float64 where the first interval is empty, or is read by other rows too', async () => {
      const intervals: Layout['intervals'] = [
        [0, 0, 2, 9],
        [4, 7, 4, 4],
        [1, 6, 8, 11],
        [1, 6, 11, 12],
      ];
      await expectConformance(backend, forwardCase({ intervals, prefixGroups: [0, 4], capacity: 12 }, heads(4, 2, 10)));
    });

    it('matches float64, forward and backward, where rows read the last of their keys alone', async () => {
      const layouts = [causal(40), groups([9, 4], [3, 7, 5]), groups([6], [12])];
      const cases = layouts.flatMap((layout) =>
        [1, 5].flatMap((size) => [heads(4, 1, 8), heads(2, 2, 8)].map((of) => backwardCase(lastOf(size, layout), of))),
      );
      await expectConformance(backend, ...cases);
    });

    it('stays finite for scores far from zero', async () => {
      const large = forwardCase(causal(9), heads(2, 1, 4));
      const q = given([9, 8], normals([9, 8], 3, 100));
      const writes = { out: { terms: 1000 }, logSumExp: { terms: 13 } };
      await expectConformance(backend, { ...large, slots: { ...large.slots, q }, writes });
    });

    it('leaves rows outside its range untouched', async () => {
      const layout = groups([4], [5, 6]);
      await expectConformance(
        backend,
        forwardCase(layout, heads(2, 1, 8), 3, 11),
        forwardCase(layout, heads(2, 1, 8), 6, 6),
      );
    });

    it('matches float64 in the backward for ratios 1, 2 and 4, adding to dKv', async () => {
      const layout = groups([5, 1], [3, 4, 1]);
      await expectConformance(backend, ...GEOMETRIES.map((geometry) => backwardCase(layout, geometry)));
    });

    it('matches float64 in the backward of one row, and of a hundred', async () => {
      await expectConformance(
        backend,
        backwardCase(causal(1), heads(2, 1, 8)),
        backwardCase(groups([20], [16, 16, 16, 16, 16]), heads(4, 2, 8)),
      );
    });

    it('matches float64 in the backward of long runs of rows, and of rows whose keys begin or end anywhere', async () => {
      const intervals: Layout['intervals'] = [
        [0, 0, 2, 9],
        [4, 7, 4, 4],
        [1, 6, 8, 11],
        [13, 16, 20, 22],
        [13, 19, 20, 23],
        [13, 19, 20, 21],
        [13, 14, 17, 17],
      ];
      await expectConformance(
        backend,
        backwardCase(causal(80), heads(2, 1, 10)),
        backwardCase({ intervals, prefixGroups: [0, 3, 7], capacity: 24 }, heads(4, 2, 6)),
      );
    });

    it('leaves the rows of prefix groups beyond the count untouched in the backward', async () => {
      const layout = groups([3, 4, 2], [2, 5]);
      await expectConformance(
        backend,
        backwardCase(layout, heads(2, 1, 8), 2),
        backwardCase(layout, heads(2, 1, 8), 0),
      );
    });

    it('gives a row the same bits alone as among many', async () => {
      const geometry = heads(4, 2, 16);
      const layout = groups([37], [9, 20]);
      const many = forwardCase(layout, geometry);
      const rows = [0, 36, 37, 50, 65];
      const singles = rows.map((row) => {
        const one = forwardCase({ ...layout, intervals: [layout.intervals[row]] }, geometry);
        const q = given([1, 64], normals([66, 64], 16).slice(row * 64, (row + 1) * 64));
        return { ...one, slots: { ...one.slots, q, kv: many.slots.kv } };
      });
      const [together, ...alone] = await runCases(backend, [many, ...singles]);
      rows.forEach((row, index) => {
        expectSame(alone[index].out, rowsOf(together.out, 64, row), `row ${row}`);
        expectSame(alone[index].logSumExp, rowsOf(together.logSumExp, 4, row), `logSumExp of row ${row}`);
      });
    });

    it('gives the same bits wherever in kv the keys lie', async () => {
      const geometry = heads(2, 1, 8);
      const keys = normals([20, 16], 9);
      const shifted = new Float64Array(25 * 16);
      shifted.set(keys.subarray(0, 12 * 16), 3 * 16);
      shifted.set(keys.subarray(12 * 16), 17 * 16);
      const near = forwardCase({ intervals: [[0, 12, 12, 20]], prefixGroups: [0, 1], capacity: 20 }, geometry);
      const far = forwardCase({ intervals: [[3, 15, 17, 25]], prefixGroups: [0, 1], capacity: 25 }, geometry);
      const [one, two] = await runCases(backend, [
        { ...near, slots: { ...near.slots, kv: given([20, 16], keys) } },
        { ...far, slots: { ...far.slots, kv: given([25, 16], shifted) } },
      ]);
      expectSame(two.out, one.out, 'out');
    });

    it('gives a prefix group the same gradient bits alone as beside another', async () => {
      const geometry = heads(4, 2, 8);
      const [alone, beside] = [
        backwardCase(groups([5], [3, 4]), geometry),
        backwardCase(groups([5, 5], [3, 4]), geometry),
      ];
      const [one, two] = await runCases(backend, [alone, beside]);
      expectSame(rowsOf(two.dQ, 32, 0, 12), one.dQ, 'dQ');
      expectSame(rowsOf(two.dKv, 32, 0, 12), one.dKv, 'dKv');
    });
  });

  it(`attention on ${label} reads a completion's prompt as it reads its own past`, async () => {
    const geometry = heads(2, 1, 8);
    const joined = forwardCase({ intervals: [[0, 9, 0, 0]], prefixGroups: [0, 1], capacity: 9 }, geometry);
    const split = forwardCase({ intervals: [[0, 5, 5, 9]], prefixGroups: [0, 1], capacity: 9 }, geometry);
    const [one, two] = await runCases(backend, [joined, split]);
    expectClose(two.out, one.out, { terms: 17 });
  });
}
