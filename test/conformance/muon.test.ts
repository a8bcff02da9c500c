/** Muon against float64: matrices by themselves, among elements that are not touched. */
import { describe, expect, it } from 'vitest';
import { MUON, MUON_MATRICES, type MuonArgs, NEWTON_SCHULZ } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, runCases } from '../support/harness.ts';

type Size = readonly [rows: number, columns: number];

interface Settings {
  readonly weightDecay?: number;
  readonly maxGradNorm?: number;
  readonly norm?: number;
  /** Standard deviation of the gradients and of the momentum. */
  readonly deviation?: number;
}

function muonCase(
  sizes: readonly Size[],
  { weightDecay = 0.1, maxGradNorm = 1, norm = 5, deviation = 1 }: Settings = {},
): ConformanceCase {
  const values = new Array<number>(MUON.length).fill(0);
  values[MUON.learningRate] = 0.5;
  values[MUON.momentum] = 0.9;
  values[MUON.weightDecay] = weightDecay;
  values[MUON.maxGradNorm] = maxGradNorm;
  let length = 3;
  const matrices = sizes.map(([rows, columns]) => {
    const begin = length;
    length += rows * columns + (rows % 3); // the next one begins there, or after a gap
    return { begin, rows, columns };
  });
  length += 2;
  const long = Math.max(...sizes.flat());
  // What is rounded at first grows by up to a in each iteration, if it is in the direction of a small singular value.
  const tolerance = { relative: 2 ** -24 * NEWTON_SCHULZ.a ** NEWTON_SCHULZ.steps, terms: long };
  return {
    slots: {
      parameters: given([length], normals([length], 1, 0.1)),
      gradients: given([length], normals([length], 2, deviation)),
      firstMoment: given([length], normals([length], 3, 0.1 * deviation)),
      norm: given([1], [norm]),
      settings: given([MUON.length], values),
    },
    build: (kernels, slots) => kernels.muon({ ...(slots as unknown as Omit<MuonArgs, 'matrices'>), matrices }),
    writes: { parameters: tolerance, firstMoment: {} },
    muon: { short: Math.max(...sizes.map((size) => Math.min(...size))), long },
  };
}

const SIZES: readonly Size[] = [
  [1, 1],
  [1, 9],
  [7, 1],
  [2, 3],
  [5, 4],
  [8, 8],
  [13, 17],
  [16, 44],
  [44, 16],
  [64, 64],
  [30, 91],
  [100, 37],
];

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`muon on ${label}`, () => {
    it('matches float64 for square, wide and tall matrices, and touches nothing beside them', async () => {
      await expectConformance(backend, ...SIZES.map((size) => muonCase([size])));
    });

    it('matches float64 for several matrices at once', async () => {
      const most: Size[] = Array.from({ length: MUON_MATRICES }, (_, i) => [3 + 5 * i, 40 - 4 * i]);
      await expectConformance(backend, muonCase(most));
    });

    it('matches float64 with clipping off or not binding, without decay, and where everything is 0', async () => {
      const sizes: Size[] = [
        [6, 10],
        [9, 5],
      ];
      await expectConformance(
        backend,
        ...[{ maxGradNorm: 0 }, { maxGradNorm: 10 }, { weightDecay: 0 }, { norm: 0, deviation: 0 }].map((settings) =>
          muonCase(sizes, settings),
        ),
      );
    });

    it('changes nothing where the norm is NaN or infinite', async () => {
      const norms = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      await expectConformance(backend, ...norms.map((norm) => ({ ...muonCase([[5, 7]], { norm }), writes: {} })));
    });

    it('gives a matrix the same bits alone and beside others', async () => {
      const beside = muonCase([
        [24, 40],
        [12, 50],
      ]);
      const alone = muonCase([[24, 40]]);
      const length = 3 + 24 * 40;
      const cut = Object.entries(beside.slots).map(([name, slot]) => {
        const [size] = alone.slots[name].shape;
        return [name, given([size], Array.from(slot.values).slice(0, size))] as const;
      });
      const [both, one] = await runCases(backend, [beside, { ...alone, slots: Object.fromEntries(cut) }]);
      expect(one.parameters.length).toBeGreaterThan(length);
      expectSame(both.parameters.slice(0, length), one.parameters.slice(0, length));
    });
  });
}
