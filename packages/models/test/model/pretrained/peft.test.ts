/** Adapters that PEFT wrote, unmerged in the engine: logits, gradients of every A and B, and five AdamW steps as PEFT has them. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../../src/kernels/engine.ts';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import { adapterSettings } from '../../../../../src/model/adapter_config.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { logSoftmaxRows } from '../../../../../src/model/distributions.ts';
import type { Capacity } from '../../../../../src/model/memory/capacity.ts';
import { Policy } from '../../../../../src/model/policy.ts';
import { toGroups, worstRelative } from '../../../../../test/support/golden_model.ts';
import { SMALL_CAPACITY, takeGradients } from '../../../../../test/support/policies.ts';
import { openAdapter } from '../../../model/pretrained/adapter_files.ts';
import { loadAdapter, loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { openModelFolder } from '../../../model/pretrained/open_folder.ts';
import { adapterFiles, loadPeftGolden, PEFT_ADAPTERS, type PeftGoldenName } from '../../support/peft_files.ts';
import { checkpointFiles, inBatchOrder, inOrder } from '../../support/pretrained_files.ts';

/** `values` in one pass, `steps` after five updates. */
const backends: [string, () => Promise<Backend>, { readonly values: number; readonly steps: number }][] = [
  ['reference', async () => referenceBackend, { values: 1e-6, steps: 1e-5 }],
  ['wasm', () => wasmBackend({ threads: 1 }), { values: 1e-4, steps: 1e-3 }],
];

/** The logits of every row are held at once. */
const ROOM = { ...SMALL_CAPACITY, rows: 64, lossRows: 64, outputRows: { distributions: 64 } };

/** The base with the adapter beside it. */
async function openAdapted(
  backend: Backend,
  name: PeftGoldenName,
  capacity: Capacity = SMALL_CAPACITY,
): Promise<Policy> {
  const model = await openModelFolder(checkpointFiles(loadPeftGolden(name).base, 'BF16', 5));
  const adapter = await openAdapter(adapterFiles(name));
  const trained = { adapter: adapterSettings(adapter.config) };
  const policy = await Policy.open(backend, model.shape, capacity, trained);
  await loadPretrained(model, policy);
  await loadAdapter(adapter, model, policy);
  return policy;
}

describe.each(backends)('%s', (_, open, tolerance) => {
  it.each(PEFT_ADAPTERS)('has logits and gradients of %s', async (name) => {
    const { groups, logits, backward } = loadPeftGolden(name);
    const batch = packBatch(toGroups(groups));
    const policy = await openAdapted(await open(), name, ROOM);
    const [rows, vocabulary] = logits.shape;
    const whole = await policy.forward(batch, 1, ['distributions']);
    for (let token = 0; token < vocabulary; token++) {
      const columnOf = (values: ArrayLike<number>) =>
        Float64Array.from({ length: rows }, (_, r) => values[r * vocabulary + token]);
      const actual = inOrder(batch, columnOf(whole.distributions ?? []));
      expect(worstRelative(actual, columnOf(logSoftmaxRows(logits.data, vocabulary, 1)))).toBeLessThan(
        tolerance.values,
      );
    }
    const scores = await policy.forward(batch, backward.temperature);
    expect(worstRelative(inOrder(batch, scores.logprobs), backward.logprob.data)).toBeLessThan(tolerance.values);
    const [g, h] = [backward.g.data, backward.h.data];
    await policy.backward({ logprobs: inBatchOrder(batch, g), entropies: inBatchOrder(batch, h) });
    const gradients = await takeGradients(policy);
    expect([...gradients.keys()].sort()).toEqual(Object.keys(backward.grads).sort());
    for (const [tensor, { data }] of Object.entries(backward.grads)) {
      expect(worstRelative(gradients.get(tensor) ?? [], data), tensor).toBeLessThan(tolerance.values);
    }
    await policy.close();
  });

  it.each(PEFT_ADAPTERS)('takes the five steps of %s', async (name) => {
    const { groups, steps } = loadPeftGolden(name);
    const { betas, eps, weight_decay, learning_rate, max_grad_norm } = steps.optimizer;
    const policy = await openAdapted(await open(), name);
    const batch = packBatch(toGroups(groups));
    const tokens = batch.lossRowCount;
    const { logprobs: oldLogprobs } = await policy.score(batch, steps.temperature);
    const rows = {
      oldLogprobs,
      refLogprobs: undefined,
      coefficients: new Float32Array(tokens).fill(1 / tokens),
      entropyCoefficients: new Float32Array(tokens),
      advantages: Float32Array.from(batch.completionOf, (completion) => steps.advantages[completion]),
    };
    const settings = { clipEpsilonLow: steps.epsilon, clipEpsilonHigh: steps.epsilon, clipDelta: null, klCoef: 0 };
    for (const [step, expected] of steps.loss.entries()) {
      const { losses } = await policy.accumulate(batch, steps.temperature, rows, settings);
      const loss = losses.reduce((sum, value) => sum + value, 0);
      expect(Math.abs(loss - expected), `loss of step ${step + 1}`).toBeLessThan(tolerance.steps);
      const { gradNorm } = await policy.optimize({
        learningRate: learning_rate,
        beta1: betas[0],
        beta2: betas[1],
        adamEps: eps,
        weightDecay: weight_decay,
        maxGradNorm: max_grad_norm,
        adamStep: step + 1,
      });
      expect(Math.abs(gradNorm / steps.grad_norm[step] - 1), `norm of step ${step + 1}`).toBeLessThan(tolerance.steps);
    }
    for (const parameter of policy.adapterParameters) {
      const values = await policy.readParameter(parameter);
      const expected = steps.adapter[parameter.name].data;
      expect(worstRelative(values, expected), parameter.name).toBeLessThan(tolerance.steps);
    }
    await policy.close();
  });
});
