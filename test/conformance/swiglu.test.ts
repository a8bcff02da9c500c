import { describe, it } from 'vitest';
import type { GateActivation } from '../../src/kernels/kernels.ts';
import { requiredBackends } from '../support/backends.ts';
import { type ConformanceCase, expectConformance } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { given, poisoned, rowBounds, storedRows } from '../support/harness.ts';

type Activation = GateActivation | undefined;

function forwardCase(activation: Activation, N: number, F: number, begin = 0, end = N): ConformanceCase {
  return {
    slots: {
      gateUp: given([N, 2 * F], normals([N, 2 * F], F, 3)),
      out: poisoned([N, F]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { gateUp, out, bounds }) => kernels.swiglu({ gateUp, out, activation, rows: storedRows(bounds) }),
    writes: { out: {} },
  };
}

function backwardCase(activation: Activation, N: number, F: number, begin = 0, end = N): ConformanceCase {
  return {
    slots: {
      gateUp: given([N, 2 * F], normals([N, 2 * F], F, 3)),
      dOut: given([N, F], normals([N, F], 2)),
      dGateUp: poisoned([N, 2 * F]),
      bounds: rowBounds(begin, end),
    },
    build: (kernels, { gateUp, dOut, dGateUp, bounds }) =>
      kernels.swigluBackward({ gateUp, dOut, dGateUp, activation, rows: storedRows(bounds) }),
    writes: { dGateUp: {} },
  };
}

for (const { label, backend } of await requiredBackends()) {
  describe.each([undefined, 'gelu_tanh'] as const)(`swiglu on ${label}, activation %s`, (activation) => {
    const widths = [...Array.from({ length: 40 }, (_, index) => index + 1), 130];

    it('matches float64 at every width from 1 to 40 and at 130', async () => {
      await expectConformance(
        backend,
        ...widths.map((F) => forwardCase(activation, 3, F)),
        forwardCase(activation, 100, 7),
      );
    });

    it('matches float64 in the backward at every width from 1 to 40 and at 130', async () => {
      await expectConformance(
        backend,
        ...widths.map((F) => backwardCase(activation, 3, F)),
        backwardCase(activation, 100, 7),
      );
    });

    it('leaves rows outside its range untouched', async () => {
      await expectConformance(
        backend,
        forwardCase(activation, 12, 9, 3, 8),
        forwardCase(activation, 4, 9, 2, 2),
        backwardCase(activation, 12, 9, 3, 8),
        backwardCase(activation, 4, 9, 2, 2),
      );
    });

    it('stays finite for gates so large that e^−gate overflows or vanishes', async () => {
      const gateUp = given([1, 12], [-200, -100, -88, 88, 100, 200, 1, 1, 1, 1, 1, 1]);
      const [forward, backward] = [forwardCase(activation, 1, 6), backwardCase(activation, 1, 6)];
      await expectConformance(
        backend,
        { ...forward, slots: { ...forward.slots, gateUp } },
        { ...backward, slots: { ...backward.slots, gateUp } },
      );
    });
  });
}
