import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Override } from '../../../../src/config/overrides.ts';
import { ConfigError } from '../../../../src/errors.ts';
import { parseConfig } from '../../../../test/support/everything.ts';

/** The message of the ConfigError that a text must give. */
function complaint(text: string, overrides: readonly Override[] = []): string {
  try {
    parseConfig(text, { file: 'run.yaml' }, overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}

/** A flat grpo run with one more line, the third. */
const flat = (line: string) => `task: countdown\nmax_steps: 100\n${line}\n`;
const modelLine = (keys: string) => flat(`model: {${keys}}`);

describe('a text that is no config', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['empty text', '',
        'run.yaml  empty — a run needs a task and max_steps; for example {task: countdown, max_steps: 300}.'],
      ['comments alone', '# nothing\n',
        'run.yaml  empty — a run needs a task and max_steps; for example {task: countdown, max_steps: 300}.'],
      ['a list', '\n- task: countdown\n',
        'run.yaml:2  not a mapping — a config is lines of "key: value"; remove the dashes before its keys.'],
      ['a word', 'countdown\n',
        'run.yaml:1  not a mapping — a config is lines of "key: value"; for example "task: countdown".'],
      ['binary', 'task\0', 'run.yaml  holds NUL bytes — a config is YAML text; give the .yaml file.'],
      ['a tab', 'task:\n\t- b\n', 'run.yaml:2  not valid YAML — a tab indents this line; use spaces.'],
      ['a line below a value', 'a: 1\n b: 2\n',
        'run.yaml:1  not valid YAML — line 2 is indented below "a: 1", which has a value already; align the lines.'],
      ['knobs below the name of a task', 'task: countdown\n  # its knobs\n  numbers: 3\n',
        'run.yaml:1  not valid YAML — line 3 is indented below "task: countdown", which has a value already; write task: {name: …, …}, or align the lines.'],
      ['a key further left than its siblings', 'model:\n    hidden_size: 8\n  rope_theta: 1\n',
        'run.yaml:3  not valid YAML — indented like no line above it; align it with the keys that it belongs to.'],
      ['a key between dash and indentation', 'stages:\n  - stage: sft\n   max_steps: 2\n',
        'run.yaml:3  not valid YAML — indented like no line above it; align it with the keys that it belongs to.'],
      ['a colon without its space', 'task: countdown\nmax_steps:3\nseed: 1\n',
        'run.yaml:2  not valid YAML — "max_steps:3" has no space after its colon; write "max_steps: 3".'],
      ['a colon without its space in the last line', 'task: countdown\nmax_steps:3\n',
        'run.yaml:2  not valid YAML — "max_steps:3" has no space after its colon; write "max_steps: 3".'],
      ['a colon without its space in the only line', 'task:countdown\n',
        'run.yaml:1  not a mapping — a config is lines of "key: value"; "task:countdown" has no space after its colon; write "task: countdown".'],
      ['a dash without its space', 'stages:\n  -stage: sft\n   max_steps: 3\n',
        'run.yaml:2  not valid YAML — "-stage: sft" has no space after its dash; write "- stage: sft".'],
      ['an equals sign', 'task: countdown\nmax_steps = 3\n',
        'run.yaml:2  not valid YAML — "max_steps = 3" is not YAML; write "max_steps: 3".'],
      ['a comment of another language', '// mine\ntask: countdown\n',
        'run.yaml:1  not valid YAML — a comment begins with #, not with //; write "# …".'],
      ['a brace left open', 'task: {name: countdown\nmax_steps: 3\n',
        'run.yaml:1  not valid YAML — "{" is not closed; add "}".'],
      ['a brace closed twice', 'task: {name: countdown}}\nmax_steps: 3\n',
        'run.yaml:1  not valid YAML — "}" is where nothing may be; remove it.'],
      ['a quote left open', 'task: "countdown\nmax_steps: 3\n',
        'run.yaml:1  not valid YAML — a quote (") is not closed; close it in this line.'],
      ['a comma left out', 'task: {name: countdown numbers: 3}\n',
        'run.yaml:1  not valid YAML — a comma is missing between two entries of { }; separate them by commas.'],
      ['a reserved character', 'task: @home\n',
        'run.yaml:1  not valid YAML — a text cannot begin with @; put it in quotes.'],
      ['two values in one line', 'task: a: b\n',
        'run.yaml:1  not valid YAML — a second colon in one line; put the value in quotes.'],
      ['a key alone', 'task: countdown\nmax_steps\n',
        'run.yaml:2  not valid YAML — "max_steps" has no colon; write "key: value".'],
      ['an unknown tag', 'task: countdown\nseed: !number 3\n',
        'run.yaml:2  not valid YAML — the tag !number is not read; write the value without it.'],
      ['another version of YAML', '%YAML 1.1\n---\ntask: countdown\nmax_steps: 5:00\n',
        'run.yaml:1  not valid YAML — %YAML 1.1 is not read, as configs are YAML 1.2; remove this line.'],
      ['tags renamed', '# mine\n%TAG ! tag:yaml.org,2002:\n---\ntask: countdown\n',
        'run.yaml:2  not valid YAML — %TAG is not read, as configs are YAML 1.2; remove this line.'],
      ...['!!binary aGk=', '!!timestamp 2001-12-14', '!!set {a}', '!!omap [a: 1]', '!!pairs [a: 1]'].map((value) => [
        value,
        `task: countdown\nseed: ${value}\n`,
        `run.yaml:2  not valid YAML — the tag ${value.split(' ')[0]} is not read; write the value without it.`,
      ]),
      ['a whole file under a tag', '!!set\n? task\n',
        'run.yaml:1  not valid YAML — the tag !!set is not read; write the value without it.'],
      ['two documents', 'a: 1\n---\nb: 2\n', 'run.yaml:2  not valid YAML — "---" begins a second document; keep one.'],
    ],
  )('is refused: %s', (_name, text, message) => {
    expect(complaint(text)).toBe(message);
  });
});

