import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import {
  type ConformanceCase,
  expectConformance,
  RELATIVE,
  rowsOf,
  type Tolerance,
  without,
} from '../support/compare.ts';
import { integers, normals } from '../support/data.ts';
import { given, ids, matrix, poisoned, rowBounds, runCases, storedRows } from '../support/harness.ts';

interface Sizes {
  readonly R: number;
  readonly D: number;
  readonly V: number;
}

/**
 * Relative to the output, and to logits of size 1/T besides: a log-prob near 0 is the difference of two numbers of
 * that size, and 1 − p near 0 carries the rounding of p.
 */
function tolerance(terms: number, temperature: number): Tolerance {
  return { terms, absolute: (RELATIVE * Math.sqrt(terms)) / temperature };
}

/** Logits of standard deviation near 2, so that probabilities are neither flat nor one-hot. */
function inputs({ R, D, V }: Sizes, temperature: number) {
  return {
    hidden: given([R, D], normals([R, D], D)),
    weight: matrix([V, D], normals([V, D], V, 2 / Math.sqrt(D))),
    targets: ids([R], integers([R], 3, V)),
    temperature: given([1], [temperature]),
    logprobs: poisoned([R]),
    logSumExp: poisoned([R]),
    entropies: poisoned([R]),
  };
}

function forwardCase(sizes: Sizes, temperature = 0.7, begin = 0, end = sizes.R): ConformanceCase {
  const close = tolerance(sizes.D + sizes.V, temperature);
  return {
    slots: { ...inputs(sizes, temperature), bounds: rowBounds(begin, end) },
    build: (kernels, slots) => {
      const { hidden, weight, targets, temperature, logprobs, logSumExp, entropies, bounds } = slots;
      const outputs = { logprobs, logSumExp, entropies };
      kernels.linearLogprob({ hidden, weight, targets, temperature, ...outputs, rows: storedRows(bounds) });
    },
    writes: { logprobs: close, logSumExp: close, entropies: close },
  };
}

/** The forward, then one backward call for each range of rows. */
function backwardCase(
  sizes: Sizes,
  temperature = 0.7,
  ranges: readonly (readonly [number, number])[] = [[0, sizes.R]],
): ConformanceCase {
  const { R, D, V } = sizes;
  const forward = forwardCase(sizes, temperature);
  return {
    slots: {
      ...forward.slots,
      dLogprobs: given([R], normals([R], 5)),
      dEntropies: given([R], normals([R], 6, 0.1)),
      dHidden: poisoned([R, D]),
      dWeight: given([V, D], normals([V, D], 7, 0.1)),
    },
    build: (kernels, slots) => {
      forward.build(kernels, slots);
      const { hidden, weight, targets, temperature, logSumExp, entropies, dLogprobs, dEntropies } = slots;
      const { dHidden, dWeight } = slots;
      const scores = { hidden, weight, targets, temperature, logSumExp, entropies, dLogprobs, dEntropies };
      for (const [begin, end] of ranges) {
        kernels.linearLogprobBackward({ ...scores, dHidden, dWeight, rows: { begin, end } });
      }
    },
    writes: { ...forward.writes, dHidden: tolerance(D + V, temperature), dWeight: tolerance(R + D + V, temperature) },
  };
}

