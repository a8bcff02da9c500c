/** Muon steps what it should: as torch.optim.Muon does in float64, every trained element once, the same bits on any threads. */
import { expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { type Kernels, MUON_MATRICES } from '../../src/kernels/kernels.ts';
import { type Slot, slotLength } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Trained } from '../../src/model/memory/plan.ts';
import { planPolicy } from '../../src/model/memory/plan.ts';
import { muonStep, type OptimizerSettings } from '../../src/model/optimizer.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { goldenOptimizer, loadGolden } from '../golden/load.ts';
import { loadGoldenModel, worstRelative } from '../support/golden_model.ts';
import {
  accumulate,
  NO_UPDATE,
  openGolden,
  openPolicy,
  randomGroups,
  SMALL_CAPACITY,
  SMALL_SHAPE,
  sha256Of,
} from '../support/policies.ts';

const golden = loadGolden('muon');
const model = loadGoldenModel(golden.model);
const batch = packBatch(model.groups);

function settingsAt(step: number): OptimizerSettings {
  const { momentum, ...optimizer } = golden.optimizer;
  return { optim: 'muon', muonMomentum: momentum, ...goldenOptimizer(optimizer, step) };
}

const backends: [string, () => Promise<Backend>, number][] = [
  ['reference', async () => referenceBackend, 5e-7],
  ['wasm, 2 threads', () => wasmBackend({ threads: 2 }), 1e-5],
  ['wasm without fma', () => wasmBackend({ inline: true, fma: false }), 1e-5],
];

it.each(backends)("on %s five steps follow torch's losses, norms and weights", async (_, open, tolerance) => {
  const policy = await openGolden(await open(), model, { muon: true });
  const { steps, final_weights } = golden.sft;
  const tokens = batch.lossRowCount;
  for (const [step, loss] of steps.loss.entries()) {
    const { logprobs } = await policy.forward(batch, 1);
    expect(logprobs.reduce((sum, value) => sum - value / tokens, 0) / loss).toBeCloseTo(1, 5);
    await policy.backward({ logprobs: new Float32Array(tokens).fill(-1 / tokens) });
    const { gradNorm } = await policy.optimize(settingsAt(step));
    expect(gradNorm / steps.grad_norm[step]).toBeCloseTo(1, 5);
  }
  for (const parameter of policy.parameters) {
    const expected = final_weights[parameter.name].data;
    const read = await policy.engine.read(parameter.slot);
    expect(worstRelative(read as Float32Array, expected), parameter.name).toBeLessThan(tolerance);
  }
  await policy.close();
});

/** Which step changes each element of the trained part: 1 AdamW without decay, 2 with it, 3 Muon; 0 none. */
function steppersOf(shape: Partial<ModelShape>, trained: Trained) {
  const { slots } = planPolicy({ ...SMALL_SHAPE, ...shape }, { ...SMALL_CAPACITY, muon: true }, trained);
  const by = new Uint8Array(slotLength(slots.weights.trainable));
  const mark = (begin: number, end: number, stepper: number): void => {
    expect(by.subarray(begin, end).every((other) => other === 0)).toBe(true);
    by.fill(stepper, begin, end);
  };
  const kernels: Pick<Kernels, 'adamw' | 'muon'> = {
    adamw({
      parameters: {
        offset,
        shape: [length],
      },
      decayLength,
    }) {
      mark(offset, offset + decayLength, 2);
      mark(offset + decayLength, offset + length, 1);
    },
    muon({ matrices }) {
      expect(matrices.length).toBeLessThanOrEqual(MUON_MATRICES);
      for (const { begin, rows, columns } of matrices) mark(begin, begin + rows * columns, 3);
    },
  };
  muonStep(kernels as Kernels, slots, slots.results.muon as Slot);
  const { parameters, adapterParameters, trainable } = slots.weights;
  const named = [...parameters, ...adapterParameters].filter(({ slot }) => slot.arena === trainable.arena);
  return named.map(({ name, slot }) => {
    const steppers = new Set(by.subarray(slot.offset, slot.offset + slotLength(slot)));
    expect(steppers.size, name).toBe(1);
    return [name, [...steppers][0]] as const;
  });
}