describe('one bad line', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['num_generations: 1', 'num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).'],
      ['num_generations: 2.5', 'num_generations: 2.5 — must be a whole number; for example 8.'],
      ['num_generations: "8"', 'num_generations: "8" — must be a whole number; write 8, as quotes make a text of it.'],
      ['learning_rate: fast', 'learning_rate: fast — must be a finite number; for example 0.0003.'],
      ['learning_rate: .nan', 'learning_rate: .nan — must be a finite number; for example 0.0003.'],
      ['learning_rate: .inf', 'learning_rate: .inf — must be a finite number; for example 0.0003.'],
      ['learning_rate: 1e999', 'learning_rate: .inf — must be a finite number; for example 0.0003.'],
      ['learning_rate: 0', 'learning_rate: 0 — must be greater than 0; for example 0.0003.'],
      ['eval_steps: 0',
        'eval_steps: 0 — must be 1 or more; for none between the start and the end write eval_strategy: no.'],
      ['num_generations_eval: 9007199254740991',
        'num_generations_eval: 9007199254740991 — must be from 1 to 10000; for example 4.'],
      ['save_total_limit: 1.0e+12', 'save_total_limit: 1000000000000 — must be from 1 to 1000000; for example 2.'],
      ['hub_strategy: end', 'hub_strategy: end — nothing is uploaded; leave it out.'],
      ['model: {hidden_dims: null}', 'model.hidden_dims: null — unknown key; the nearest is hidden_size.'],
      ['temperature: 0',
        'temperature: 0 — must be greater than 0, as a greedy group has no spread and so no advantage; for example 1.'],
      ['top_p: 1.5', 'top_p: 1.5 — must be greater than 0 and at most 1; for example 1.'],
      ['adam_beta2: 1', 'adam_beta2: 1 — must be at least 0 and less than 1; for example 0.95.'],
      ['loss_type: reinforce',
        'loss_type: reinforce — not an objective of this trainer; use dapo, grpo, bnpo, dr_grpo, luspo, cispo, sapo, vespo.'],
      ['lr_scheduler_type: polynomial',
        'lr_scheduler_type: polynomial — not a schedule of this trainer; use linear, cosine, cosine_with_min_lr, constant, constant_with_warmup.'],
      ['scale_rewards: std',
        'scale_rewards: std — not a way to scale rewards; use group, batch, none, mean, true (group) or false (none).'],
      ['mask_truncated_completions: yes',
        'mask_truncated_completions: yes — must be true or false; write true, as yes is a text in YAML 1.2.'],
      ['mask_truncated_completions: "false"',
        'mask_truncated_completions: "false" — must be true or false; write false, as quotes make a text of it.'],
      ['mask_truncated_completions: 1',
        'mask_truncated_completions: 1 — must be true or false; write it without quotes.'],
      ['learning_rate: "3e-4"',
        'learning_rate: "3e-4" — must be a finite number; write 3e-4, as quotes make a text of it.'],
      ['learning_rate: 0,001',
        'learning_rate: "0,001" — must be a finite number; write 0.001, as a comma makes a text of it.'],
      ['generation_batch_size: 1,024',
        'generation_batch_size: "1,024" — must be a whole number; write 1024, as a comma makes a text of it.'],
      ['generation_batch_size: 1_024',
        'generation_batch_size: 1_024 — must be a whole number; write 1024, as an underscore makes a text of it.'],
      ['warmup_steps: 7%',
        'warmup_steps: 7% — must be a finite number; write 0.07, as a percent sign makes a text of it.'],
      ['beta: 3e−4', 'beta: 3e−4 — must be a finite number; write 3e-4, as a minus is the - of the keyboard.'],
      ['seed: 3#x', 'seed: 3#x — must be a whole number; write 3, as a comment needs a space before its #.'],
      ['numbers: 3', 'numbers: 3 — a knob of the task; write task: {name: …, …} with it.'],
      ['training: {learning_rate: 1e-3, x: 1}',
        'training: { learning_rate: 0.001, x: 1 } — no such section; move learning_rate out of it.'],
      ['reward_funcs: [accuracy: 0.5]',
        'reward_funcs.0.name: missing — a mapping needs its name; write {name: accuracy, weight: 0.5}.'],
      ['min_p: None', 'min_p: None — must be a finite number; write null, as None is a text in YAML 1.2.'],
      ['beta: None', 'beta: None — must be a finite number; for example 0.001.'],
      ['reward_funcs: [{name: accuracy, weight: "2"}]',
        'reward_funcs.0.weight: "2" — must be a finite number; write 2, as quotes make a text of it.'],
      ['backend: wsam',
        'backend: wsam — not a backend of this build; the nearest of auto, webgpu, wasm, reference, tfjs:cpu, tfjs:wasm, tfjs:webgpu, tfjs:tensorflow is wasm.'],
      ['backend: cuda',
        'backend: cuda — not a backend of this build; use auto, webgpu, wasm, reference, tfjs:cpu, tfjs:wasm, tfjs:webgpu, tfjs:tensorflow.'],
      ['seed: -1', 'seed: -1 — must be from 0 to 4294967295; for example 42.'],
      ['save_seconds: 0', 'save_seconds: 0 — must be greater than 0; for example 10.'],
      ['output_dir: ""', 'output_dir: "" — must be a non-empty text; for example runs/countdown.'],
      ['delta: 1.1', 'delta: 1.1 — must exceed 1 + epsilon_high (1.2), or it undoes the clip; for example 4.'],
      ['warmup_steps: 101', 'warmup_steps: 101 — longer than the stage (max_steps 100); use a fraction such as 0.05.'],
      ['warmup_steps: 1.5', 'warmup_steps: 1.5 — neither a fraction below 1 nor whole steps; use 2.'],
      ['lr_scheduler_type: cosine_with_min_lr',
        'lr_scheduler_type: cosine_with_min_lr — needs its floor; add lr_scheduler_kwargs: {min_lr_rate: 0.1}.'],
      ['lr_scheduler_kwargs: {min_lr: 1.0e-5}',
        'lr_scheduler_kwargs: { min_lr: 0.00001 } — must be a mapping whose only key is min_lr_rate; for example {min_lr_rate: 0.1}.'],
      ['lr_scheduler_kwargs: {min_lr_rate: 2}',
        'lr_scheduler_kwargs.min_lr_rate: 2 — must be at least 0 and at most 1; for example 0.1.'],
      ['generation_batch_size: 100',
        'generation_batch_size: 100 — a batch is whole groups; use a multiple of num_generations (8), such as 104.'],
      ['per_device_train_batch_size: 12',
        'per_device_train_batch_size: 12 — a micro-batch is whole groups, or an equal part of one; use a multiple of num_generations (8), such as 16, or a divisor.'],
      ['steps_per_generation: 4',
        'steps_per_generation: 4 — counts micro-batches of per_device_train_batch_size, which is missing; give that too, or generation_batch_size instead.'],
      ['gradient_accumulation_steps: 4',
        'gradient_accumulation_steps: 4 — counts micro-batches of per_device_train_batch_size, which is missing; give that too, or leave this out for one step per batch.'],
      ['dynamic_sampling: drop',
        'dynamic_sampling: drop — must be none, refill, or refill with 1 to 100 max_rounds; for example {name: refill, max_rounds: 2}.'],
      ['dynamic_sampling: {name: drop}', 'dynamic_sampling.name: drop — not a way to refill; use none or refill.'],
      ['dynamic_sampling: {name: refill, max_rounds: 0}',
        'dynamic_sampling.max_rounds: 0 — must be from 1 to 100; for example 2.'],
      ['reward_funcs: []', 'reward_funcs: [] — empty; for example [accuracy].'],
      ['reward_funcs: [accuracy, 3]',
        'reward_funcs.1: 3 — must be a name, or a mapping with a name and a weight of at least 0; for example accuracy.'],
      ['reward_funcs: [{name: accuracy, weight: -1}]', 'reward_funcs.0.weight: -1 — must be at least 0; for example 1.'],
      ['reward_funcs: [accuracy, accuracy]',
        'reward_funcs: [ accuracy, accuracy ] — accuracy is listed twice; keep one.'],
      ['reward_funcs: {accuracy: 1}',
        'reward_funcs: { accuracy: 1 } — must be a name or a list of names; for example [{name: accuracy, weight: 1}].'],
      ['reward_weights: [1, 2]',
        'reward_weights: [ 1, 2 ] — 2 weights for 1 reward functions (accuracy); give one weight each.'],
      ['reward_weights: [0]',
        'reward_weights: [ 0 ] — all weights are 0, so nothing is rewarded; give one a positive weight.'],
      ['importance_sampling_level: sentence',
        'importance_sampling_level: sentence — no such method (token, sequence, sequence_token, none, sequence_sum); ' +
          'the nearest is sequence.'],
      ['num_generation: 8', 'num_generation: 8 — unknown key; the nearest is num_generations.'],
      ['numGenerations: 8', 'numGenerations: 8 — unknown key; the nearest is num_generations.'],
      ['zebra: 8', 'zebra: 8 — unknown key; leave it out.'],
      ['constructor: 8', 'constructor: 8 — unknown key; leave it out.'],
      ['__proto__: {seed: 1}', '__proto__: { seed: 1 } — not a key; use a plain name.'],
      ['use_vllm: true',
        'use_vllm: true — rollouts run in the same engine as the update, so there is no vLLM to set up; leave it out.'],
      ['sync_ref_model: 1', 'sync_ref_model: 1 — must be true or false; write it without quotes.'],
      ['hidden_size: 64', 'hidden_size: 64 — belongs to the model; move it under model:.'],
      ['stage: sft', 'stage: sft — belongs to an entry of stages; flat keys are one grpo stage.'],
      ['model: small', 'model: small — must be a mapping; for example {hidden_size: 128}.'],
      ['model: [{hidden_size: 8}]',
        'model: [ { hidden_size: 8 } ] — must be a mapping; remove the dash before its keys.'],
      ['model: {hidden_size:8}', 'model.hidden_size:8: null — no space after the colon; write hidden_size: 8.'],
      ['stages: {stage: sft}',
        'stages: { stage: sft } — must be a list of at least one stage; begin each stage with a dash: "- stage: grpo".'],
      ['stages: []', 'stages: [] — must be a list of at least one stage; for example [{stage: grpo, max_steps: 300}].'],
      ['stages: [sft]', 'stages.0: sft — must be a mapping; for example {stage: grpo, max_steps: 300}.'],
      ['stages: [{max_steps: 3}]', 'stages.0.stage: missing — not a kind of stage; use sft, grpo, dpo, kto, orpo or cpo.'],
      ['stages: [{stage: ppo}]', 'stages.0.stage: ppo — not a kind of stage; use sft, grpo, dpo, kto, orpo or cpo.'],
      ['stages: [{stage: dpo, max_steps: 3, beta: 0}]', 'stages.0.beta: 0 — must be greater than 0; for example 0.1.'],
      ['stages: [{stage: dpo, max_steps: 3, loss_type: exo_pair}]', 'stages.0.label_smoothing: 0 — exo_pair takes its logarithm; use for example 0.001.'],
      ['stages: [{stage: dpo, max_steps: 3, label_smoothing: 0.1, loss_type: hinge}]', 'stages.0.label_smoothing: 0.1 — hinge has none; leave it out, or use robust.'],
      ['stages: [{stage: dpo, max_steps: 3, loss_type: apo_zero, f_divergence_type: forward_kl}]', 'stages.0.f_divergence_type: forward_kl — apo_zero is made for reverse_kl; use that, or sigmoid.'],
      ['stages: [{stage: dpo, max_steps: 3, loss_type: [sigmoid, sft], loss_weights: [1]}]', 'stages.0.loss_weights: [ 1 ] — 1 weights for 2 losses; give one each.'],
      ['stages: [{stage: sft, beta: 0}, {stage: grpo}]',
        'stages.0.beta: 0 — an sft stage samples nothing and has no rewards; move it to a grpo stage.'],
      ['stages: [{stage: grpo, seed: 1}]', 'stages.0.seed: 1 — belongs to the whole run; move it to the top level.'],
    ],
  )('is refused: %s', (line, message) => {
    expect(complaint(flat(line))).toBe(`run.yaml:3  ${message}`);
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['hidden_size: 100, num_attention_heads: 3',
        'model.hidden_size: 100 — not divisible by num_attention_heads (3); use 102, or give head_dim.'],
      ['hidden_size: 12',
        'model.hidden_size: 12 — a head of 3 elements is odd, and rotary positions turn pairs; use 16, or give an even head_dim.'],
      ['head_dim: 33', 'model.head_dim: 33 — a head of 33 elements is odd, and rotary positions turn pairs; use 34.'],
      ['num_key_value_heads: 3',
        'model.num_key_value_heads: 3 — does not divide num_attention_heads (4): each KV head serves a whole number of query heads; use 1, 2, 4.'],
      ['vocab_size: 100', "model.vocab_size: 100 — the vocabulary is that of the task's tokenizer; leave it out."],
      ['hidden_dim: 64', 'model.hidden_dim: 64 — unknown key; the nearest is hidden_size.'],
      ['learning_rate: 1', 'model.learning_rate: 1 — not a key of the model; move it to the top level.'],
    ],
  )('is refused in the model: %s', (keys, message) => {
    expect(complaint(modelLine(keys))).toBe(`run.yaml:3  ${message}`);
  });
});

