/** Each reference backward against central differences of its forward, in float64. */
import { describe, expect, it } from 'vitest';
import type { Kernels, ScaleRewards } from '../../src/kernels/kernels.ts';
import { OBJECTIVE } from '../../src/kernels/kernels.ts';
import type { Slot } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { expectClose } from '../support/compare.ts';
import { normals, offsetsOf, sizeOf, uniforms } from '../support/data.ts';
import {
  allRows,
  given,
  ids,
  matrix,
  POISON,
  planCases,
  poisoned,
  poisonedIds,
  runKernel,
  type TestSlot,
} from '../support/harness.ts';

type Build = (kernels: Kernels, slots: Readonly<Record<string, Slot>>) => void;

/** A forward whose loss is Σ seed·output, and the backward that should give that loss's gradients. */
interface GradientCase {
  readonly slots: Readonly<Record<string, TestSlot>>;
  readonly forward: Build;
  /** Runs after the forward. */
  readonly backward: Build;
  /** Output slot of the forward → slot that holds dLoss/dOutput. */
  readonly seeds: Readonly<Record<string, string>>;
  /** Input slot → slot that the backward writes or adds its gradient to. */
  readonly gradients: Readonly<Record<string, string>>;
}

const STEP = 1e-5;
const RELATIVE = 1e-6;

/** Fails where a gradient differs from a central difference, or where an accumulated one lost its start. */
async function expectGradients(test: GradientCase): Promise<void> {
  const { plan, slots } = planCases([test]);
  const [named] = slots;
  const engine = await referenceBackend.open(plan);
  for (const [name, slot] of Object.entries(named)) engine.write(slot, test.slots[name].values);
  const forward = engine.record('forward', (kernels) => test.forward(kernels, named));
  const backward = engine.record('backward', (kernels) => test.backward(kernels, named));

  const lossAt = async (input: string, index: number, value: number): Promise<number> => {
    engine.write(named[input], [value], index);
    await engine.replay(forward);
    let loss = 0;
    for (const [output, seed] of Object.entries(test.seeds)) {
      const values = await engine.read(named[output]);
      for (let at = 0; at < values.length; at++) loss += values[at] * test.slots[seed].values[at];
    }
    return loss;
  };

  await engine.replay(forward, backward);
  for (const [input, gradient] of Object.entries(test.gradients)) {
    const actual = await engine.read(named[gradient]);
    const start = test.slots[gradient].values;
    const isAccumulated = start[0] !== POISON;
    const expected = new Float64Array(actual.length);
    for (let i = 0; i < expected.length; i++) {
      const value = test.slots[input].values[i];
      const rise = (await lossAt(input, i, value + STEP)) - (await lossAt(input, i, value - STEP));
      engine.write(named[input], [value], i);
      expected[i] = rise / (2 * STEP) + (isAccumulated ? start[i] : 0);
    }
    expectClose(actual, expected, { relative: RELATIVE, absolute: 1e-9 }, `gradient of ${input}`);
  }
  await engine.close();
}

function random(shape: readonly number[], seed: number): TestSlot {
  return given(shape, normals(shape, seed));
}

