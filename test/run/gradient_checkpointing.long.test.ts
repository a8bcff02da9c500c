/** Layers that the backward pass computes again: the weights of a run are those of the same run that keeps their activations. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/run/store/store.ts';
import { finish, YAML } from './tiny_run.ts';

const DEEP = YAML.replace('num_hidden_layers: 1', 'num_hidden_layers: 3');

describe.each([
  ['after rollouts that were kept', ''],
  ['after a forward pass of its own', '\nnum_iterations: 2'],
  ['beside a reference', '\nbeta: 0.1'],
  ['with norms of q and k, and biases', '\nentropy_coef: 0.01', 'qk_norm: true, attention_bias: true'],
])('the weights of a run %s', (_, keys, ofModel = '') => {
  it('are the same', async () => {
    const yaml = `${DEEP.replace('intermediate_size: 8', `intermediate_size: 8${ofModel && `, ${ofModel}`}`)}${keys}`;
    const kept = await finish({ store: memoryStore(), yaml });
    const again = await finish({ store: memoryStore(), yaml: `${yaml}\ngradient_checkpointing: true` });
    expect(again.weightsSha256).toBe(kept.weightsSha256);
  });
});
