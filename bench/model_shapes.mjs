/**
 * Do models of the shapes that people have fit where the plan says, and take a step?
 *
 *   npm run bench -- model-shapes [--only NAME] [--threads 1] [--folder DIR] [--model PATH] [--end-at TOKENS] [--json FILE]
 *
 * Makes a checkpoint of exactly the shape, with random weights in bf16 and a small byte-level vocabulary (the rest is
 * padding), opens it on wasm with the keys of the shape, and takes a LoRA step (r 16, all linear layers) of 2 prompts × 4
 * completions × 16 tokens with layers that are computed again. SmolLM2 is itself (`npx --no-install rlvr-train fetch smollm2`): all of its
 * weights are trained, and a group of 16 has completions of 1,024 tokens, and of 256, with keys and values in float32 and in
 * bf16. Each shape has a process of its own, since a process has one peak; the peak is that of the resident set less what
 * Node has with the package loaded, once every page of the engine's memory was written to: a short step alone leaves some of
 * it untouched. No checkpoint is written, so the plan is that without copies for one. With `--end-at` completions end earlier
 * than the plan has room for: its memory, in less time. Checkpoints of 1 and 2.5 GB are made in `--folder`, or in a temporary
 * one that is removed.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPretrained, openRun, parseConfig, taskSet, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { findModel } from '../build/packages/rlvr-train/node.js';
import { delegating } from '../build/src/data/task_set.js';
import { plannedMemory } from '../build/src/planning/memory_plan.js';
import { fail, openBench } from './command.mjs';
import { SMOLLM2 } from './lora_workload.mjs';
import { lowIds, raceStage, raceTask, stepper } from './workload.mjs';

const WORK = { prompts: 2, groupSize: 4, promptTokens: 20, completionTokens: 16 };

const QWEN = {
  model_type: 'qwen2',
  hidden_size: 896,
  intermediate_size: 4864,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  vocab_size: 151936,
  max_position_embeddings: 32768,
  rope_theta: 1e6,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
};
const LLAMA = {
  model_type: 'llama',
  hidden_size: 2048,
  intermediate_size: 8192,
  num_hidden_layers: 16,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 64,
  vocab_size: 128256,
  max_position_embeddings: 131072,
  rope_theta: 5e5,
  rope_scaling: {
    rope_type: 'llama3',
    factor: 32,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  },
  rms_norm_eps: 1e-5,
  tie_word_embeddings: true,
};

/** 1 in bf16. */
const ONE = 0x3f80;

const ADAPTER = { use_peft: true, lora_r: 16 };

/** One prompt's group beside SmolLM2. */
const groupOf16 = (completionTokens, keys = {}) => ({
  keys: { ...ADAPTER, dtype: 'auto', ...keys },
  work: { prompts: 1, groupSize: 16, promptTokens: 20, completionTokens },
});

const SHAPES = {
  'Qwen2.5-0.5B in bf16': { config: QWEN, keys: { ...ADAPTER, dtype: 'bfloat16' } },
  'Llama-3.2-1B in 4 bits': { config: LLAMA, keys: { ...ADAPTER, load_in_4bit: true } },
  'Llama-3.2-1B in bf16': { config: LLAMA, keys: { ...ADAPTER, dtype: 'bfloat16' } },
  'Llama-3.2-1B in bf16, 64-bit addresses': { config: LLAMA, keys: { ...ADAPTER, dtype: 'bfloat16' }, memory64: true },
  'SmolLM2, all weights': { keys: { use_peft: false } },
  'SmolLM2, 16 × 1,024 tokens': groupOf16(1024),
  'SmolLM2, 16 × 1,024 tokens, keys in bf16': groupOf16(1024, { storage_dtype: 'bfloat16' }),
  'SmolLM2, 16 × 256 tokens': groupOf16(256),
  'SmolLM2, 16 × 256 tokens, keys in bf16': groupOf16(256, { storage_dtype: 'bfloat16' }),
};

const { flags, threads, show, write } = openBench('model-shapes', {
  threads: '1',
  only: { type: 'string' },
  'end-at': { type: 'string' },
  folder: { type: 'string' },
  model: { type: 'string', default: SMOLLM2 },
});
const { only } = flags;
const SETTINGS = { work: WORK, endAt: flags['end-at'], shapes: SHAPES };
if (only !== undefined && !Object.hasOwn(SHAPES, only))
  fail(`--only: ${only} — use one of: ${Object.keys(SHAPES).join('; ')}.`);
