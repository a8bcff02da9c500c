/**
 * Every way in which a pretrained model can be wrong, and all that the command says about it: one message, without a
 * stack. Each row takes a good model, spoils it, and trains from it as `main.ts` does.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { decodeSafetensors, encodeSafetensors } from '../../../../src/model/safetensors.ts';
import { messageOf } from '../../../../test/cli/called.ts';
import { TIER } from '../../../../test/support/budget.ts';
import { eachInOwnFolder, folderOfFile } from '../../../../test/support/folders.ts';
import { checkpointFiles } from '../support/pretrained_files.ts';
import { smallPretrainedFiles } from '../support/small_pretrained.ts';

const CONFIG = `task: {name: sort_digits, digits: 3}
model_name_or_path: ./base
max_steps: 1
num_generations: 4
generation_batch_size: 8
num_generations_eval: 1
threads: 1
backend: wasm
`;

interface Mistake {
  readonly what: string;
  /** Spoils the model in ./base, or makes another one. */
  readonly spoil?: () => void;
  /** Replaces the model of the config. */
  readonly model?: string;
  /** Further lines of the config, from line 9. */
  readonly yaml?: string;
  /** Default: train. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The complete message; `{here}` is the folder. */
  readonly says: string;
}

type Json = Record<string, unknown>;

const json = (file: string): Json => JSON.parse(readFileSync(file, 'utf8')) as Json;
const change = (file: string, keys: Json): void => writeFileSync(file, JSON.stringify({ ...json(file), ...keys }));
const config = (keys: Json) => (): void => change('base/config.json', keys);
const template = (text: string) => (): void => change('base/tokenizer_config.json', { chat_template: text });

/** A checkpoint that transformers wrote, in five shards, without a tokenizer. */
function shards(): void {
  rmSync('base', { recursive: true });
  mkdirSync('base');
  for (const [path, content] of checkpointFiles('qwen3', 'F32', 5).files) writeFileSync(join('base', path), content);
}

/** A tensor of the model with other values, or of another shape. */
function tensor(name: string, spoil: (data: Float32Array) => Float32Array): void {
  const file = 'base/model.safetensors';
  const { tensors } = decodeSafetensors(new Uint8Array(readFileSync(file)));
  const changed = [...tensors].map(([each, { shape, data }]) => {
    const values = Float32Array.from(data);
    if (each !== name) return { name: each, shape, data: values };
    const spoilt = spoil(values);
    return { name: each, shape: [shape[0] * (spoilt.length / values.length), ...shape.slice(1)], data: spoilt };
  });
  writeFileSync(file, encodeSafetensors(changed));
}

/** A GGUF file as llama.cpp lays it out. @param edit  of its bytes */
function gguf(edit: (bytes: Uint8Array, text: string) => void) {
  return (): void => {
    const bytes = new Uint8Array(
      readFileSync(new URL('../../../../test/golden/gguf/llama_Q8_0.gguf', import.meta.url)),
    );
    edit(bytes, new TextDecoder('latin1').decode(bytes));
    writeFileSync('small.gguf', bytes);
  };
}