describe('several lines', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['max_steps: 3', 'run.yaml  task: missing — must be a name, or a mapping with a name; for example countdown.'],
      ['task: {numbers: 3}\nmax_steps: 3',
        'run.yaml:1  task.name: missing — must be a non-empty text; for example countdown.'],
      ['task: {name: countdown, numbers: .nan}\nmax_steps: 3',
        'run.yaml:1  task.numbers: .nan — must be plain data with finite numbers; use numbers, texts, true, false, null, lists or mappings.'],
      ['task: countdown\nmax_steps: 3\ntasks: [sort_digits]',
        'run.yaml:3  tasks: [ sort_digits ] — task is given too; keep one.'],
      ['tasks: []\nmax_steps: 3',
        'run.yaml:1  tasks: [] — must name at least one task; for example [reverse_text, {name: sort_digits, weight: 2}].'],
      ['tasks:\n  - {name: countdown, weight: 0}\nmax_steps: 3',
        'run.yaml:2  tasks.0.weight: 0 — must be greater than 0; for example 1.'],
      ['task: countdown',
        'run.yaml  max_steps: missing — the training stream is endless; give the number of optimizer steps, for example 300.'],
      ['task: countdown\nmax_steps: -1',
        'run.yaml:2  max_steps: -1 — must be 1 or more, as the training stream is endless and has no epochs; for example 300.'],
      ['task: countdown\nstages:\n  - stage: sft\n',
        'run.yaml:3  stages.0.max_steps: missing — the training stream is endless; give the number of optimizer steps, for example 300.'],
      ['task: countdown\nbeta: 1\nstages: [{stage: sft, max_steps: 3}]',
        'run.yaml:2  beta: 1 — no stage reads it, as all are sft; leave it out, or add a grpo stage.'],
      [flat('seed: 1\nseed: 2'), 'run.yaml:4  seed: 2 — given twice, first in line 3; keep one.'],
      [flat('seed: &s 1\nthreads: *s'),
        'run.yaml:4  threads: "*s" — aliases are not read; write the value (stages inherit top-level keys).'],
      [flat('generation_batch_size: 64\nsteps_per_generation: 2\nper_device_train_batch_size: 16'),
        'run.yaml:4  steps_per_generation: 2 — generation_batch_size says the same; keep one of the two.'],
      [flat('generation_batch_size: 64\nper_device_train_batch_size: 128'),
        'run.yaml:4  per_device_train_batch_size: 128 — larger than generation_batch_size (64); use at most that.'],
      [flat('generation_batch_size: 64\nper_device_train_batch_size: 16\ngradient_accumulation_steps: 3'),
        'run.yaml:5  gradient_accumulation_steps: 3 — optimizer steps of 48 completions do not divide generation_batch_size (64); use a divisor, or leave this out for one step per batch.'],
      [flat('lr_scheduler_type: constant\nwarmup_steps: 5'),
        'run.yaml:4  warmup_steps: 5 — a constant schedule has no warm-up; use constant_with_warmup, or 0.'],
      [flat('lr_scheduler_type: constant\nlr_scheduler_kwargs: {min_lr_rate: 0.1}'),
        'run.yaml:4  lr_scheduler_kwargs: { min_lr_rate: 0.1 } — constant never falls, so min_lr_rate means nothing; use linear or cosine.'],
      [flat('reward_funcs: [{name: a, weight: 2}]\nreward_weights: [1]'),
        'run.yaml:4  reward_weights: [ 1 ] — reward_funcs already gives weights; keep them in one place.'],
    ],
  )('are refused with one message: %j', (text, message) => {
    expect(complaint(text)).toBe(message);
  });

  it('are reported together, in file order', () => {
    const text =
      'num_generations: 0\nstages:\n  - stage: grpo\n    beta: x\n  - {stage: sft, max_steps: 1}\nfoo: 1\ntask: t\n';
    const places = complaint(text, ['seed=x'])
      .split('\n')
      .map((line) => line.split(' —')[0]);
    expect(places).toEqual([
      'run.yaml:1  num_generations: 0',
      'run.yaml:3  stages.0.max_steps: missing',
      'run.yaml:4  stages.0.beta: x',
      'run.yaml:6  foo: 1',
      '--set  seed: x',
    ]);
  });

  it('report a bad top-level key once, although two stages inherit it', () => {
    const text = 'task: t\nlearning_rate: 0\nmax_steps: 1\nstages: [{stage: grpo}, {stage: grpo}]\n';
    expect(complaint(text)).toBe('run.yaml:2  learning_rate: 0 — must be greater than 0; for example 0.0003.');
  });

  it('carry a code and the problems as facts', () => {
    const problems = [expect.objectContaining({ place: 'run.yaml:3', path: 'seed' })];
    expect(() => parseConfig(flat('seed: x'), { file: 'run.yaml' })).toThrow(
      expect.objectContaining({ code: 'invalid-config', facts: { problems } }),
    );
  });
});

