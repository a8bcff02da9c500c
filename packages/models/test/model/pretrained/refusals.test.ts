/** Checkpoints that are damaged, or of a model that is not computed here: each is one clear message. */
import { describe, expect, it } from 'vitest';
import { CheckpointError } from '../../../../../src/errors.ts';
import { planPolicy } from '../../../../../src/model/memory/plan.ts';
import type { Parameter } from '../../../../../src/model/parameters.ts';
import { encodeSafetensors } from '../../../../../src/model/safetensors.ts';
import { SMALL_CAPACITY } from '../../../../../test/support/policies.ts';
import { refusalOf } from '../../../../../test/support/refusals.ts';
import { readModelConfig } from '../../../model/pretrained/config_json.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { openModelFolder } from '../../../model/pretrained/open_folder.ts';
import { safetensorsTensors } from '../../../model/pretrained/safetensors_files.ts';
import { PIECE_BYTES } from '../../../model/pretrained/source.ts';
import { checkpointFiles, MemoryFiles } from '../../support/pretrained_files.ts';

/** Opens a folder and reads all of its weights. @returns values written, by tensor */
async function load(files: MemoryFiles): Promise<Map<string, number>> {
  const model = await openModelFolder(files);
  const { parameters } = planPolicy(model.shape, SMALL_CAPACITY).slots.weights;
  const written = new Map<string, number>();
  const writeParameter = ({ name }: Parameter, values: ArrayLike<number>): void => {
    written.set(name, (written.get(name) ?? 0) + values.length);
  };
  await loadPretrained(model, { parameters, writeParameter });
  return written;
}

const refusal = (files: MemoryFiles): Promise<CheckpointError> => refusalOf(CheckpointError, load(files));

const LLAMA = { ...checkpointFiles('llama_untied', 'BF16', 5).json('config.json') };

describe('config.json', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['another family', { model_type: 'gpt2' }, 'model_type "gpt2"'],
      ['Gemma, whose norms add one', { model_type: 'gemma2' }, 'model_type "gemma2"'],
      ['a family with other layers', { model_type: 'lfm2' },
        'model_type "lfm2" — has short convolutions in place of attention; this engine computes llama,'],
      ['Granite 4 with recurrent layers',
        { model_type: 'granitemoehybrid', architectures: undefined, num_local_experts: 0, layer_types: ['mamba'] },
        'layer_types "mamba"'],
      ['Granite 4 that leaves its layers to transformers, which takes recurrent ones',
        { model_type: 'granitemoehybrid', architectures: undefined, num_local_experts: 0 }, 'layer_types is missing'],
      ['Granite 4 with experts', { model_type: 'granitemoehybrid', architectures: undefined, num_local_experts: 62 },
        'num_local_experts 62'],
      ['Granite 4 that leaves the number of experts to transformers',
        { model_type: 'granitemoehybrid', architectures: undefined }, 'num_local_experts is missing'],
      ['no family', { model_type: undefined }, 'model_type is missing'],
      ['a classifier', { architectures: ['LlamaForSequenceClassification'] }, 'architectures'],
      ['another activation', { hidden_act: 'gelu' }, 'hidden_act "gelu"'],
      ['feed-forward biases', { mlp_bias: true }, 'mlp_bias true'],
      ['half-turned heads', { partial_rotary_factor: 0.5 }, 'partial_rotary_factor 0.5'],
      ['half-turned heads, as transformers 5 says it',
        { rope_parameters: { rope_theta: 1e4, partial_rotary_factor: 0.5 } },
        'rope_parameters.partial_rotary_factor 0.5'],
      ['another rotation', { rope_parameters: undefined, rope_scaling: { type: 'ntk', factor: 4 } },
        'rope_scaling: rope_type "ntk"'],
      ['a rotation that changes with the length of a text',
        { rope_parameters: { rope_type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [2, 2, 2, 2] } },
        'rope_parameters: rope_type "longrope"'],
      ['a rotation without its numbers', { rope_parameters: { rope_type: 'llama3', factor: 8 } },
        'rope_parameters.low_freq_factor is missing'],
      ['quantised weights', { quantization_config: { quant_method: 'awq' } }, 'quantization_config'],
      ['code of its own', { auto_map: { AutoModelForCausalLM: 'modeling.Mine' } }, 'auto_map'],
      ['layers of another kind', { layer_types: ['linear_attention'] }, 'layer_types "linear_attention"'],
      ['heads that do not divide', { num_key_value_heads: 3 }, 'num_key_value_heads 3'],
      ['an odd head', { head_dim: 5 }, 'head_dim 5'],
      ['no size', { hidden_size: undefined }, 'hidden_size is missing'],
      ['a size that is none', { num_hidden_layers: 0 }, 'num_hidden_layers 0'],
      ['a norm without its ε', { rms_norm_eps: 0 }, 'rms_norm_eps 0'],
      ['a switch that is none', { tie_word_embeddings: 'no' }, 'tie_word_embeddings "no"'],
    ],
  )('refuses %s by its key', (_, change, key) => {
    expect(() => readModelConfig({ ...LLAMA, ...change })).toThrow(key);
  });

  it('takes a sliding window for the longest sequence, where one is in use', () => {
    const contextOf = (config: object): unknown[] => {
      const { context, contextKey } = readModelConfig({ ...LLAMA, num_key_value_heads: 2, ...config });
      return [context, contextKey];
    };
    const positions = [64, 'max_position_embeddings'];
    const window = [16, 'sliding_window'];
    expect(contextOf({ sliding_window: 16 })).toEqual(positions);
    expect(contextOf({ model_type: 'mistral', architectures: undefined, sliding_window: 16 })).toEqual(window);
    expect(contextOf({ model_type: 'mistral', architectures: undefined, max_position_embeddings: 9000 })).toEqual([
      4096,
      'sliding_window',
    ]);
    expect(contextOf({ model_type: 'mistral', architectures: undefined, sliding_window: null })).toEqual(positions);
    const qwen = { model_type: 'qwen2', architectures: undefined, sliding_window: 16 };
    expect(contextOf(qwen)).toEqual(positions);
    expect(contextOf({ ...qwen, use_sliding_window: true })).toEqual(window);
    expect(contextOf({ ...qwen, layer_types: ['full_attention', 'sliding_attention'] })).toEqual(window);
  });
});

