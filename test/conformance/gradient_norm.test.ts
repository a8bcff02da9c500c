import { describe, expect, it } from 'vitest';
import { GRADIENT_NORM_BLOCK } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, poisoned, runCases, runKernel } from '../support/harness.ts';

function normCase(values: ArrayLike<number>): ConformanceCase {
  return {
    slots: {
      gradients: given([values.length], values),
      partials: poisoned([Math.ceil(values.length / GRADIENT_NORM_BLOCK)]),
      norm: poisoned([1]),
    },
    build: (kernels, { gradients, partials, norm }) => kernels.gradientNorm({ gradients, partials, norm }),
    writes: { partials: { terms: GRADIENT_NORM_BLOCK }, norm: { terms: GRADIENT_NORM_BLOCK } },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`gradientNorm on ${label}`, () => {
    it('matches float64 for lengths around the borders of blocks and of SIMD words', async () => {
      const lengths = [1, 2, 3, 5, 17, 1023, 1024, 1025, 2048, 2055, 5000];
      await expectConformance(backend, ...lengths.map((length) => normCase(normals([length], length))));
    });

    it('is exactly 0 for zeros', async () => {
      const test = normCase(new Float64Array(1500));
      expect((await runKernel(backend, test.slots, test.build)).norm[0]).toBe(0);
    });

    it('is not finite if one gradient is NaN or infinite', async () => {
      const cases = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => {
        const values = normals([2100], 1);
        values[2077] = value;
        return normCase(values);
      });
      for (const { norm } of await runCases(backend, cases)) expect(Number.isFinite(norm[0])).toBe(false);
    });
  });
}