/** Those of engines. */
const memories = [];
WebAssembly.Memory = class extends WebAssembly.Memory {
  constructor(size) {
    super(size);
    memories.push(this);
  }
};
if (only === undefined) measureEach();
else await measureOne(only);

function measureEach() {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-model-shapes-'));
  try {
    const results = {};
    for (const name of Object.keys(SHAPES)) {
      const file = join(folder, 'one.json');
      const run = fileURLToPath(new URL('run.mjs', import.meta.url));
      const own = ['--only', name, '--threads', String(threads), '--model', flags.model, '--json', file];
      const { status } = spawnSync(process.execPath, [run, 'model-shapes', ...own], { stdio: 'inherit' });
      if (!existsSync(file)) fail(`${name}: ended with ${status} before its figures were written.`);
      Object.assign(results, JSON.parse(readFileSync(file, 'utf8')).results);
      rmSync(file);
      write(SETTINGS, results);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureOne(name) {
  const { config, keys, work = WORK, memory64 } = SHAPES[name];
  const folder = flags.folder ?? mkdtempSync(join(tmpdir(), 'rlvr-train-model-shape-'));
  try {
    if (config !== undefined && !existsSync(join(folder, 'model.safetensors'))) makeCheckpoint(folder, config);
    const baseline = process.memoryUsage.rss();
    const before = performance.now();
    const backend = await wasmBackend({ threads, memory64, storageDtype: keys.storage_dtype });
    const run = await open(config === undefined ? flags.model : folder, keys, work, backend);
    const { policy } = run.engine;
    const opening = { seconds: (performance.now() - before) / 1000, peak: peakOver(baseline) };
    const planned = plannedMemory(backend, [policy.plan], threads);
    planned.delete('checkpoints');
    const total = [...planned.values()].reduce((sum, bytes) => sum + bytes, 0);
    const parameters = policy.parameters.reduce(
      (sum, { slot }) => sum + slot.shape.reduce((all, size) => all * size, 1),
      0,
    );
    if (flags['end-at'] !== undefined) run.engine.tasks.fixedCompletionTokens = Number(flags['end-at']); // the plan is made
    const { seconds, split, metrics } = await stepper(run)();
    const used = peakOver(baseline);
    touch();
    const peak = peakOver(baseline);
    await policy.close();
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
    const rows = [
      ['parameters', `${(parameters / 1e6).toFixed(0)} M`],
      ...[...planned].map(([purpose, bytes]) => [`  ${purpose}`, megabytes(bytes)]),
      ['planned', megabytes(total)],
      ['of it in WebAssembly', megabytes(policy.engine.bytes)],
      ['peak of the step', megabytes(used)],
      [
        'peak, all of it touched',
        `${megabytes(peak)} (the plan is ${((100 * (total - peak)) / peak).toFixed(1)} % beside it)`,
      ],
      ['opened', `${opening.seconds.toFixed(0)} s, at most ${megabytes(opening.peak)}`],
      ['a step', `${seconds.toFixed(1)} s, gradient norm ${metrics.grad_norm}`],
    ];
    show(['', ''], rows, [name]);
    if (!(metrics.grad_norm > 0)) fail('the step has no gradient.');
    const step = { seconds, split, gradNorm: metrics.grad_norm };
    const figures = { parameters, planned: Object.fromEntries(planned), total, baseline, used, peak, opening, step };
    write(SETTINGS, { [name]: figures });
  } finally {
    if (flags.folder === undefined) rmSync(folder, { recursive: true });
  }
}

/** Writes to each page of the engine's memory what it has. */
function touch() {
  for (const { buffer } of memories) {
    const numbers = new Int32Array(buffer);
    for (let i = 0; i < numbers.length; i += 1024) Atomics.or(numbers, i, 0);
  }
}

/** Bytes that the process held at most, less those of before. */
function peakOver(baseline) {
  return process.resourceUsage().maxRSS * 1024 - baseline;
}

async function open(path, keys, work, backend) {
  const config = {
    ...{ model_name_or_path: path, gradient_checkpointing: true, ...keys },
    ...{ task: 'race', seed: 0, stages: [raceStage('grpo', work)] },
  };
  const loaded = parseConfig(JSON.stringify(config), { file: 'bench/model_shapes.mjs' });
  const pretrained = await openPretrained(findModel(path));
  const tasks = taskSet([{ task: raceTask(work), weight: 1 }], pretrained.codec);
  const own = delegating(tasks, {
    maxPromptTokens: work.promptTokens,
    maxCompletionTokens: work.completionTokens,
    fixedCompletionTokens: work.completionTokens,
    promptTokens: ({ prompt }) => Array.from(prompt.slice(0, work.promptTokens), (letter) => letter.charCodeAt(0)),
  });
  const half = pretrained.model.shape.vocabSize / 2; // hardly a group has equal rewards
  return openRun(loaded.config, own, backend, { rewards: { low_ids: lowIds(half) }, pretrained });
}

/** config.json, tokenizer.json and model.safetensors: norms are 1, all else is random, of sizes like trained weights. */
function makeCheckpoint(folder, config) {
  mkdirSync(folder, { recursive: true });
  const golden = JSON.parse(readFileSync(new URL('../test/golden/text.json', import.meta.url), 'utf8'));
  const files = {
    'config.json': config,
    'tokenizer.json': golden.tokenizers.smollm.tokenizer,
    'tokenizer_config.json': { ...golden.tokens, chat_template: golden.templates.smollm2.template },
    'generation_config.json': { eos_token_id: 2 },
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
  const tensors = tensorsOf(config);
  let end = 0;
  const places = tensors.map(([name, shape]) => {
    const begin = end;
    end += 2 * shape.reduce((product, size) => product * size, 1);
    return [name, { dtype: 'BF16', shape, data_offsets: [begin, end] }];
  });
  const text = JSON.stringify(Object.fromEntries(places));
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  const unfinished = join(folder, 'unfinished');
  const file = openSync(unfinished, 'w');
  writeSync(file, size);
  writeSync(file, header);
  const random = randomBits(1 << 20);
  for (const [name, { data_offsets: offsets }] of places) {
    const values = name.endsWith('norm.weight') ? new Uint16Array(1 << 14).fill(ONE) : random;
    const bytes = Buffer.from(values.buffer);
    for (let left = offsets[1] - offsets[0]; left > 0; left -= bytes.length)
      writeSync(file, bytes, 0, Math.min(left, bytes.length));
  }
  closeSync(file);
  renameSync(unfinished, join(folder, 'model.safetensors'));
}

/** Bits of bf16 between 2⁻⁸ and 2⁻⁵ in size, of both signs. */
function randomBits(length) {
  let state = 1;
  return Uint16Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state >>> 16) & 0x807f) | ((119 + ((state >>> 24) % 3)) << 7);
  });
}

