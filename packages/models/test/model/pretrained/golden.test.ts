/** Tiny checkpoints that transformers wrote: logits, log-probs, entropies and every gradient as transformers has them. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../../src/kernels/engine.ts';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import { packBatch, type TokenGroup } from '../../../../../src/model/batch.ts';
import { Policy } from '../../../../../src/model/policy.ts';
import { worstRelative } from '../../../../../test/support/golden_model.ts';
import { takeGradients } from '../../../../../test/support/policies.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { openModelFolder } from '../../../model/pretrained/open_folder.ts';
import type { ModelFiles } from '../../../model/pretrained/source.ts';
import {
  checkpointFiles,
  expectedOf,
  inBatchOrder,
  inOrder,
  PRETRAINED,
  WEIGHT_DTYPES,
} from '../../support/pretrained_files.ts';

const CAPACITY = {
  rows: 64,
  lossRows: 32,
  groups: 4,
  completions: 16,
  kvRows: 80,
  context: 32,
  training: true,
  keptRows: 0,
};

type Checkpoint = readonly [dtype: (typeof WEIGHT_DTYPES)[number], spelling: 4 | 5];
const CHECKPOINTS = WEIGHT_DTYPES.flatMap((dtype): Checkpoint[] => [
  [dtype, 4],
  [dtype, 5],
]);

/** Frequencies of a rotation are float32 in transformers: 2⁻²⁴ of an angle of some 30. */
const backends: [string, () => Promise<Backend>, number, readonly Checkpoint[]][] = [
  ['reference', async () => referenceBackend, 2e-6, CHECKPOINTS],
  ['wasm', () => wasmBackend({ threads: 1 }), 1e-4, [['BF16', 4]]],
];

async function openPretrained(backend: Backend, files: ModelFiles): Promise<Policy> {
  const model = await openModelFolder(files);
  const policy = await Policy.open(backend, model.shape, CAPACITY);
  await loadPretrained(model, policy);
  return policy;
}

/** For each completion token, its prefix followed by every token of the vocabulary: log-probs that show all logits. */
function everyToken(groups: readonly TokenGroup[], vocabSize: number): TokenGroup[] {
  const all = Array.from({ length: vocabSize }, (_, token) => Int32Array.of(token));
  return groups.flatMap(({ prompt, completions }) =>
    completions.flatMap((completion) =>
      Array.from(completion, (_, length) => ({
        prompt: Int32Array.of(...prompt, ...completion.subarray(0, length)),
        completions: all,
      })),
    ),
  );
}

function logSoftmax(logits: Float64Array): Float64Array {
  const most = Math.max(...logits);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return logits.map((logit) => logit - most - Math.log(sum));
}

describe.each(backends)('%s', (_, open, tolerance, checkpoints) => {
  for (const name of PRETRAINED) {
    it.each(checkpoints)(`scores ${name} in %s, config.json of transformers %i`, async (dtype, spelling) => {
      const expected = expectedOf(name);
      const policy = await openPretrained(await open(), checkpointFiles(name, dtype, spelling));
      const batch = packBatch(expected.groups);
      for (const { temperature, logprobs, entropies } of expected.scores) {
        const actual = await policy.score(batch, temperature);
        expect(worstRelative(inOrder(batch, actual.logprobs), logprobs)).toBeLessThan(tolerance);
        expect(worstRelative(inOrder(batch, actual.entropies), entropies)).toBeLessThan(tolerance);
      }
      await policy.close();
    });

    it(`has every logit of ${name}`, async () => {
      const { groups, logits, vocabSize } = expectedOf(name);
      const policy = await openPretrained(await open(), checkpointFiles(name, 'BF16', 5));
      for (const [row, group] of everyToken(groups, vocabSize).entries()) {
        const batch = packBatch([group]);
        const { logprobs } = await policy.score(batch, 1);
        const expected = logSoftmax(logits.subarray(row * vocabSize, (row + 1) * vocabSize));
        expect(worstRelative(inOrder(batch, logprobs), expected)).toBeLessThan(tolerance);
      }
      await policy.close();
    });

    it(`has every gradient of ${name}`, async () => {
      const { groups, backward } = expectedOf(name);
      const policy = await openPretrained(await open(), checkpointFiles(name, 'F32', 5));
      const batch = packBatch(groups);
      await policy.forward(batch, backward.temperature);
      await policy.backward({ logprobs: inBatchOrder(batch, backward.g), entropies: inBatchOrder(batch, backward.h) });
      const actual = await takeGradients(policy);
      expect([...actual.keys()].sort()).toEqual([...backward.gradients.keys()].sort());
      for (const [tensor, values] of actual) {
        expect(worstRelative(values, backward.gradients.get(tensor) ?? []), tensor).toBeLessThan(tolerance);
      }
      await policy.close();
    });
  }
});
