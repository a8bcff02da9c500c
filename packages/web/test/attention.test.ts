/** What the page shows of attention is what the engine computed: its shares of the values are the heads' output. */
import { expect, it } from 'vitest';
import type { Slot } from '../../../src/kernels/memory.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { createTasks, openRun, parseConfig } from '../../../test/support/everything.ts';
import { attentionOf } from '../attention.ts';

const HEADS = 4;
const KV_HEADS = 2;
const WIDTH = 8;
const YAML = `task: sort_digits
model: {hidden_size: 32, num_hidden_layers: 3, num_attention_heads: ${HEADS}, num_key_value_heads: ${KV_HEADS}, intermediate_size: 32, qk_norm: true, initializer_range: 0.5}
max_steps: 1
`;

it('the shares of each head sum to 1, and weigh the values to what the engine passed on', async () => {
  const { config } = parseConfig(YAML, { file: 'inline' });
  const tasks = await createTasks(config);
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), {});
  const { policy } = run.engine;
  try {
    const answer = tasks.codec.encode('1234');
    const { tokens, layers } = await attentionOf(run, '3142>', answer);
    expect([...tokens]).toEqual([...tasks.codec.encode('3142>123')]);
    expect(layers).toHaveLength(3);
    const { training } = policy.slots;
    for (const [layer, shares] of layers.entries()) {
      const [values, passed] = await Promise.all(
        [training?.kv[layer], training?.layers[layer]?.attention].map((slot) => policy.engine.read(slot as Slot)),
      );
      // The last layer has no rows of the prompt but its last.
      const row = layer === 2 ? answer.length - 1 : tokens.length - 1;
      for (let head = 0; head < HEADS; head++) {
        const own = shares.subarray(head * tokens.length, (head + 1) * tokens.length);
        expect(own.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
        for (let i = 0; i < WIDTH; i++) {
          const valueAt = (KV_HEADS + Math.floor((head * KV_HEADS) / HEADS)) * WIDTH + i;
          const mean = own.reduce(
            (sum, share, j) => sum + share * (values?.[j * 2 * KV_HEADS * WIDTH + valueAt] ?? 0),
            0,
          );
          expect(Math.abs(mean - (passed?.[(row * HEADS + head) * WIDTH + i] ?? Number.NaN))).toBeLessThan(2e-6);
        }
      }
      expect(Math.max(...shares)).toBeGreaterThan(2 / tokens.length); // not the same for all
    }
  } finally {
    await policy.close();
  }
});