/** Names and shapes as transformers writes them. */
function tensorsOf(config) {
  const { hidden_size: D, intermediate_size: F, num_attention_heads: heads, num_key_value_heads: kvHeads } = config;
  const headSize = config.head_dim ?? D / heads;
  const [Q, K] = [heads * headSize, kvHeads * headSize];
  const biases =
    config.model_type === 'qwen2'
      ? [
          ['q', Q],
          ['k', K],
          ['v', K],
        ]
      : [];
  const layer = (i) =>
    [
      ['input_layernorm.weight', [D]],
      ['self_attn.q_proj.weight', [Q, D]],
      ['self_attn.k_proj.weight', [K, D]],
      ['self_attn.v_proj.weight', [K, D]],
      ...biases.map(([name, size]) => [`self_attn.${name}_proj.bias`, [size]]),
      ['self_attn.o_proj.weight', [D, Q]],
      ['post_attention_layernorm.weight', [D]],
      ['mlp.gate_proj.weight', [F, D]],
      ['mlp.up_proj.weight', [F, D]],
      ['mlp.down_proj.weight', [D, F]],
    ].map(([name, shape]) => [`model.layers.${i}.${name}`, shape]);
  return [
    ['model.embed_tokens.weight', [config.vocab_size, D]],
    ...Array.from({ length: config.num_hidden_layers }, (_, i) => layer(i)).flat(),
    ['model.norm.weight', [D]],
  ];
}
