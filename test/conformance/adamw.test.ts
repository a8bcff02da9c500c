import { describe, expect, it } from 'vitest';
import { ADAMW } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals, uniforms } from '../support/data.ts';
import { given, runKernel } from '../support/harness.ts';

interface Settings {
  readonly weightDecay?: number;
  readonly maxGradNorm?: number;
  readonly norm?: number;
  readonly step?: number;
}

function settingValues({ weightDecay = 0.1, maxGradNorm = 1, step = 3 }: Settings): number[] {
  const values = new Array<number>(ADAMW.length).fill(0);
  values[ADAMW.learningRate] = 1e-2;
  values[ADAMW.beta1] = 0.9;
  values[ADAMW.beta2] = 0.95;
  values[ADAMW.epsilon] = 1e-8;
  values[ADAMW.weightDecay] = weightDecay;
  values[ADAMW.biasCorrection1] = 1 - 0.9 ** step;
  values[ADAMW.biasCorrection2] = 1 - 0.95 ** step;
  values[ADAMW.maxGradNorm] = maxGradNorm;
  return values;
}

function adamwCase(length: number, decayLength: number, settings: Settings = {}): ConformanceCase {
  return {
    slots: {
      parameters: given([length], normals([length], 1)),
      gradients: given([length], normals([length], 2)),
      firstMoment: given([length], normals([length], 3, 0.1)),
      secondMoment: given([length], uniforms([length], 4, 0.01, 1)),
      norm: given([1], [settings.norm ?? 5]),
      settings: given([ADAMW.length], settingValues(settings)),
    },
    build: (kernels, { parameters, gradients, firstMoment, secondMoment, norm, settings }) =>
      kernels.adamw({ parameters, gradients, firstMoment, secondMoment, norm, settings, decayLength }),
    writes: { parameters: {}, firstMoment: {}, secondMoment: {} },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`adamw on ${label}`, () => {
    it('matches float64 at odd lengths, and decays only what comes before decayLength', async () => {
      const lengths = [1, 2, 3, 5, 8, 31, 100, 2055];
      const cases = lengths.flatMap((length) =>
        [0, Math.floor(length / 3), length].map((decay) => adamwCase(length, decay)),
      );
      await expectConformance(backend, ...cases);
    });

    it('matches float64 with clipping off, not binding, and at the first step', async () => {
      await expectConformance(
        backend,
        adamwCase(50, 20, { maxGradNorm: 0 }),
        adamwCase(50, 20, { maxGradNorm: 10 }),
        adamwCase(50, 20, { step: 1 }),
        adamwCase(50, 20, { norm: 0 }),
      );
    });

    it('leaves a parameter with no gradient, no moment and no decay exactly as it is', async () => {
      const test = adamwCase(40, 0);
      const zeros = given([40], new Float64Array(40));
      const slots = { ...test.slots, gradients: zeros, firstMoment: zeros, secondMoment: zeros };
      const { parameters } = await runKernel(backend, slots, test.build);
      expect([...parameters]).toEqual([...Float64Array.from(test.slots.parameters.values)]);
    });

    it('changes nothing where the norm is NaN or infinite', async () => {
      const norms = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      await expectConformance(backend, ...norms.map((norm) => ({ ...adamwCase(37, 20, { norm }), writes: {} })));
    });
  });
}