describe('a --set', () => {
  it.each(
    /* biome-ignore format: a table */ [
      ['learning_rate', '--set  learning_rate is not key=value; for example --set learning_rate=3e-4.'],
      ['=3', '--set  =3 is not key=value; for example --set learning_rate=3e-4.'],
      ['seed=*a', '--set  seed: "*a" — not a YAML value; quote it, or for example 3e-4.'],
      ['reward_funcs=[', '--set  reward_funcs: "[" — not a YAML value; quote it, or for example 3e-4.'],
      ['learning_rat=1', '--set  learning_rat: 1 — unknown key; the nearest is learning_rate.'],
      ['num_generations=1', '--set  num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).'],
      ['sft.max_steps=3', '--set  sft.max_steps: 3 — there is no sft stage; use one of the stages given.'],
      ['stages.4.max_steps=3',
        '--set  stages.4.max_steps: 3 — no such path in the file; use a key that is there, or a top-level one.'],
      ['__proto__.seed=3',
        '--set  __proto__.seed: 3 — no such path in the file; use a key that is there, or a top-level one.'],
      ['lr=1e-3', '--set  lr: 0.001 — unknown key; here it is called learning_rate.'],
      ['kl_coef=0.1', '--set  kl_coef: 0.1 — unknown key; here it is called beta.'],
      ['model.n_layers=2', '--set  model.n_layers: 2 — unknown key; here it is called num_hidden_layers.'],
      ['seed.x=3', '--set  seed.x: 3 — no such path in the file; use a key that is there, or a top-level one.'],
    ],
  )('is refused: %s', (override, message) => {
    expect(complaint('task: countdown\nseed: 1\nstages: [{stage: grpo, max_steps: 10}]\n', [override])).toBe(message);
  });

  describe('that no stage would read is refused', () => {
    const grpo = '  - {stage: grpo, max_steps: 10, num_generations: 4}\n';
    const stages = `stages:\n  - {stage: sft, max_steps: 10}\n${grpo}${grpo}`;
    const WARM = `task: countdown\n${stages}`;
    const nothing = 'every stage that reads it sets its own, so this would change nothing; use for example';

    it.each([
      ['num_generations=1', `--set  num_generations: 1 — ${nothing} grpo.num_generations.`],
      ['num_generations=16', `--set  num_generations: 16 — ${nothing} grpo.num_generations.`],
      ['max_steps=3', `--set  max_steps: 3 — ${nothing.replace(' that reads it', '')} grpo.max_steps.`],
    ])('%s, where the stages of its kind set their own', (override, message) => {
      expect(complaint(WARM, [override])).toBe(message);
    });

    it('not where one stage alone reads it, whose own is overridden', () => {
      const one = `task: countdown\nstages:\n  - {stage: sft, max_steps: 10}\n${grpo}`;
      const { config } = parseConfig(one, { file: 'run.yaml' }, ['num_generations=2']);
      expect(config.stages.map((stage) => stage.stage === 'grpo' && stage.batch.numGenerations)).toEqual([false, 2]);
      expect(complaint(one, ['num_generations=1'])).toMatch(
        /^--set {2}stages\.1\.num_generations: 1 — a group of one has no/,
      );
    });

    it('not where one of its kind inherits it', () => {
      const more = `${WARM}  - {stage: grpo, max_steps: 10}\n`;
      const { config } = parseConfig(more, { file: 'run.yaml' }, ['num_generations=2']);
      expect(config.stages.map((stage) => stage.stage === 'grpo' && stage.batch.numGenerations)).toEqual([
        false,
        4,
        4,
        2,
      ]);
    });

    it('in the shipped countdown.yaml too', () => {
      const text = readFileSync(new URL('../../../../configs/countdown.yaml', import.meta.url), 'utf8');
      expect(complaint(text, ['learning_rate=1'])).toBe(
        `--set  learning_rate: 1 — ${nothing.replace(' that reads it', '')} grpo.learning_rate.`,
      );
    });
  });

  it('that a flag of its own stands for is named as that flag', () => {
    const message = '--seed  seed: -1 — must be from 0 to 4294967295; for example 42.';
    expect(complaint(flat(''), [{ flag: '--seed', assignment: 'seed=-1' }])).toBe(message);
  });
});

describe('knobs of a built-in task', () => {
  it('are told together with other mistakes, in the order of the file', () => {
    const both = complaint('task: {name: sort_digits, digit: 3, seed: 1}\nmax_step: 3\n');
    expect(both).toContain(
      '\nrun.yaml:1  task.digit: 3 — no such knob of sort_digits (it takes digits); the nearest is digits.\n',
    );
    expect(both).toContain('\nrun.yaml:1  task.seed: 1 — not a knob of the task; move it to the top level.\n');
    expect(both).toContain('\nrun.yaml:2  max_step: 3 — unknown key; the nearest is max_steps.');
    expect(complaint('tasks: [countdown, {name: reverse_text, level: 9}]\nmax_step: 3\n')).toContain(
      'run.yaml:1  tasks.1.level: 9 — reverse_text has levels 0 to 2',
    );
  });

  it('are left to who opens the task where nothing else is wrong', () => {
    expect(complaint('task: {name: sort_digits, digit: 3}\nmax_steps: 3\n')).toBe('accepted');
  });
});
