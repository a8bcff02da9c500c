import { describe, expect, it } from 'vitest';
import { SAMPLING } from '../../src/kernels/kernels.ts';
import { temperedLogits } from '../../src/kernels/reference/linear_logprob.ts';
import { keptMasses, philoxUniform, type SamplingFilters } from '../../src/kernels/reference/sample.ts';
import { requiredBackends } from '../support/backends.ts';
import { fewOf } from '../support/budget.ts';
import { type ConformanceCase, expectConformance, RELATIVE, rowsOf } from '../support/compare.ts';
import { consecutive, integers, normals } from '../support/data.ts';
import {
  given,
  ids,
  matrix,
  type Output,
  poisoned,
  poisonedIds,
  rowBounds,
  runCases,
  runKernel,
  storedRows,
} from '../support/harness.ts';

interface Sizes {
  readonly B: number;
  readonly D: number;
  readonly V: number;
}

interface Settings extends Partial<SamplingFilters> {
  readonly temperature?: number;
}

const KEY = [20240607, -123456789];
/** Distance of a uniform from a step of the CDF within which float32 and float64 may choose differently. */
const CDF_TOLERANCE = 1e-5;

function samplingSettings({ temperature = 1, topK = 0, topP = 1, minP = 0 }: Settings): number[] {
  const values = new Array<number>(SAMPLING.length).fill(0);
  values[SAMPLING.temperature] = temperature;
  values[SAMPLING.topK] = topK;
  values[SAMPLING.topP] = topP;
  values[SAMPLING.minP] = minP;
  return values;
}