// biome-ignore format: a table
const MISTAKES: Mistake[] = [
  // The files of a folder.
  { what: 'a shard that was cut short',
    spoil: () => {
      shards();
      const shard = 'base/model-00002-of-00005.safetensors';
      writeFileSync(shard, readFileSync(shard).subarray(0, -100));
    },
    says: './base: model-00002-of-00005.safetensors: Not a readable safetensors file: tensor "model.layers.0.self_attn.o_proj.weight" ends at byte 5152 of 5084 bytes of data. Copy or download the file again.' },
  { what: 'a shard that is not there',
    spoil: () => {
      shards();
      rmSync('base/model-00003-of-00005.safetensors');
    },
    says: './base: model-00003-of-00005.safetensors: no such file, though model.safetensors.index.json names it. Copy or fetch it again.' },
  { what: 'an index that lacks an entry',
    spoil: () => {
      shards();
      const index = 'base/model.safetensors.index.json';
      const { 'model.norm.weight': _, ...listed } = json(index).weight_map as Json;
      change(index, { weight_map: listed });
    },
    says: './base: model-00005-of-00005.safetensors: has the tensor model.norm.weight, which model.safetensors.index.json does not list. Copy or fetch both again.' },
  { what: 'weights of another shape than the config says', spoil: config({ intermediate_size: 32 }),
    says: './base: model.safetensors: tensor model.layers.0.mlp.gate_proj.weight has shape [24, 16], the config needs [32, 16].' },
  { what: 'a tensor of another shape', spoil: () => tensor('model.norm.weight', (data) => data.subarray(0, 8)),
    says: './base: model.safetensors: tensor model.norm.weight has shape [8], the config needs [16].' },
  { what: 'NaN in the weights', spoil: () => tensor('model.norm.weight', (data) => data.fill(Number.NaN, 5, 6)),
    says: './base: model.safetensors: tensor model.norm.weight holds NaN at element 5: its weights must be finite. Copy or fetch the model again.' },
  { what: 'elements of an unknown type',
    spoil: () => {
      const file = 'base/model.safetensors';
      writeFileSync(file, readFileSync(file, 'latin1').replace('"F32"', '"F8 "'), 'latin1');
    },
    says: './base: model.safetensors: Not a readable safetensors file: tensor "model.embed_tokens.weight" has the dtype "F8 ", which cannot be read (known: F32, F16, BF16, I32, U32). Copy or download the file again.' },
  { what: 'an empty folder', spoil: () => mkdirSync('empty'), model: './empty',
    says: './empty: config.json: no such file — give the folder of a model: config.json, model.safetensors, tokenizer.json.' },
  { what: 'a file instead of a folder', model: './base/model.safetensors',
    says: 'model "./base/model.safetensors" — a file that is not .gguf; give the folder of a model, or a .gguf file.' },
  { what: 'a folder that may not be read',
    spoil: () => {
      chmodSync('.', 0o777); // the output is tried first
      chmodSync('base', 0o755);
      chmodSync('base/model.safetensors', 0);
      asOrdinaryUser();
    },
    says: './base: {here}/base/model.safetensors cannot be read: permission is denied (EACCES). Change its permissions.' },
  // config.json
  { what: 'a config that is not JSON', spoil: () => writeFileSync('base/config.json', ''),
    says: './base: config.json: is not JSON of a model (Unexpected end of JSON input). Copy or fetch it again.' },
  { what: 'a config without a model type', spoil: config({ model_type: undefined }),
    says: './base: config.json: model_type is missing — this engine computes llama, mistral, qwen2, qwen3, gemma3_text, granite, granitemoehybrid, phi3, smollm3.' },
  { what: 'GPT-2', spoil: config({ model_type: 'gpt2', architectures: ['GPT2LMHeadModel'] }),
    says: './base: config.json: model_type "gpt2" — this engine computes llama, mistral, qwen2, qwen3, gemma3_text, granite, granitemoehybrid, phi3, smollm3.' },
  { what: 'Gemma', spoil: config({ model_type: 'gemma2', architectures: ['Gemma2ForCausalLM'] }),
    says: './base: config.json: model_type "gemma2" — this engine computes llama, mistral, qwen2, qwen3, gemma3_text, granite, granitemoehybrid, phi3, smollm3.' },
  { what: 'experts', spoil: config({ model_type: 'qwen2_moe', architectures: ['Qwen2MoeForCausalLM'] }),
    says: './base: config.json: model_type "qwen2_moe" — this engine computes llama, mistral, qwen2, qwen3, gemma3_text, granite, granitemoehybrid, phi3, smollm3.' },
  { what: 'a sliding window that is too short',
    spoil: config({ model_type: 'mistral', architectures: ['MistralForCausalLM'], sliding_window: 24 }),
    says: 'my.yaml:2  model_name_or_path: ../base — reads 24 tokens, and prompt and completion take up to 265; lower max_completion_length, or show fewer examples.' },
  { what: 'an unknown rotation',
    spoil: config({ rope_scaling: { rope_type: 'ntk', factor: 4 }, rope_parameters: null }),
    says: './base: config.json: rope_scaling: rope_type "ntk" — positions are turned by default, linear, llama3, yarn or dynamic here.' },
  { what: 'an odd head', spoil: config({ head_dim: 7 }),
    says: './base: config.json: head_dim 7 — rotary positions turn pairs; it must be even.' },
  // A GGUF file.
  { what: 'a GGUF file with elements of another type',
    spoil: gguf((bytes, text) => {
      // Behind the name stand the count of dimensions and two of them.
      bytes[text.indexOf('token_embd.weight') + 'token_embd.weight'.length + 20] = 10;
    }),
    model: './small.gguf',
    says: './small.gguf: tensor token_embd.weight is of type Q2_K — F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K are read; take a file of one of these, such as -Q8_0.gguf.' },
  { what: 'a GGUF file of another architecture',
    spoil: gguf((bytes, text) => {
      bytes.set(new TextEncoder().encode('gemma'), text.indexOf('llama', text.indexOf('general.architecture')));
    }),
    model: './small.gguf',
    says: './small.gguf: general.architecture "gemma" — this engine computes llama, qwen2, qwen3, gemma3.' },
  { what: 'a GGUF file without a tokenizer', spoil: gguf(() => {}), model: './small.gguf',
    says: './small.gguf: tokenizer.ggml.model is missing — gpt2 (byte-level BPE) and llama (SentencePiece) are read; take the folder that has its tokenizer.json.' },
  // Tokenizer and template.
  { what: 'no tokenizer', spoil: () => rmSync('base/tokenizer.json'),
    says: './base: tokenizer.json: no such file; a tokenizer of another kind is written as one by transformers, AutoTokenizer.from_pretrained(…).save_pretrained(…).' },
  { what: 'a tokenizer of another kind',
    spoil: () => change('base/tokenizer.json', { model: { type: 'Markov', vocab: {} } }),
    says: './base: this tokenizer is not read (its model is Markov; BPE, WordPiece, WordLevel, Unigram are read).' },
  { what: 'a tokenizer that is larger than the embedding',
    spoil: () => {
      change('base/config.json', { vocab_size: 400 });
      tensor('model.embed_tokens.weight', (data) => data.subarray(0, 400 * 16));
    },
    says: "./base: the tokenizer's largest id is 419, and the embedding has 400 rows; take the tokenizer of this model." },
  { what: 'no token that ends an answer',
    spoil: () => {
      change('base/tokenizer_config.json', { eos_token: undefined });
      change('base/config.json', { eos_token_id: undefined });
    },
    says: './base: no token ends an answer; give eos_token_id in generation_config.json, or eos_token in tokenizer_config.json.' },
  { what: 'a template that is no Jinja', spoil: template('{% for message in %}'),
    says: "./base: the chat template is not readable: line 1: expected an expression, got the end of the tag." },
  { what: 'a template that throws', spoil: template("{{ raise_exception('System role not supported') }}"),
    says: 'my.yaml  ./base: the chat template failed: System role not supported.' },
  { what: 'a template that does not end',
    spoil: template('{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}'),
    says: 'my.yaml  ./base: the chat template failed: it does not end (stopped after 300000 steps).' },
  { what: 'a template that grows without bound',
    spoil: template(
      "{% set ns = namespace(x='aa') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    ),
    says: 'my.yaml  ./base: the chat template failed: it makes more than 20000000 characters and elements.' },
  { what: 'a run that has no weights yet',
    spoil: () => {
      for (const file of ['config.yaml', 'fingerprint.json']) writeFileSync(join('base', file), '');
    },
    words: ['sample', '--model', 'base', 'hello'],
    says: 'model "base" — a run that has no weights yet, neither model/ nor a checkpoint; resume it: npx --no-install rlvr-train --resume --output base.' },
  // What the config says of it.
  { what: 'values for the template that are none', yaml: 'chat_template_kwargs: [enable_thinking]\n',
    says: 'my.yaml:9  chat_template_kwargs: [ enable_thinking ] — must be a mapping; for example {enable_thinking: false}.' },
  { what: 'a shape beside it', yaml: 'model: {hidden_size: 64}\n',
    says: 'my.yaml:9  model.hidden_size: 64 — the weights of ./base have 16; leave this out, or leave model_name_or_path out and begin with random weights.' },
  // Models of the hub.
  { what: 'a model of the hub that was not fetched', model: 'tiny/llama',
    says: 'model "tiny/llama" — neither a folder or file here, nor in the Hugging Face cache ({here}/cache); fetch it: npx --no-install rlvr-train fetch tiny/llama.' },
  { what: 'no network', words: ['fetch', 'tiny/llama'], env: { HF_ENDPOINT: 'http://127.0.0.1:65534' },
    says: 'http://127.0.0.1:65534: cannot be reached (ECONNREFUSED). What came so far is kept: when the network is back, the same command resumes.' },
  { what: 'a cache that cannot be written', spoil: () => writeFileSync('cache', ''),
    words: ['fetch', 'tiny/llama', '--offline'],
    says: 'model "tiny/llama" — not in the Hugging Face cache ({here}/cache), and --offline asks no network; fetch it without.' },
];

const good = folderOfFile();

/** Whoever runs the tests may be root, who may read everything. */
function asOrdinaryUser(): void {
  if (process.getuid?.() === 0) process.seteuid?.(65_534);
}

beforeAll(async () => {
  const store = await smallPretrainedFiles();
  for (const file of await store.list('base')) {
    writeFileSync(join(good, file), (await store.read(`base/${file}`)) as Uint8Array);
  }
});

eachInOwnFolder(() => chmodSync('.', 0o755));
afterEach(() => void vi.unstubAllEnvs());

it('are more than twenty-five', () => expect(MISTAKES.length).toBeGreaterThanOrEqual(25));

/** Seconds each, of which pretrained_codec.long.test.ts has the first, too. */
const SLOW = ['a template that does not end', 'weights of another shape than the config'];
const ASKED = MISTAKES.filter(({ what }) => TIER === 'release' || !SLOW.includes(what));

it.each(ASKED)('$what', async ({ spoil, model, yaml = '', words, env = {}, says }) => {
  cpSync(good, 'base', { recursive: true });
  writeFileSync('my.yaml', CONFIG.replace('./base', model ?? './base') + yaml);
  vi.stubEnv('HF_HUB_CACHE', join(process.cwd(), 'cache'));
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  spoil?.();
  const message = await messageOf(words ?? ['--config', 'my.yaml', '--output', 'out']);
  if (process.geteuid?.() === 65_534) process.seteuid?.(0);
  expect(message).toBe(says.replaceAll('{here}', process.cwd()));
});