describe('the reference gradient of', () => {
  it('embedding is the finite difference of its table', async () => {
    const tokens = [3, 1, 3, 0];
    await expectGradients({
      slots: {
        tokens: ids([4], tokens),
        table: random([5, 3], 1),
        out: poisoned([4, 3]),
        dOut: random([4, 3], 2),
        sortedRows: ids([4], [3, 1, 0, 2]),
        bucketTokens: ids([3], [0, 1, 3]),
        bucketOffsets: ids([4], [0, 1, 2, 4]),
        dTable: random([5, 3], 3),
      },
      forward: (kernels, { tokens, table, out }) => kernels.embedding({ tokens, table, out, rows: allRows(4) }),
      backward: (kernels, { dOut, sortedRows, bucketTokens, bucketOffsets, dTable }) =>
        kernels.embeddingBackward({ dOut, sortedRows, bucketTokens, bucketOffsets, buckets: 3, dTable }),
      seeds: { out: 'dOut' },
      gradients: { table: 'dTable' },
    });
  });

  it('rmsNorm is the finite difference of its input and weight', async () => {
    await expectGradients({
      slots: {
        x: random([3, 5], 1),
        weight: random([5], 2),
        out: poisoned([3, 5]),
        rstd: poisoned([3]),
        dOut: random([3, 5], 3),
        dX: random([3, 5], 4),
        dWeight: random([5], 5),
      },
      forward: (kernels, { x, weight, out, rstd }) =>
        kernels.rmsNorm({ x, weight, out, rstd, eps: 1e-2, rows: allRows(3) }),
      backward: (kernels, { x, weight, rstd, dOut, dX, dWeight }) =>
        kernels.rmsNormBackward({ x, weight, rstd, dOut, dX, dWeight, rows: allRows(3) }),
      seeds: { out: 'dOut' },
      gradients: { x: 'dX', weight: 'dWeight' },
    });
  });

  it('linear is the finite difference of its input, weight and bias', async () => {
    await expectGradients({
      slots: {
        x: random([4, 3], 1),
        weight: matrix([5, 3], normals([5, 3], 2)),
        bias: random([5], 3),
        residual: random([4, 5], 4),
        out: poisoned([4, 5]),
        dOut: random([4, 5], 5),
        dX: poisoned([4, 3]),
        dWeight: random([5, 3], 6),
        dBias: random([5], 7),
      },
      forward: (kernels, { x, weight, bias, residual, out }) =>
        kernels.linear({ x, weight, bias, residual, out, rows: allRows(4) }),
      backward: (kernels, { x, weight, dOut, dX, dWeight, dBias }) => {
        kernels.linearInputGradient({ dOut, weight, dX, rows: allRows(4) });
        kernels.linearWeightGradient({ dOut, x, dWeight, dBias, rows: allRows(4) });
      },
      seeds: { out: 'dOut' },
      gradients: { x: 'dX', weight: 'dWeight', bias: 'dBias' },
    });
  });

  it.each([false, true])('rotary is the finite difference of qkv and of the norms (q/k norm: %s)', async (hasNorm) => {
    const heads = { numHeads: 4, numKvHeads: 2, headDim: 6 };
    const eps = 1e-2;
    await expectGradients({
      slots: {
        qkv: random([3, 48], 1),
        positions: ids([3], [0, 4, 2]),
        cos: given([5, 3], uniforms([5, 3], 2, -1, 1)),
        sin: given([5, 3], uniforms([5, 3], 3, -1, 1)),
        kvRows: ids([3], [2, 0, 1]),
        q: poisoned([3, 24]),
        kv: poisoned([3, 24]),
        dQ: random([3, 24], 4),
        dKv: random([3, 24], 5),
        dQkv: poisoned([3, 48]),
        ...(hasNorm && {
          qNorm: random([6], 6),
          kNorm: random([6], 7),
          dQNorm: random([6], 8),
          dKNorm: random([6], 9),
        }),
      },
      forward: (kernels, { qkv, positions, cos, sin, kvRows, q, kv, qNorm, kNorm }) =>
        kernels.rotary({ qkv, positions, cos, sin, kvRows, q, kv, qNorm, kNorm, eps, heads, rows: allRows(3) }),
      backward: (kernels, { qkv, positions, cos, sin, kvRows, qNorm, kNorm, dQ, dKv, dQkv, dQNorm, dKNorm }) => {
        const inputs = { qkv, positions, cos, sin, kvRows, qNorm, kNorm, eps, heads };
        kernels.rotaryBackward({ ...inputs, dQ, dKv, dQkv, dQNorm, dKNorm, rows: allRows(3) });
      },
      seeds: { q: 'dQ', kv: 'dKv' },
      gradients: { qkv: 'dQkv', ...(hasNorm && { qNorm: 'dQNorm', kNorm: 'dKNorm' }) },
    });
  });

  it.each([
    [4, 4],
    [4, 2],
    [4, 1],
  ])('attention over two intervals, %i query and %i key heads, is the finite difference', async (H, HK) => {
    const heads = { numHeads: H, numKvHeads: HK, headDim: 2 };
    // A prompt of 3 rows and two completions of 2; then a prefix group of one row.
    const intervals = [0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 3, 3, 4, 0, 3, 3, 5, 0, 3, 5, 6, 0, 3, 5, 7, 7, 8, 8, 8];
    await expectGradients({
      slots: {
        q: random([8, H * 2], 1),
        kv: random([8, HK * 4], 2),
        intervals: ids([8, 2, 2], intervals),
        out: poisoned([8, H * 2]),
        logSumExp: poisoned([8, H]),
        dOut: random([8, H * 2], 3),
        prefixGroups: ids([3], [0, 7, 8]),
        dQ: poisoned([8, H * 2]),
        dKv: random([8, HK * 4], 4),
      },
      forward: (kernels, { q, kv, intervals, out, logSumExp }) =>
        kernels.attention({ q, kv, intervals, out, logSumExp, scale: 0.7, heads, rows: allRows(8) }),
      backward: (kernels, { q, kv, intervals, out, logSumExp, dOut, prefixGroups, dQ, dKv }) => {
        const saved = { q, kv, intervals, out, logSumExp, scale: 0.7, heads };
        kernels.attentionBackward({ ...saved, dOut, prefixGroups, prefixGroupCount: 2, dQ, dKv });
      },
      seeds: { out: 'dOut' },
      gradients: { q: 'dQ', kv: 'dKv' },
    });
  });

  it.each([undefined, 'gelu_tanh'] as const)(
    'swiglu is the finite difference of gate and up: %s',
    async (activation) => {
      await expectGradients({
        slots: {
          gateUp: given([2, 10], normals([2, 10], 1, 2)),
          out: poisoned([2, 5]),
          dOut: random([2, 5], 2),
          dGateUp: poisoned([2, 10]),
        },
        forward: (kernels, { gateUp, out }) => kernels.swiglu({ gateUp, out, activation, rows: allRows(2) }),
        backward: (kernels, { gateUp, dOut, dGateUp }) =>
          kernels.swigluBackward({ gateUp, dOut, dGateUp, activation, rows: allRows(2) }),
        seeds: { out: 'dOut' },
        gradients: { gateUp: 'dGateUp' },
      });
    },
  );

  it('gatherRows is the finite difference, where rows repeat and where one is left out', async () => {
    await expectGradients({
      slots: {
        x: random([4, 3], 1),
        index: ids([5], [0, 2, 2, 2, 3]),
        offsets: ids([5], [0, 1, 1, 4, 5]),
        out: poisoned([5, 3]),
        dOut: random([5, 3], 2),
        dX: poisoned([4, 3]),
      },
      forward: (kernels, { x, index, out }) => kernels.gatherRows({ x, index, out, rows: allRows(5) }),
      backward: (kernels, { dOut, offsets, dX }) => kernels.gatherRowsBackward({ dOut, offsets, dX, rows: allRows(4) }),
      seeds: { out: 'dOut' },
      gradients: { x: 'dX' },
    });
  });

  it.each([0.7, 1])(
    'linearLogprob at temperature %d is the finite difference of log-prob and entropy',
    async (temperature) => {
      await expectGradients({
        slots: {
          hidden: random([3, 4], 1),
          weight: matrix([7, 4], normals([7, 4], 2)),
          targets: ids([3], [0, 6, 2]),
          temperature: given([1], [temperature]),
          logprobs: poisoned([3]),
          logSumExp: poisoned([3]),
          entropies: poisoned([3]),
          dLogprobs: random([3], 3),
          dEntropies: random([3], 4),
          dHidden: poisoned([3, 4]),
          dWeight: random([7, 4], 5),
        },
        forward: (kernels, { hidden, weight, targets, temperature, logprobs, logSumExp, entropies }) => {
          const outputs = { logprobs, logSumExp, entropies, rows: allRows(3) };
          kernels.linearLogprob({ hidden, weight, targets, temperature, ...outputs });
        },
        backward: (kernels, slots) => {
          const { hidden, weight, targets, temperature, logSumExp, entropies, dLogprobs, dEntropies } = slots;
          const saved = { hidden, weight, targets, temperature, logSumExp, entropies, dLogprobs, dEntropies };
          kernels.linearLogprobBackward({ ...saved, dHidden: slots.dHidden, dWeight: slots.dWeight, rows: allRows(3) });
        },
        seeds: { logprobs: 'dLogprobs', entropies: 'dEntropies' },
        gradients: { hidden: 'dHidden', weight: 'dWeight' },
      });
    },
  );
});

