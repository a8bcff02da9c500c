import { describe, it } from 'vitest';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { integers, normals } from '../support/data.ts';
import { given, ids, poisoned, poisonedIds, rowBounds, storedRows, type TestSlot } from '../support/harness.ts';

const LENGTHS = [1, 2, 3, 4, 5, 7, 16, 33, 1000, 4099];

function fillCase(out: TestSlot, value: number, range?: readonly [number, number]): ConformanceCase {
  const bounds = range ?? [0, 0];
  return {
    slots: { out, bounds: rowBounds(bounds[0], bounds[1]) },
    build: (kernels, { out, bounds }) => kernels.fill({ out, value, rows: range && storedRows(bounds) }),
    writes: { out: { relative: 0 } },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`fill, add, copy, scale and mix on ${label}`, () => {
    it('fill writes every element of a slot of any shape', async () => {
      await expectConformance(backend, ...LENGTHS.map((length) => fillCase(poisoned([length]), -2.5)));
      await expectConformance(backend, fillCase(poisoned([3, 5, 7]), 0));
    });

    it('fill writes an int slot with ints', async () => {
      await expectConformance(backend, fillCase(poisonedIds([9]), -7));
    });

    it('fill with rows writes these rows of the first dimension and no other', async () => {
      await expectConformance(
        backend,
        fillCase(poisoned([9, 5]), 0.5, [2, 6]),
        fillCase(poisoned([9, 3, 7]), 0, [8, 9]),
        fillCase(poisoned([9]), 1, [4, 4]),
      );
    });

    it('add adds element by element', async () => {
      const cases = LENGTHS.map((length) => ({
        slots: { x: given([length], normals([length], 1)), out: given([1, length], normals([length], 2)) },
        build: (kernels, { x, out }) => kernels.add({ x, out }),
        writes: { out: {} },
      })) satisfies ConformanceCase[];
      await expectConformance(backend, ...cases);
    });

    it('copy copies exactly, reals and ints, between slots of different shape', async () => {
      const reals = LENGTHS.map((length) => ({
        slots: { x: given([length], normals([length], 1)), out: poisoned([length, 1]) },
        build: (kernels, { x, out }) => kernels.copy({ x, out }),
        writes: { out: { relative: 0 } },
      })) satisfies ConformanceCase[];
      const ints: ConformanceCase = {
        slots: { x: ids([21], integers([21], 3, 2 ** 31)), out: poisonedIds([21]) },
        build: (kernels, { x, out }) => kernels.copy({ x, out }),
        writes: { out: { relative: 0 } },
      };
      await expectConformance(backend, ...reals, ints);
    });

    it('scale multiplies these rows of the first dimension and no other', async () => {
      const scaled = (shape: readonly number[], factor: number, range: readonly [number, number]): ConformanceCase => ({
        slots: { out: given(shape, normals(shape, 2)), bounds: rowBounds(range[0], range[1]) },
        build: (kernels, { out, bounds }) => kernels.scale({ out, factor, rows: storedRows(bounds) }),
        writes: { out: {} },
      });
      await expectConformance(
        backend,
        ...LENGTHS.map((length) => scaled([length], -1.5, [0, length])),
        scaled([9, 5], 1 / 3, [2, 6]),
        scaled([9, 3, 7], 2, [8, 9]),
        scaled([9], 0.1, [4, 4]),
      );
    });

    it('mix is the weighted mean of the two, and at a share of 1 a copy', async () => {
      const mixed = (length: number, share: number): ConformanceCase => ({
        slots: {
          x: given([length], normals([length], 1)),
          share: given([1], [share]),
          out: given([1, length], normals([length], 2)),
        },
        build: (kernels, { x, share, out }) => kernels.mix({ x, share, out }),
        writes: { out: share === 1 ? { relative: 0 } : {} },
      });
      await expectConformance(backend, ...LENGTHS.flatMap((length) => [mixed(length, 0.6), mixed(length, 1)]));
    });
  });
}