function sampleCase(sizes: Sizes, settings: Settings = {}, begin = 0, end = sizes.B): ConformanceCase {
  const { B, D, V } = sizes;
  // As in linear_logprob.test.ts: relative to logits of size 1/T, of which a log-prob near 0 is a difference.
  const absolute = (RELATIVE * Math.sqrt(D + V)) / (settings.temperature || 1);
  const close = { terms: D + V, absolute };
  return {
    slots: {
      hidden: given([B, D], normals([B, D], D)),
      weight: matrix([V, D], normals([V, D], V, 2 / Math.sqrt(D))),
      sampling: given([SAMPLING.length], samplingSettings(settings)),
      key: ids([2], KEY),
      rolloutNumbers: ids([B, 2], integers([B, 2], 4, 2 ** 31)),
      counters: ids([B], integers([B], 5, 4096)),
      tokens: poisonedIds([B]),
      logprobs: poisoned([B]),
      entropies: poisoned([B]),
      keptLogMass: poisoned([B]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, slots) => {
      const { hidden, weight, sampling, key, rolloutNumbers, counters, bounds } = slots;
      const { tokens, logprobs, entropies, keptLogMass } = slots;
      const inputs = { hidden, weight, sampling, key, rolloutNumbers, counters };
      kernels.sample({ ...inputs, tokens, logprobs, entropies, keptLogMass, rows: storedRows(bounds) });
    },
    writes: { tokens: { relative: 0 }, logprobs: close, entropies: close, keptLogMass: close },
  };
}

/** A case of B equal rows, which differ in their counters alone. */
function repeatedRowCase(sizes: Sizes, settings: Settings): ConformanceCase {
  const { B, D } = sizes;
  const test = sampleCase(sizes, settings);
  const row = normals([D], D);
  const hidden = given(
    [B, D],
    new Float64Array(B * D).map((_, at) => row[at % D]),
  );
  const rolloutNumbers = ids([B, 2], new Int32Array(2 * B));
  return { ...test, slots: { ...test.slots, hidden, rolloutNumbers, counters: ids([B], consecutive(B)) } };
}

/** Masses of the tokens that row r of a case may draw, and its uniform, in float64. */
function drawOf({ slots }: ConformanceCase, { D, V }: Sizes, r: number) {
  const settings = slots.sampling.values;
  const filters = { topK: settings[SAMPLING.topK], topP: settings[SAMPLING.topP], minP: settings[SAMPLING.minP] };
  const row = Float64Array.from(slots.hidden.values).subarray(r * D, (r + 1) * D);
  const u = temperedLogits(row, Float64Array.from(slots.weight.values), V, settings[SAMPLING.temperature]);
  const numbers = slots.rolloutNumbers.values;
  const counter = [slots.counters.values[r], numbers[r * 2], numbers[r * 2 + 1], 0];
  return { masses: keptMasses(u, filters), uniform: philoxUniform(counter, KEY) };
}

/** How far the uniform lies outside the token's step of the CDF; 0 inside. */
function distanceFromStep(masses: Float64Array, token: number, uniform: number): number {
  if (!(masses[token] > 0)) return Number.POSITIVE_INFINITY;
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const below = masses.subarray(0, token).reduce((sum, mass) => sum + mass, 0) / total;
  return Math.max(below - uniform, uniform - below - masses[token] / total, 0);
}

function worstDistance(test: ConformanceCase, sizes: Sizes, tokens: Output): number {
  let worst = 0;
  for (let r = 0; r < sizes.B; r++) {
    const { masses, uniform } = drawOf(test, sizes, r);
    worst = Math.max(worst, distanceFromStep(masses, tokens[r], uniform));
  }
  return worst;
}

// biome-ignore format: a list
const ALL_FILTERS: readonly Settings[] = [
  {}, { temperature: 0.6 }, { temperature: 1.5, topK: 5 }, { topP: 0.8 }, { minP: 0.1 },
  { temperature: 0.8, topK: 20, topP: 0.9, minP: 0.02 }, { topK: 1 }, { topK: 5000, topP: 0.001 },
];
const FILTERS = fewOf(ALL_FILTERS, { quick: 4, all: 6 });

for (const { label, backend, expectSame } of await requiredBackends()) {
  describe(`sample on ${label}`, () => {
    it('draws the token that float64 draws, except within 1e-5 of a step, for every filter', async () => {
      const sizes = [
        { B: 1, D: 3, V: 2 },
        { B: 7, D: 12, V: 33 },
        { B: 60, D: 19, V: 301 },
      ];
      const cases = FILTERS.flatMap((settings) => sizes.map((size) => ({ size, test: sampleCase(size, settings) })));
      const outputs = await runCases(
        backend,
        cases.map(({ test }) => test),
      );
      for (const [index, { size, test }] of cases.entries()) {
        const worst = worstDistance(test, size, outputs[index].tokens);
        expect(worst, `case ${index}`).toBeLessThanOrEqual(CDF_TOLERANCE);
      }
    });

    // Each seed below draws nothing within 1e-5 of a step, so that tokens and what depends on them must match.
    it('matches float64 in log-probs, entropies and kept mass, at odd sizes and for every filter', async () => {
      const sizes = [
        { B: 1, D: 1, V: 2 },
        { B: 3, D: 7, V: 9 },
        { B: 5, D: 33, V: 127 },
        { B: 2, D: 130, V: 1001 },
      ];
      await expectConformance(
        backend,
        ...FILTERS.flatMap((settings) => sizes.map((size) => sampleCase(size, settings))),
      );
    });

    it('takes the arg-max at temperature 0, and reports log-probs at temperature 1', async () => {
      await expectConformance(
        backend,
        sampleCase({ B: 9, D: 13, V: 77 }, { temperature: 0 }),
        sampleCase({ B: 9, D: 13, V: 77 }, { temperature: 0, topK: 3, topP: 0.5, minP: 0.2 }),
      );
    });

    it('lets the lowest index win a tie, in arg-max and in top-k', async () => {
      const sizes = { B: 4, D: 2, V: 12 };
      const weight = matrix([12, 2], new Float64Array(24).fill(0.5));
      for (const settings of [{ temperature: 0 }, { topK: 1 }]) {
        const test = sampleCase(sizes, settings);
        const { tokens } = await runKernel(backend, { ...test.slots, weight }, test.build);
        expect([...tokens]).toEqual([0, 0, 0, 0]);
      }
    });

    it('draws only kept tokens when four equal ones compete for three places', async () => {
      const test = repeatedRowCase({ B: 300, D: 1, V: 8 }, { topK: 3 });
      const weight = matrix([8, 1], [0, 1, 1, 0, 1, 0, 1, 0]);
      const hidden = given([300, 1], new Float64Array(300).fill(2));
      const { tokens } = await runKernel(backend, { ...test.slots, weight, hidden }, test.build);
      expect([...new Set(tokens)].sort()).toEqual([1, 2, 4]);
    });

    // Equal weights, and weights of every size: what lies at the end of a prefix, and beside it.
    it.each(
      fewOf([{ topK: 700 }, { topP: 0.6 }, { topK: 900, topP: 0.7 }, { topP: 0.999, minP: 1e-4 }], {
        quick: 2,
        all: 2,
      }),
    )('keeps of 2,000 tokens, many of them equal, those that float64 keeps, for %j', async (settings) => {
      const sizes = { B: 100, D: 1, V: 2000 };
      const test = repeatedRowCase(sizes, settings);
      const logits = Array.from({ length: sizes.V }, (_, v) => ((v * 37) % 200) / 8 - 20);
      const slots = {
        ...test.slots,
        weight: matrix([2000, 1], logits),
        hidden: given([100, 1], new Float64Array(100).fill(1)),
      };
      const { tokens, keptLogMass } = await runKernel(backend, slots, test.build);
      const { masses } = drawOf({ ...test, slots }, sizes, 0);
      expect([...tokens].every((token) => masses[token] > 0)).toBe(true);
      const full = logits.reduce((sum, logit) => sum + Math.exp(logit - Math.max(...logits)), 0);
      const kept = masses.reduce((sum, mass) => sum + mass, 0);
      expect(Math.abs(keptLogMass[0] - Math.log(kept / full))).toBeLessThan(1e-5);
    });

    it('keeps exactly all mass when no filter is on', async () => {
      const test = sampleCase({ B: 20, D: 11, V: 150 }, { temperature: 0.9 });
      const { keptLogMass } = await runKernel(backend, test.slots, test.build);
      expect(keptLogMass.every((value) => value === 0)).toBe(true);
    });

    it('leaves rows outside its range untouched', async () => {
      const sizes = { B: 12, D: 5, V: 40 };
      await expectConformance(backend, sampleCase(sizes, {}, 3, 9), sampleCase(sizes, {}, 5, 5));
    });

    it.each(fewOf([{ temperature: 0.7, topP: 0.9 }, { temperature: 0 }, { temperature: 1 }], { quick: 2, all: 2 }))(
      'reports the very bits that linearLogprob gives its token, for %j',
      async (settings) => {
        const sizes = { B: 33, D: 37, V: 203 };
        const test = sampleCase(sizes, settings);
        const sampled = await runKernel(backend, test.slots, test.build);
        const slots = {
          hidden: test.slots.hidden,
          weight: test.slots.weight,
          targets: ids([33], sampled.tokens),
          temperature: given([1], [settings.temperature || 1]),
          logprobs: poisoned([33]),
          logSumExp: poisoned([33]),
          entropies: poisoned([33]),
        };
        const scored = await runKernel(backend, slots, (kernels, named) => {
          const { hidden, weight, targets, temperature, logprobs, logSumExp, entropies } = named;
          const outputs = { logprobs, logSumExp, entropies };
          kernels.linearLogprob({ hidden, weight, targets, temperature, ...outputs, rows: { begin: 0, end: 33 } });
        });
        expectSame(sampled.logprobs, scored.logprobs, 'logprobs');
        expectSame(sampled.entropies, scored.entropies, 'entropies');
      },
    );

    it('draws the same token with the same bits alone as among many', async () => {
      const many = sampleCase({ B: 25, D: 21, V: 90 }, { temperature: 1.2 });
      const rows = [0, 11, 24];
      const singles = rows.map((row) => {
        const one = sampleCase({ B: 1, D: 21, V: 90 }, { temperature: 1.2 });
        const numbers = Array.from(many.slots.rolloutNumbers.values).slice(2 * row, 2 * row + 2);
        const slots = {
          ...one.slots,
          hidden: given([1, 21], Array.from(many.slots.hidden.values).slice(row * 21, (row + 1) * 21)),
          rolloutNumbers: ids([1, 2], numbers),
          counters: ids([1], [many.slots.counters.values[row]]),
        };
        return { ...one, slots };
      });
      const [together, ...alone] = await runCases(backend, [many, ...singles]);
      rows.forEach((row, index) => {
        expect(alone[index].tokens[0]).toBe(together.tokens[row]);
        expectSame(alone[index].logprobs, rowsOf(together.logprobs, 1, row), `logprobs of row ${row}`);
      });
    });

    // 8 tokens: 7 degrees of freedom, whose chi-square exceeds 29.9 once in ten thousand.
    it.each([{ temperature: 1 }, { temperature: 2 }])(
      'draws tokens as often as their probability says, for %j',
      async (settings) => {
        const sizes = { B: 1024, D: 4, V: 8 };
        const test = repeatedRowCase(sizes, settings);
        const { tokens } = await runKernel(backend, test.slots, test.build);
        const { masses } = drawOf(test, sizes, 0);
        const total = masses.reduce((sum, mass) => sum + mass, 0);
        let chiSquare = 0;
        for (let v = 0; v < sizes.V; v++) {
          const expected = (sizes.B * masses[v]) / total;
          const observed = [...tokens].filter((token) => token === v).length;
          chiSquare += (observed - expected) ** 2 / expected;
        }
        expect(chiSquare).toBeLessThan(29.9);
      },
    );
  });
}