/** Ratios below, within and above the clip range, and above delta, each with either sign of the advantage. */
const RATIOS = [0.5, 0.5, 0.95, 0.95, 1.1, 1.1, 1.7, 1.7, 3, 3];

function objectiveSlots({ delta, klCoef }: { delta: number; klCoef: number }): Record<string, TestSlot> {
  const R = RATIOS.length;
  const settings = new Float64Array(OBJECTIVE.length);
  settings[OBJECTIVE.clipEpsilonLow] = 0.2;
  settings[OBJECTIVE.clipEpsilonHigh] = 0.3;
  settings[OBJECTIVE.clipDelta] = delta;
  settings[OBJECTIVE.klCoef] = klCoef;
  const oldLogprobs = uniforms([R], 1, -3, -1);
  return {
    logprobs: given(
      [R],
      oldLogprobs.map((value, row) => value + Math.log(RATIOS[row])),
    ),
    oldLogprobs: given([R], oldLogprobs),
    refLogprobs: given([R], uniforms([R], 2, -3, -1)),
    entropies: given([R], uniforms([R], 3)),
    advantages: given(
      [R],
      RATIOS.map((_, row) => (row % 2 === 0 ? 1.3 : -0.8)),
    ),
    coefficients: given([R], uniforms([R], 5)),
    entropyCoefficients: given([R], uniforms([R], 6)),
    settings: given([OBJECTIVE.length], settings),
    losses: poisoned([R]),
    dLogprobs: poisoned([R]),
    dEntropies: poisoned([R]),
    ones: given([R], new Float64Array(R).fill(1)),
  };
}

