/** Adapters that PEFT wrote: read, merged into their base, and refused where another arithmetic is meant. */
import { describe, expect, it } from 'vitest';
import { CheckpointError } from '../../../../../src/errors.ts';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import { type AdapterConfig, adapterScale } from '../../../../../src/model/adapter_config.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { Policy } from '../../../../../src/model/policy.ts';
import { encodeSafetensors } from '../../../../../src/model/safetensors.ts';
import { toGroups } from '../../../../../test/support/golden_model.ts';
import { SMALL_CAPACITY } from '../../../../../test/support/policies.ts';
import { refusalOf } from '../../../../../test/support/refusals.ts';
import { baseNameOf, openAdapter, requireFit } from '../../../model/pretrained/adapter_files.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { mergedModel } from '../../../model/pretrained/merge_adapter.ts';
import { openModelFolder } from '../../../model/pretrained/open_folder.ts';
import { adapterFiles, loadPeftGolden, PEFT_ADAPTERS, type PeftGoldenName } from '../../support/peft_files.ts';
import { checkpointFiles, inOrder, type MemoryFiles } from '../../support/pretrained_files.ts';

const ALL = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

/** What some of them have that the others have not. */
const OTHERS: { readonly [name in PeftGoldenName]?: Partial<AdapterConfig> } = {
  llama_rslora: { targets: ['q_proj', 'v_proj', 'down_proj'] },
  qwen2_dora: { targets: ['q_proj', 'v_proj', 'o_proj', 'down_proj'], useDora: true },
};

describe.each(PEFT_ADAPTERS)('%s', (name) => {
  const golden = loadPeftGolden(name);
  const base = () => openModelFolder(checkpointFiles(golden.base, 'BF16', 5));

  it('has rank, scale, modules and the name of its base', async () => {
    const adapter = await openAdapter(adapterFiles(name));
    const isScaled = name === 'llama_rslora';
    expect(adapter.config).toEqual({ rank: 4, alpha: 8, useRslora: isScaled, targets: ALL, ...OTHERS[name] });
    expect(adapterScale(adapter.config)).toBe(isScaled ? 4 : 2);
    expect(baseNameOf(adapterFiles(name).json('adapter_config.json'))).toEqual({ name: `tiny/${golden.base}` });
    expect(adapter.baseSha256).toBeUndefined();
    expect([...adapter.tensors.keys()].sort()).toEqual(Object.keys(golden.backward.grads).sort());
    expect(adapter.notes).toEqual([]);
  });

  it('merged has the log-probs of PEFT’s merged model', async () => {
    const merged = mergedModel(await base(), await openAdapter(adapterFiles(name)));
    const policy = await Policy.open(referenceBackend, merged.shape, { ...SMALL_CAPACITY, training: false });
    await loadPretrained(merged, policy);
    const batch = packBatch(toGroups(golden.groups));
    const { logprobs } = await policy.score(batch, golden.merged.temperature);
    const expected = golden.merged.logprob.data;
    inOrder(batch, logprobs).forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(1e-5));
    await policy.close();
  });
});

describe('an adapter is refused', () => {
  async function refusal(change: (files: MemoryFiles) => void, base: 'llama_tied' | 'qwen3' = 'llama_tied') {
    const files = adapterFiles('llama_tied');
    change(files);
    const model = await openModelFolder(checkpointFiles(base, 'BF16', 5));
    const fitted = openAdapter(files).then((adapter) => requireFit(adapter, model));
    return (await refusalOf(CheckpointError, fitted)).message;
  }
  const withKeys = (keys: Record<string, unknown>) => (files: MemoryFiles) =>
    files.setJson('adapter_config.json', { ...files.json('adapter_config.json'), ...keys });

  it.each([
    ['of another method', { peft_type: 'IA3' }, 'peft_type "IA3"'],
    ['of a classifier', { task_type: 'SEQ_CLS' }, 'task_type "SEQ_CLS"'],
    ['without the magnitudes that it should have', { use_dora: true }, 'lora_magnitude_vector is missing'],
    ['with biases', { bias: 'all' }, 'bias "all"'],
    ['with whole modules', { modules_to_save: ['lm_head'] }, 'modules_to_save ["lm_head"]'],
    ['with ranks by module', { rank_pattern: { q_proj: 8 } }, 'rank_pattern {"q_proj":8}'],
    ['with scales by module', { alpha_pattern: { q_proj: 8 } }, 'alpha_pattern'],
    ['that changed its base', { init_lora_weights: 'pissa' }, 'init_lora_weights "pissa"'],
    ['with an option that is not known', { use_quantum: true }, 'use_quantum true — is not known here'],
    ['without a rank', { r: 0 }, 'r 0'],
    [
      'that names a module without tensors',
      { target_modules: ['q_proj', 'lm_head'] },
      'target_modules names "lm_head"',
    ],
    ['of another rank than it says', { r: 2 }, 'has shape [4, 24], this model and r 2 need [2, 24]'],
  ])('%s', async (_, keys, message) => {
    expect(await refusal(withKeys(keys))).toContain(message);
  });

  it('of a base of another shape', async () => {
    const message = await refusal(() => {}, 'qwen3');
    expect(message).toContain('tensor base_model.model.model.layers.0.self_attn.k_proj.lora_B.weight has shape [8, 4]');
    expect(message).toContain('It belongs to another base model');
  });

  it('without its tensors', async () => {
    expect(await refusal(({ files }) => files.delete('adapter_model.safetensors'))).toContain(
      'adapter_model.safetensors: no such file',
    );
  });

  it('with tensors that have no place', async () => {
    const name = 'base_model.model.lm_head.lora_A.weight';
    const file = encodeSafetensors([{ name, shape: [4, 16], data: new Float32Array(64) }]);
    const message = await refusal(({ files }) => files.set('adapter_model.safetensors', file));
    expect(message).toContain(`tensor ${name} — only A, B and magnitudes of q_proj`);
  });

  it('where it adapts some layers alone', async () => {
    const half = ['A', 'B'].map((part) => ({
      name: `base_model.model.model.layers.1.self_attn.q_proj.lora_${part}.weight`,
      shape: part === 'A' ? [4, 16] : [16, 4],
      data: new Float32Array(64),
    }));
    const message = await refusal((files) => {
      files.files.set('adapter_model.safetensors', encodeSafetensors(half));
      withKeys({ target_modules: ['q_proj'] })(files);
    });
    expect(message).toContain('and not model.layers.0.self_attn.q_proj');
  });
});

it('an adapter that was trained with dropout says so', async () => {
  const files = adapterFiles('llama_tied');
  files.setJson('adapter_config.json', { ...files.json('adapter_config.json'), lora_dropout: 0.05 });
  expect((await openAdapter(files)).notes).toEqual([expect.stringContaining('lora_dropout 0.05')]);
});
