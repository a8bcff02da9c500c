import { describe, expect, it } from 'vitest';
import { OBJECTIVE } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals, uniforms } from '../support/data.ts';
import { given, poisoned, rowBounds, runKernel, storedRows } from '../support/harness.ts';

interface Settings {
  readonly low?: number;
  readonly high?: number;
  readonly delta?: number;
  readonly klCoef?: number;
}

function settingValues({ low = 0.2, high = 0.28, delta = 0, klCoef = 0 }: Settings): number[] {
  const values = new Array<number>(OBJECTIVE.length).fill(0);
  values[OBJECTIVE.clipEpsilonLow] = low;
  values[OBJECTIVE.clipEpsilonHigh] = high;
  values[OBJECTIVE.clipDelta] = delta;
  values[OBJECTIVE.klCoef] = klCoef;
  return values;
}

/** Log-ratios of deviation 0.5: about a third of the rows within the clip range, the rest on both sides. */
function objectiveCase(R: number, settings: Settings, begin = 0, end = R): ConformanceCase {
  const logprobs = uniforms([R], 1, -4, 0);
  const shifts = normals([R], 2, 0.5);
  return {
    slots: {
      logprobs: given([R], logprobs),
      oldLogprobs: given(
        [R],
        logprobs.map((value, row) => value + shifts[row]),
      ),
      refLogprobs: given(
        [R],
        logprobs.map((value, row) => value - shifts[row] / 2),
      ),
      entropies: given([R], uniforms([R], 4, 0, 3)),
      advantages: given([R], normals([R], 5)),
      coefficients: given(
        [R],
        uniforms([R], 7).map((value) => (value < 0.2 ? 0 : value)),
      ),
      entropyCoefficients: given([R], uniforms([R], 8, 0, 0.1)),
      settings: given([OBJECTIVE.length], settingValues(settings)),
      losses: poisoned([R]),
      dLogprobs: poisoned([R]),
      dEntropies: poisoned([R]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, slots) => {
      const { logprobs, oldLogprobs, refLogprobs, entropies, advantages } = slots;
      const { coefficients, entropyCoefficients, settings, losses, dLogprobs, dEntropies, bounds } = slots;
      const policies = { logprobs, oldLogprobs, refLogprobs, entropies, advantages };
      const outputs = { losses, dLogprobs, dEntropies, rows: storedRows(bounds) };
      kernels.policyObjective({ ...policies, coefficients, entropyCoefficients, settings, ...outputs });
    },
    writes: { losses: { terms: 4 }, dLogprobs: { terms: 4 }, dEntropies: {} },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`policyObjective on ${label}`, () => {
    it('matches float64 with clipping on both sides, delta and KL, on and off', async () => {
      const settings: Settings[] = [
        {},
        { delta: 1.5 },
        { klCoef: 0.04 },
        { delta: 1.3, klCoef: 0.5 },
        { low: 0, high: 0 },
      ];
      await expectConformance(backend, ...settings.map((setting) => objectiveCase(99, setting)));
    });

    it('matches float64 at every number of rows from 1 to 20', async () => {
      const counts = Array.from({ length: 20 }, (_, index) => index + 1);
      await expectConformance(backend, ...counts.map((R) => objectiveCase(R, { delta: 2, klCoef: 0.1 })));
    });

    it('leaves rows outside its range untouched', async () => {
      await expectConformance(backend, objectiveCase(20, {}, 5, 13), objectiveCase(20, {}, 5, 5));
    });

    it('gives −coefficient·A exactly on policy, where the ratio is 1', async () => {
      const test = objectiveCase(40, {});
      const slots = { ...test.slots, oldLogprobs: test.slots.logprobs };
      const outputs = await runKernel(backend, slots, test.build);
      const expected = [...outputs.advantages].map((advantage, row) => {
        const product = -outputs.coefficients[row] * advantage;
        return backend.name === 'reference' ? product : Math.fround(product);
      });
      expect([...outputs.dLogprobs].map((value) => value + 0)).toEqual(expected.map((value) => value + 0));
    });

    it('ignores reference log-probs at klCoef 0, even NaN', async () => {
      const test = objectiveCase(9, {});
      const refLogprobs = given([9], new Float64Array(9).fill(Number.NaN));
      await expectConformance(backend, { ...test, slots: { ...test.slots, refLogprobs } });
    });

    it('gives a masked row no loss and no gradient, whatever its ratio', async () => {
      const test = objectiveCase(6, { klCoef: 0.1 });
      const slots = {
        ...test.slots,
        oldLogprobs: given([6], new Float64Array(6).fill(-1000)),
        coefficients: given([6], new Float64Array(6)),
        entropyCoefficients: given([6], new Float64Array(6)),
      };
      const { losses, dLogprobs, dEntropies } = await runKernel(backend, slots, test.build);
      for (const values of [losses, dLogprobs, dEntropies]) expect(values.every((value) => value === 0)).toBe(true);
    });

    it('gives a dead group exactly no gradient', async () => {
      const test = objectiveCase(15, {});
      const advantages = given([15], new Float64Array(15));
      const { dLogprobs } = await runKernel(backend, { ...test.slots, advantages }, test.build);
      expect(dLogprobs.every((value) => value === 0)).toBe(true);
    });

    it('matches float64 for a KL so small that e^x − x − 1 cancels', async () => {
      const test = objectiveCase(30, { klCoef: 1 });
      const logprobs = test.slots.logprobs.values;
      const refLogprobs = given(
        [30],
        Float64Array.from(logprobs, (value, row) => value + 1e-4 * row),
      );
      const advantages = given([30], new Float64Array(30));
      const entropyCoefficients = given([30], new Float64Array(30));
      const slots = { ...test.slots, refLogprobs, advantages, entropyCoefficients };
      const writes = {
        losses: { relative: 0, absolute: 2 ** -23 },
        dLogprobs: { relative: 0, absolute: 2 ** -22 },
        dEntropies: {},
      };
      await expectConformance(backend, { ...test, slots, writes });
    });
  });
}