const objective: Build = (kernels, slots) => {
  const { logprobs, oldLogprobs, refLogprobs, entropies, advantages, settings } = slots;
  const { coefficients, entropyCoefficients, losses, dLogprobs, dEntropies } = slots;
  const inputs = { logprobs, oldLogprobs, refLogprobs, entropies, advantages, settings };
  const weights = { coefficients, entropyCoefficients };
  kernels.policyObjective({ ...inputs, ...weights, losses, dLogprobs, dEntropies, rows: allRows(RATIOS.length) });
};

describe('the reference policyObjective', () => {
  it.each([
    { delta: 0, klCoef: 0 },
    { delta: 2, klCoef: 0 },
    { delta: 0, klCoef: 0.3 },
    { delta: 2, klCoef: 0.3 },
  ])('has the derivatives of its losses on both sides of the clip range, for %j', async (settings) => {
    await expectGradients({
      slots: objectiveSlots(settings),
      forward: objective,
      backward: () => {},
      seeds: { losses: 'ones' },
      gradients: { logprobs: 'dLogprobs', entropies: 'dEntropies' },
    });
  });

  it('is flat exactly where a bound decides: high for A > 0, low for A < 0, delta for A < 0', async () => {
    const outputs = await runKernel(referenceBackend, objectiveSlots({ delta: 2, klCoef: 0 }), objective);
    const flat = [...outputs.dLogprobs].map((value) => value === 0);
    // Columns: ratio 0.5 (A > 0, A < 0), 0.95, 1.1, 1.7, 3.
    expect(flat).toEqual([false, true, false, false, false, false, true, false, true, true]);
  });
});

describe('the reference groupAdvantages', () => {
  /** By hand. Group 1: mean 0.5, std √(1/3). Group 2: mean 2, std 1. All eight: mean 1.0625, std 0.9038600…. */
  const rewards = [0, 1, 0, 1, 1, 2, 3, 0.5];
  const offsets = [0, 4, 7, 8];
  const groupStd = [Math.sqrt(1 / 3), 1];
  const batchStd = Math.sqrt((15.25 + 1 - 8 * 1.0625 ** 2) / 7);

  it.each([
    ['group', groupStd.map((std) => std + 1e-4)],
    ['batch', [batchStd + 1e-4, batchStd + 1e-4]],
    ['none', [1, 1]],
  ] as [ScaleRewards, number[]][])('agrees with a table made by hand, scaled by %s', async (scale, divisors) => {
    const slots = {
      rewards: given([8], rewards),
      offsets: ids([4], offsets),
      advantages: poisoned([8]),
      dead: poisonedIds([3]),
    };
    const { advantages, dead } = await runKernel(referenceBackend, slots, (kernels, named) => {
      const { rewards, offsets, advantages, dead } = named;
      kernels.groupAdvantages({ rewards, offsets, groups: 3, scale, advantages, dead });
    });
    const [first, second] = divisors;
    const table = [-0.5 / first, 0.5 / first, -0.5 / first, 0.5 / first, -1 / second, 0, 1 / second, 0];
    expectClose(advantages, table, { relative: 1e-14 });
    expect([...dead]).toEqual([0, 0, 1]);
  });

  it('gives exactly 0 to eight rewards of 0.7, whose mean is not 0.7', async () => {
    const slots = {
      rewards: given([8], new Float64Array(8).fill(0.7)),
      offsets: ids([2], offsetsOf([8])),
      advantages: poisoned([8]),
      dead: poisonedIds([1]),
    };
    const { advantages, dead } = await runKernel(referenceBackend, slots, (kernels, named) => {
      const { rewards, offsets, advantages, dead } = named;
      kernels.groupAdvantages({ rewards, offsets, groups: 1, scale: 'group', advantages, dead });
    });
    expect([...advantages]).toEqual(new Array(sizeOf([8])).fill(0));
    expect([...dead]).toEqual([1]);
  });
});