const expectedStepper = (name: string): number => {
  if (/embed_tokens|lm_head/.test(name)) return 2;
  return /norm|bias|magnitude/.test(name) ? 1 : 3;
};

const ADAPTER = { rank: 3, scale: 2, targets: ['q_proj', 'o_proj', 'down_proj'], useDora: true } as const;

it.each<[string, Partial<ModelShape>, Trained]>([
  ['a plain model', {}, {}],
  ['a tied head, biases and norms of heads', { tieWordEmbeddings: true, attentionBias: true, qkNorm: true }, {}],
  ['frozen tables', {}, { isTrainable: (name) => !/embed_tokens|lm_head/.test(name) }],
  ['a frozen layer', {}, { isTrainable: (name) => !name.includes('.layers.0.') }],
  ['adapters with magnitudes', {}, { adapter: ADAPTER }],
])('every trained element is stepped once, matrices of the layers by Muon: %s', (_, shape, trained) => {
  const steppers = steppersOf(shape, trained);
  expect(steppers.length).toBeGreaterThan(8);
  expect(steppers).toEqual(steppers.map(([name]) => [name, expectedStepper(name)]));
});

it('all matrices of many layers are stepped, in as many calls as that takes', () => {
  expect(steppersOf({ numLayers: 5 }, {}).filter(([, stepper]) => stepper === 3)).toHaveLength(35);
});

const STEP: OptimizerSettings = {
  ...NO_UPDATE,
  optim: 'muon',
  muonMomentum: 0.95,
  learningRate: 1e-2,
  weightDecay: 0.1,
};

async function stepped(backend: Backend, maxGradNorm = 1): Promise<string> {
  const policy = await openPolicy(backend, { tieWordEmbeddings: true }, { muon: true });
  for (let step = 1; step <= 3; step++) {
    await accumulate(policy, packBatch(randomGroups([4, 5], { seed: step })));
    await policy.optimize({ ...STEP, maxGradNorm, adamStep: step });
  }
  const weights = await policy.readVector('weights');
  await policy.close();
  return sha256Of(weights);
}

it.each([true, false])(
  '1, 2 and 3 threads, and narrow and wide tiles, give the same bits, with fma %s',
  async (fma) => {
    const one = await stepped(await wasmBackend({ threads: 1, fma }));
    expect(await stepped(await wasmBackend({ threads: 2, fma }))).toBe(one);
    expect(await stepped(await wasmBackend({ threads: 3, fma }))).toBe(one);
    if (fma) expect(await stepped(await wasmBackend({ threads: 2, wide: true }))).toBe(one);
  },
);

it('a gradient that is not finite changes neither weights nor momentum', async () => {
  const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, { muon: true });
  await accumulate(policy, packBatch(randomGroups([4], {})));
  await policy.optimize(STEP);
  const read = () =>
    Promise.all((['weights', 'firstMoment', 'secondMoment'] as const).map((name) => policy.readVector(name)));
  const before = await read();
  const gradients = await policy.readVector('gradients');
  gradients[gradients.length >> 1] = Number.POSITIVE_INFINITY;
  policy.writeVector('gradients', gradients);
  const { gradNorm } = await policy.optimize({ ...STEP, adamStep: 2 });
  expect(gradNorm).toBe(Number.POSITIVE_INFINITY);
  expect(await read()).toEqual(before);
  await policy.close();
});

it('a policy that was opened without Muon refuses to step by it', async () => {
  const policy = await openPolicy(await wasmBackend({ threads: 1 }));
  await expect(policy.optimize(STEP)).rejects.toThrow('this policy was opened without Muon');
  await policy.close();
});
