/** Ten AdamW steps of the clipped objective and ten of SFT, as PyTorch takes them in float64. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { ObjectiveRows, Policy } from '../../src/model/policy.ts';
import type { Tensor } from '../golden/load.ts';
import { goldenOptimizer, loadGolden } from '../golden/load.ts';
import { loadGoldenModel, worstRelative } from '../support/golden_model.ts';
import { openGolden } from '../support/policies.ts';

const trajectory = loadGolden('trajectory');
const golden = loadGoldenModel(trajectory.model);
const batch = packBatch(golden.groups);
const TOKENS = batch.lossRowCount;
const STEPS = 10;

interface Step {
  readonly loss: number;
  readonly gradNorm: number;
  readonly entropy: number;
  /** In the fixture's order. */
  readonly logprobs: Float64Array;
}

function meanOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
}

function stepOf(
  scores: { readonly logprobs: ArrayLike<number>; readonly entropies: ArrayLike<number> },
  loss: number,
  gradNorm: number,
): Step {
  const logprobs = golden.inFixtureOrder(batch, scores.logprobs);
  return { loss, gradNorm, entropy: meanOf(scores.entropies), logprobs };
}

async function runGrpo(policy: Policy): Promise<Step[]> {
  const { epsilon, epsilon_high, advantages, temperature } = trajectory;
  const settings = { clipEpsilonLow: epsilon, clipEpsilonHigh: epsilon_high, clipDelta: null, klCoef: 0 };
  const { logprobs: oldLogprobs } = await policy.score(batch, temperature);
  const rows: ObjectiveRows = {
    oldLogprobs,
    refLogprobs: undefined,
    coefficients: new Float32Array(TOKENS).fill(1 / TOKENS),
    entropyCoefficients: new Float32Array(TOKENS),
    advantages: Float32Array.from(batch.completionOf, (completion) => advantages[completion]),
  };
  const steps: Step[] = [];
  for (let step = 0; step < STEPS; step++) {
    const scores = await policy.accumulate(batch, temperature, rows, settings);
    const { gradNorm } = await policy.optimize(goldenOptimizer(trajectory.optimizer, step));
    steps.push(stepOf(scores, meanOf(scores.losses) * TOKENS, gradNorm));
  }
  return steps;
}

async function runSft(policy: Policy): Promise<Step[]> {
  const derivatives = { logprobs: new Float32Array(TOKENS).fill(-1 / TOKENS), entropies: new Float32Array(TOKENS) };
  const steps: Step[] = [];
  for (let step = 0; step < STEPS; step++) {
    const scores = await policy.forward(batch, 1);
    await policy.backward(derivatives);
    const { gradNorm } = await policy.optimize(goldenOptimizer(trajectory.optimizer, step));
    steps.push(stepOf(scores, -meanOf(scores.logprobs), gradNorm));
  }
  return steps;
}

async function worstWeight(policy: Policy, expected: Readonly<Record<string, Tensor>>): Promise<number> {
  const flat = (await policy.engine.read(policy.slots.weights.trainable)) as Float32Array | Float64Array;
  let worst = 0;
  for (const { name, slot } of policy.parameters) {
    const values = flat.subarray(slot.offset, slot.offset + slotLength(slot));
    worst = Math.max(worst, worstRelative(values, expected[name].data));
  }
  return worst;
}

/**
 * Relative tolerances. On float64 the API's float32 arrays are all that rounds; on float32 a late gradient norm sees
 * the weights' rounding ten times enlarged.
 */
interface Tolerances {
  readonly values: number;
  readonly norms: number;
}

const FLOAT32: Tolerances = { values: 1e-5, norms: 1e-4 };

const backends: [string, () => Promise<Backend>, Tolerances][] = [
  ['reference', async () => referenceBackend, { values: 5e-7, norms: 5e-7 }],
  ['wasm, 2 threads', () => wasmBackend({ threads: 2 }), FLOAT32],
  ['wasm without fma', () => wasmBackend({ inline: true, fma: false }), FLOAT32],
];

function expectSteps(actual: readonly number[], expected: readonly number[], tolerance: number, label: string): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, step) => {
    expect(Math.abs(value / expected[step] - 1), `${label}, step ${step}`).toBeLessThan(tolerance);
  });
}

const kinds = [
  ['clipped objective', 'grpo', runGrpo],
  ['SFT', 'sft', runSft],
] as const;

describe.each(backends)('on %s', (_, open, tolerances) => {
  it.each(kinds)("ten steps of the %s follow PyTorch's losses, norms, entropies and weights", async (_, kind, run) => {
    const policy = await openGolden(await open(), golden);
    const steps = await run(policy);
    const { steps: expected, final_weights } = trajectory[kind];
    const column = (key: 'loss' | 'gradNorm' | 'entropy'): number[] => steps.map((step) => step[key]);
    expectSteps(column('loss'), expected.loss, tolerances.values, 'loss');
    expectSteps(column('gradNorm'), expected.grad_norm, tolerances.norms, 'norm');
    expectSteps(column('entropy'), expected.entropy, tolerances.values, 'entropy');
    expect(await worstWeight(policy, final_weights)).toBeLessThan(tolerances.values);
    await policy.close();
  });

  it("clips the tokens that PyTorch clips, from PyTorch's log-probs, at each of the ten steps", async () => {
    const policy = await openGolden(await open(), golden);
    const steps = await runGrpo(policy);
    const { epsilon, epsilon_high, advantages, grpo } = trajectory;
    const advantageOf = golden.inFixtureOrder(batch, batch.completionOf).map((completion) => advantages[completion]);
    const old = steps[0].logprobs;
    steps.forEach(({ logprobs }, step) => {
      const row = grpo.logprobs.data.subarray(step * TOKENS, (step + 1) * TOKENS);
      expect(worstRelative(logprobs, row)).toBeLessThan(tolerances.values);
      const ratio = logprobs.map((value, i) => Math.exp(value - old[i]));
      const low = ratio.filter((value, i) => value < 1 - epsilon && advantageOf[i] < 0).length / TOKENS;
      const high = ratio.filter((value, i) => value > 1 + epsilon_high && advantageOf[i] > 0).length / TOKENS;
      expect([low, high]).toEqual([grpo.steps.clip_low[step], grpo.steps.clip_high[step]]);
    });
    await policy.close();
  });
});
