/** A new run that begins with the weights of an old one: finished, or at a checkpoint. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import type { Summary } from '../../../../src/run/summary.ts';
import { printed } from '../../../../test/cli/printed.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../../test/support/folders.ts';
import { openBase } from '../../../models/run/model/configured_model.node.ts';
import { smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { openPlugins } from '../../../plugins/open_plugins.node.ts';
import { evaluateSuite } from '../../actions/eval_suite.ts';
import { openAsked } from '../../runs/open_asked.ts';
import { openTrained } from '../../runs/open_trained.ts';

const SHAPE = 'model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}\n';
const OF_DIGITS = 'task: {name: sort_digits, digits: 2}\n';
const STEPS = `max_steps: 3
save_seconds: 3600
num_generations: 2
generation_batch_size: 4
learning_rate: 0.01
num_generations_eval: 1
eval_samples: 16
eval_steps: 100
reward_funcs: [positions]
`;
const FROM_FIRST = `model_name_or_path: runs/first\n${OF_DIGITS}${STEPS}`;

interface Trained {
  /** Of the weights before the first step that was taken here. */
  readonly begun: string;
  /** Undefined where the run was stopped. */
  readonly summary?: Summary;
  readonly notes: readonly string[];
}

/** As the command trains: `NAME.yaml` into `runs/NAME`. */
async function train(
  name: string,
  yaml?: string,
  { resume = false, stopAt = Number.NaN, force = false } = {},
): Promise<Trained> {
  const directory = `runs/${name}`;
  const file = resume ? `${directory}/config.yaml` : `${name}.yaml`;
  const given = parseConfig(yaml ?? readFileSync(file, 'utf8'), { file });
  const opened = await openBase(given, file, resume ? directory : undefined);
  const pretrained = opened?.base;
  const loaded = { ...given, config: opened?.config ?? given.config };
  const codec = pretrained?.codec;
  const { config, tasks, rewards, close } = await openPlugins(loaded, { file, directory, announce: () => {}, codec });
  const models = opened?.models;
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { rewards, pretrained, models });
  const begun = await weightsSha256(run.engine.policy);
  const notes: string[] = [];
  const options = { run, store: fileStore(directory), fingerprint: await fingerprintOf(run), directory, resume, force };
  try {
    for await (const event of session({ ...options, shouldStop: () => run.journal.state.step === stopAt })) {
      if (event.type === 'note') notes.push(event.message);
      if (event.type === 'finished') return { begun, notes, summary: event.summary };
    }
    return { begun, notes };
  } finally {
    await close();
    await closeEngine(run.engine);
  }
}

const configOf = (name: string): string => readFileSync(`runs/${name}/config.yaml`, 'utf8');

eachInOwnFolder();