// biome-ignore format: a list
const ODD_SIZES: readonly Sizes[] = [
  { R: 1, D: 1, V: 2 }, { R: 2, D: 3, V: 5 }, { R: 3, D: 8, V: 16 }, { R: 5, D: 17, V: 33 }, { R: 9, D: 40, V: 127 },
  { R: 33, D: 12, V: 64 }, { R: 100, D: 31, V: 50 }, { R: 7, D: 130, V: 1001 },
];

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`linearLogprob on ${label}`, () => {
    it('matches float64 at odd sizes', async () => {
      await expectConformance(backend, ...ODD_SIZES.map((sizes) => forwardCase(sizes)));
    });

    it('matches float64 for every vocabulary of 2 to 40 tokens', async () => {
      const sizes = Array.from({ length: 39 }, (_, index) => ({ R: 3, D: 6, V: index + 2 }));
      await expectConformance(backend, ...sizes.map((size) => forwardCase(size)));
    });

    it('matches float64 at temperatures from 0.1 to 3', async () => {
      await expectConformance(backend, ...[0.1, 0.5, 1, 3].map((T) => forwardCase({ R: 6, D: 9, V: 41 }, T)));
    });

    it('counts 8,191 small logits beside a large one, each of which alone is lost in its sum', async () => {
      const V = 8192;
      const { slots, build } = forwardCase({ R: 2, D: 4, V }, 1);
      const hidden = given([2, 4], [1, 0, 0, 0, 1, 0, 0, 0]);
      const weight = matrix(
        [V, 4],
        Float32Array.from({ length: 4 * V }, (_, i) => (i === 0 ? 17 : 0)),
      );
      const writes = { logprobs: {}, logSumExp: {}, entropies: { absolute: 1e-3 } };
      await expectConformance(backend, { slots: { ...slots, hidden, weight }, build, writes });
    });

    it('leaves rows outside its range untouched', async () => {
      const sizes = { R: 13, D: 7, V: 30 };
      await expectConformance(backend, forwardCase(sizes, 1, 4, 9), forwardCase(sizes, 1, 4, 4));
    });

    it('gives a row the same bits alone, among few, and among many', async () => {
      const sizes = { R: 41, D: 37, V: 203 };
      const many = forwardCase(sizes);
      const ranges = [
        [0, 1],
        [5, 6],
        [40, 41],
        [7, 10],
        [20, 29],
      ];
      const parts = ranges.map(([begin, end]) => {
        const part = forwardCase({ ...sizes, R: end - begin });
        const hidden = given([end - begin, 37], normals([41, 37], 37).slice(begin * 37, end * 37));
        const targets = ids([end - begin], Array.from(many.slots.targets.values).slice(begin, end));
        return { ...part, slots: { ...part.slots, hidden, targets } };
      });
      const [together, ...alone] = await runCases(backend, [many, ...parts]);
      ranges.forEach(([begin, end], index) => {
        for (const name of ['logprobs', 'logSumExp', 'entropies']) {
          expectSame(alone[index][name], rowsOf(together[name], 1, begin, end), `${name} of ${begin} to ${end}`);
        }
      });
    });

    it('matches float64 in the backward at odd sizes, adding to dWeight', async () => {
      await expectConformance(backend, ...ODD_SIZES.map((sizes) => backwardCase(sizes)));
    });

    it('matches float64 in the backward at temperatures 0.3 and 1', async () => {
      await expectConformance(backend, ...[0.3, 1].map((T) => backwardCase({ R: 6, D: 9, V: 41 }, T)));
    });

    it('leaves rows outside its range out of dHidden and dWeight', async () => {
      const sizes = { R: 13, D: 7, V: 30 };
      await expectConformance(backend, backwardCase(sizes, 1, [[4, 9]]), backwardCase(sizes, 1, [[4, 4]]));
    });

    it('writes no dWeight where the weight is frozen, and the same dHidden', async () => {
      const trained = backwardCase({ R: 41, D: 37, V: 203 });
      const frozen = without(trained, 'dWeight');
      await expectConformance(backend, frozen);
      const [one, other] = await runCases(backend, [trained, frozen]);
      expectSame(other.dHidden, one.dHidden, 'dHidden');
    });

    it('accumulates the same bits over two backward calls split at any row border as in one', async () => {
      const sizes = { R: 67, D: 21, V: 90 };
      const borders = [1, 32, 47];
      const splits = borders.map((border) =>
        backwardCase(sizes, 0.7, [
          [0, border],
          [border, 67],
        ]),
      );
      const [whole, ...split] = await runCases(backend, [backwardCase(sizes), ...splits]);
      borders.forEach((border, index) => {
        expectSame(split[index].dWeight, whole.dWeight, `dWeight, split at ${border}`);
        expectSame(split[index].dHidden, whole.dHidden, `dHidden, split at ${border}`);
      });
    });
  });
}