describe('the files of a folder', () => {
  it('are read in shards, and all of them', async () => {
    const files = checkpointFiles('qwen2', 'F32', 4);
    const { weight_map: shardOf } = files.json('model.safetensors.index.json') as { weight_map: object };
    expect([...(await load(files)).keys()].sort()).toEqual(Object.keys(shardOf).sort());
  });

  it('are read a few megabytes at a time', async () => {
    const values = Float32Array.from({ length: 1_500_000 }, (_, i) => i);
    const files = new MemoryFiles(
      new Map([['model.safetensors', encodeSafetensors([{ name: 'w', shape: [3, 500_000], data: values }])]]),
    );
    const read = new Float32Array(values.length);
    await (await safetensorsTensors(files)).get('w')?.read((piece, at) => read.set(piece, at));
    expect(Buffer.from(read.buffer).equals(Buffer.from(values.buffer))).toBe(true);
    expect(files.largestRead).toBe(PIECE_BYTES);
  });

  it('a head that is there and tied is the embedding', async () => {
    const files = checkpointFiles('llama_untied', 'BF16', 5);
    files.setJson('config.json', { ...files.json('config.json'), tie_word_embeddings: true });
    expect([...(await load(files)).keys()]).not.toContain('lm_head.weight');
  });

  it('without config.json are no model', async () => {
    const files = checkpointFiles('qwen3', 'F16', 5);
    files.files.delete('config.json');
    expect((await refusal(files)).message).toMatch(/^config\.json: no such file/);
  });

  it('with a config.json that is not JSON are no model', async () => {
    const files = checkpointFiles('qwen3', 'F16', 5);
    files.files.set('config.json', new TextEncoder().encode('{"model_type":'));
    expect((await refusal(files)).code).toBe('json-malformed');
  });

  it('without weights are no model', async () => {
    const files = checkpointFiles('qwen3', 'F16', 5);
    files.files.delete('model.safetensors');
    expect((await refusal(files)).message).toMatch(/model\.safetensors: no such file.*index\.json/);
  });

  it('with a shard that is not there', async () => {
    const files = checkpointFiles('qwen3', 'F32', 5);
    files.files.delete('model-00003-of-00005.safetensors');
    expect((await refusal(files)).message).toMatch(/^model-00003-of-00005\.safetensors: no such file/);
  });

  it('with a shard that was cut short', async () => {
    const files = checkpointFiles('qwen3', 'F32', 5);
    const name = 'model-00002-of-00005.safetensors';
    files.files.set(name, (files.files.get(name) as Uint8Array<ArrayBuffer>).slice(0, -100));
    const { message } = await refusal(files);
    expect(message).toMatch(/^model-00002-of-00005\.safetensors: .*ends at byte/);
  });

  it('with an index that lists a tensor which is not there, or does not list one that is', async () => {
    const files = checkpointFiles('qwen3', 'F32', 5);
    const index = files.json('model.safetensors.index.json') as { weight_map: Record<string, string> };
    const { 'model.norm.weight': place, ...others } = index.weight_map;
    files.setJson('model.safetensors.index.json', { weight_map: others });
    expect((await refusal(files)).message).toContain('has the tensor model.norm.weight, which');
    files.setJson('model.safetensors.index.json', { weight_map: { ...index.weight_map, 'model.other.weight': place } });
    expect((await refusal(files)).message).toContain('has the tensor model.other.weight, which it has not');
  });

  it('with an index that leads out of the folder', async () => {
    const files = checkpointFiles('qwen3', 'F32', 5);
    files.setJson('model.safetensors.index.json', { weight_map: { 'model.norm.weight': '../model.safetensors' } });
    expect((await refusal(files)).code).toBe('index-malformed');
  });

  it('with tensors of other sizes than the config says', async () => {
    const files = checkpointFiles('llama_tied', 'BF16', 5);
    files.setJson('config.json', { ...files.json('config.json'), vocab_size: 14 });
    expect((await refusal(files)).message).toContain(
      'tensor model.embed_tokens.weight has shape [13, 16], the config needs [14, 16]',
    );
  });

  it('with fewer layers than the config says', async () => {
    const files = checkpointFiles('llama_tied', 'BF16', 5);
    files.setJson('config.json', { ...files.json('config.json'), num_hidden_layers: 3 });
    expect((await refusal(files)).message).toContain('tensor model.layers.2.');
  });

  it('with tensors that there is no place for', async () => {
    const files = checkpointFiles('qwen2', 'BF16', 5);
    files.setJson('config.json', { ...files.json('config.json'), model_type: 'mistral', architectures: undefined });
    expect((await refusal(files)).message).toMatch(
      /^model\.safetensors: tensor model\.layers\.0\.self_attn\..*\.bias .*no place/,
    );
  });

  it('with a weight that is not a number, or not finite', async () => {
    for (const bad of [Number.NaN, Number.NEGATIVE_INFINITY]) {
      const files = checkpointFiles('llama_tied', 'F16', 5);
      const { shape } = await openModelFolder(files);
      const { parameters } = planPolicy(shape, SMALL_CAPACITY).slots.weights;
      const tensors = parameters.map(({ name, slot }) => ({
        name,
        shape: slot.shape,
        data: new Float32Array(slot.shape.reduce((count, size) => count * size, 1)),
      }));
      (tensors[3] as (typeof tensors)[number]).data[5] = bad;
      files.files.set('model.safetensors', encodeSafetensors(tensors));
      expect((await refusal(files)).message).toContain(`tensor ${tensors[3].name} holds ${bad} at element 5`);
    }
  });

  it('with elements of a type that is not read', async () => {
    const files = checkpointFiles('llama_tied', 'F16', 5);
    const text = new TextDecoder('latin1').decode(files.files.get('model.safetensors')).replace('"F16"', '"F8 "');
    files.files.set(
      'model.safetensors',
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
    );
    expect((await refusal(files)).message).toMatch(/^model\.safetensors: .*dtype "F8 "/);
  });
});