describe('from a run of a closed vocabulary', () => {
  let first: Trained;
  beforeEach(async () => {
    first = await train('first', `${OF_DIGITS}${SHAPE}${STEPS}seed: 7\n`);
  });

  it('a new run begins with its weights bit for bit, and its first evaluation is the last of the old one', async () => {
    const second = await train('second', FROM_FIRST);
    expect(second.begun).toBe(first.summary?.weightsSha256);
    expect(second.begun).not.toBe(second.summary?.weightsSha256);
    expect(second.summary?.baseline).toEqual(first.summary?.final);
    expect(readFileSync('runs/second/model/tokenizer.json')).toEqual(readFileSync('runs/first/model/tokenizer.json'));
    expect(configOf('second')).toContain('model_name_or_path: ../first\n');
    expect(JSON.parse(readFileSync('runs/second/fingerprint.json', 'utf8'))).toMatchObject({ start: 'runs/first' });
    expect(readFileSync('runs/second/model/README.md', 'utf8')).toMatch(
      /trained by rlvr-train from `runs\/first`[\s\S]*tokens of the 13 in its vocabulary/,
    );
  });

  it('a smaller policy learns from it, which the run names and resumes with, to the same bits', async () => {
    const lines = 'models: {teacher: {path: runs/first}}\nobjective: terms-only\nloss_terms: [teacher-kl]\n';
    const yaml = `${OF_DIGITS}${SHAPE.replace('hidden_size: 8', 'hidden_size: 4')}${STEPS}${lines}`;
    const whole = await train('student', yaml);
    expect(configOf('student')).toContain('models:\n  teacher:\n    path: ../first\n');
    expect(JSON.parse(readFileSync('runs/student/fingerprint.json', 'utf8')).models).toHaveProperty(
      'teacher/model.safetensors',
    );
    await train('killed', yaml, { stopAt: 1 });
    expect((await train('killed', undefined, { resume: true })).summary?.weightsSha256).toBe(
      whole.summary?.weightsSha256,
    );
    await train('cut', yaml, { stopAt: 1 });
    await train('second', FROM_FIRST);
    rmSync('runs/first/model', { recursive: true });
    renameSync('runs/second/model', 'runs/first/model');
    await expect(train('cut', undefined, { resume: true })).rejects.toThrow(
      /models: teacher\/model\.safetensors has changed \(SHA-256 [\da-f]{8} → [\da-f]{8}\)/,
    );
    renameSync('runs/first', 'runs/away');
    await expect(train('third', yaml)).rejects.toThrow(/runs\/first.*no such folder or file/);
  });

  it('a larger level of its task is asked in its own form, and `eval --model` asks it as well', async () => {
    const second = await train('second', FROM_FIRST.replace('digits: 2', 'digits: 3'));
    expect(second.begun).toBe(first.summary?.weightsSha256);
    const asked = await openAsked({ model: 'runs/first', task: '{name: sort_digits, digits: 3}', samples: 1 });
    expect(asked.model.engine.tasks.heldOutItems()[0]?.prompt).toMatch(/^\d{3}>$/);
    await asked.close();
  });

  it('`eval --suite` asks it several tasks and data sets, and says of those it cannot be asked why', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      prompt: `${10 + i}>`,
      answer: [...`${10 + i}`].sort().join(''),
    }));
    writeFileSync('rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    writeFileSync(
      'suite.yaml',
      '- {name: sort_digits, digits: 2}\n- word_sorting\n- {data_files: rows.jsonl, name: mine}\n',
    );
    const flags = { model: 'runs/first', suite: 'suite.yaml', samples: 2, set: ['eval_samples=12'] };
    const { results } = JSON.parse(await printed(() => evaluateSuite({ ...flags, json: true })));
    expect(results.map(({ name }: { name: string }) => name)).toEqual(['sort_digits digits 2', 'word_sorting', 'mine']);
    expect(results[0].metrics).toMatchObject({ eval_problems: 12 });
    expect(results[1].reason).toMatch(/word_sorting|vocabulary|character/);
    expect(await printed(() => evaluateSuite(flags))).toMatch(/\n {2}sort_digits digits 2 +\d+\.\d % \(/);
    writeFileSync('suite.yaml', 'tasks: []\n');
    await expect(evaluateSuite(flags)).rejects.toThrow(/--suite suite\.yaml — not what it has to be: a list of tasks/);
    await expect(evaluateSuite({ ...flags, suite: 'none' })).rejects.toThrow(/cannot be read: ENOENT/);
  });

  it('an adapter can be trained beside it', async () => {
    const second = await train('second', `${FROM_FIRST}use_peft: true\nlora_r: 2\n`);
    expect(second.summary?.baseline).toEqual(first.summary?.final);
    expect(readFileSync('runs/second/model/README.md', 'utf8')).toMatch(
      /AutoPeftModelForCausalLM[\s\S]*tokenizer\("\d\d>"/,
    );
    const third = await train('third', FROM_FIRST.replace('first', 'second'));
    expect(third.begun).toBe(second.summary?.weightsSha256);
  });

  it('a new run is killed and resumed to the same bits, also when the old one is gone by then', async () => {
    const whole = await train('whole', FROM_FIRST);
    await train('second', FROM_FIRST, { stopAt: 1 });
    const weights = readFileSync('runs/first/model/model.safetensors');
    const changed = Uint8Array.from(weights);
    changed[changed.length - 1] ^= 1;
    writeFileSync('runs/first/model/model.safetensors', changed);
    await expect(train('second', undefined, { resume: true })).rejects.toThrow(
      /--resume: this run was started under other conditions[\s\S]*model\.safetensors of the model that it began with has changed \(SHA-256/,
    );
    renameSync('runs/first', 'runs/gone');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const resumed = await train('second', undefined, { resume: true });
    expect(said.mock.calls.join()).toMatch(/runs\/first, with which runs\/second began, is gone/);
    expect(resumed.summary?.weightsSha256).toBe(whole.summary?.weightsSha256);
    const { close } = await openTrained('runs/second', {}, () => ({ prompts: 1, samples: 1 }));
    await close();
    said.mockRestore();
  });

  it('before it has weights of its own, it needs the old one, and says so', async () => {
    await train('second', FROM_FIRST, { stopAt: 1 });
    rmSync('runs/second/checkpoints', { recursive: true });
    renameSync('runs/first', 'runs/gone');
    await expect(train('second', undefined, { resume: true })).rejects.toThrow(
      /^model "runs\/first" — no such folder or file \(in runs there are gone, second\)[^\n]*\n {2}runs\/second began with it, and has no weights of its own yet; bring it back/,
    );
  });

  it.each([
    [
      'another shape',
      `model: {hidden_size: 16, num_hidden_layers: 1}\n${FROM_FIRST}`,
      /^second\.yaml:1 {2}model\.hidden_size: 16 — the weights of runs\/first have 8; leave this out, or .*random weights\.$/,
    ],
    [
      'a task that its vocabulary cannot write',
      FROM_FIRST.replace('{name: sort_digits, digits: 2}', 'reverse_text').replace('positions', 'accuracy'),
      /^second\.yaml:2 {2}task: reverse_text — is written with "a", and the vocabulary of model_name_or_path lacks it \(it has <pad> <eos> 0 1 /,
    ],
    [
      'a task in words',
      FROM_FIRST.replace('{name: sort_digits, digits: 2}', 'countdown').replace('positions', 'accuracy'),
      /task: countdown — is written in words, and the vocabulary of model_name_or_path is not/,
    ],
    [
      'words of a method',
      `${FROM_FIRST}rollout_strategies: [self-verify]\n`,
      /model_name_or_path: runs\/first — its vocabulary lacks <verify>, .*, by which a method of this config speaks/,
    ],
    [
      'values for a chat template',
      `${FROM_FIRST}chat_template_kwargs: {a: 1}\n`,
      /second\.yaml:\d+ {2}chat_template_kwargs: \{ a: 1 \} — runs\/first has no chat template/,
    ],
    [
      'examples before a question',
      FROM_FIRST.replace('digits: 2', 'digits: 2, examples: 2'),
      /task\.examples: 2 — a model of a closed vocabulary reads the problem alone/,
    ],
  ])('%s is refused with what is there', async (_, yaml, message) => {
    await expect(train('second', yaml)).rejects.toThrow(message);
    expect(existsSync('runs/second')).toBe(false);
  });

  it('a shape that says the same is no contradiction', async () => {
    expect((await train('second', `${SHAPE}${FROM_FIRST}`)).begun).toBe(first.summary?.weightsSha256);
  });

  it('a checkpoint is a start as well, and what is not whole is none', async () => {
    const second = await train('second', FROM_FIRST.replace('first', 'first/checkpoints/grpo-3'));
    expect(second.begun).toBe(first.summary?.weightsSha256);
    expect(configOf('second')).toContain('model_name_or_path: ../first/checkpoints/grpo-3\n');
    const file = 'runs/first/checkpoints/grpo-3/weights.safetensors';
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    await expect(train('third', FROM_FIRST.replace('first', 'first/checkpoints/grpo-3'))).rejects.toThrow(
      /^runs\/first\/checkpoints\/grpo-3: checkpoints\/grpo-3: its weights do not match their SHA-256\. Give another/,
    );
  });
});

it('of a run that was stopped its newest checkpoint is the start, under its name, also when the run has gone on', async () => {
  const yaml = `${OF_DIGITS}${SHAPE}${STEPS}`;
  await train('first', yaml, { stopAt: 1 });
  const second = await train('second', FROM_FIRST, { stopAt: 1 });
  expect(configOf('second')).toContain('model_name_or_path: ../first/checkpoints/grpo-1\n');
  const finished = await train('first', undefined, { resume: true });
  expect(finished.summary?.weightsSha256).not.toBe(second.begun);
  const resumed = await train('second', undefined, { resume: true });
  expect(resumed.notes).toEqual(['resumed from checkpoint grpo-1.']);
});

it.each([
  [
    'no run',
    () => train('third', `${OF_DIGITS}${SHAPE}${STEPS}`, { stopAt: 1 }),
    /^model "runs\/first" — no such folder or file \(in runs there is third\)/,
  ],
  [
    'a run that has no weights yet',
    async () => {
      await train('first', `${OF_DIGITS}${SHAPE}${STEPS}`, { stopAt: 1 });
      rmSync('runs/first/checkpoints', { recursive: true });
    },
    /^model "runs\/first" — a run that has no weights yet, neither model\/ nor a checkpoint; resume it: .* --resume --output runs\/first\.$/,
  ],
  [
    'a run of an earlier version that was stopped',
    async () => {
      await train('first', `${OF_DIGITS}${SHAPE}${STEPS}`, { stopAt: 1 });
      rmSync('runs/first/model', { recursive: true });
    },
    /^model "runs\/first" — a checkpoint whose run has no model\/config\.json/,
  ],
])('%s is no start, by the path that was typed', async (_, prepare, message) => {
  await prepare();
  await expect(train('second', FROM_FIRST)).rejects.toThrow(message);
});

it('the checkpoint of an adapter is a start beside its base', async () => {
  const base = await smallPretrainedFiles();
  const store = fileStore('.');
  for (const name of await base.list('base')) {
    await store.writeAtomic(`base/${name}`, (await base.read(`base/${name}`)) as Uint8Array);
  }
  const shown = `task: reverse_text
eval_samples: 2
stages: [{stage: sft, max_steps: 3, per_device_train_batch_size: 4, learning_rate: 0.01}]
`;
  await train('first', `model_name_or_path: ./base\nuse_peft: true\nlora_r: 2\n${shown}`, { stopAt: 2 });
  const second = await train('second', `model_name_or_path: runs/first\n${shown}`, { stopAt: 1 });
  const { model, close } = await openTrained('runs/first', {}, () => ({ prompts: 1, samples: 1 }));
  expect(second.begun).toBe(await weightsSha256(model.engine.policy));
  await close();
  expect(configOf('second')).toMatch(/model_name_or_path: \.\.\/first\/checkpoints\/sft-2\n[\s\S]*lora_r: 2\n/);
});
