/** Configs of other trainers, made up after real ones: what becomes of each key, and a config that the schema takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../../../src/config/load.ts';
import { RlvrError } from '../../../../src/errors.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { budget } from '../../../../test/support/budget.ts';
import { zooLibrary } from '../../../zoo/library.ts';
import { EVERYTHING } from '../../everything.ts';
import { MAPS, readForeign } from '../../import/read_foreign.ts';
import { fateOf, type Imported, translate } from '../../import/translate.ts';

const HERE = new URL('./', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(`foreign/${file}`, HERE), 'utf8');
const imported = async (file: string, text = textOf(file)): Promise<Imported> =>
  translate(readForeign(text, file), file, zooLibrary);

/** For each file: the trainer that it is for, keys of ours that must come out, and keys that are refused. */
// biome-ignore format: a table
const FILES: Readonly<Record<string, readonly [trainer: string, ours: object, refused: readonly string[]]>> = {
  'mini_r1.yaml': ['TRL', { model_name_or_path: 'Qwen/Qwen2.5-3B-Instruct', dataset_name: 'Jiayi-Pan/Countdown-Tasks-3to4',
    warmup_steps: 0.03, max_steps: 450, num_generations: 8, beta: 0.001 }, []],
  'open_r1_demo.yaml': ['TRL', { num_train_epochs: 1, reward_funcs: ['accuracy', 'format'], reward_weights: [1, 1],
    task: { name: 'dataset', hub: 'open-r1/OpenR1-Math-220k', train: 'train', prompt: 'problem',
      system: expect.stringMatching(/^You are a helpful AI Assistant/) } }, []],
  'open_r1_cosine.yaml': ['TRL', { loss_type: 'dr_grpo', scale_rewards: false, reward_weights: [1, 2, 0.5], reward_funcs: ['format',
    { name: 'cosine', max_len: 3584, min_value_correct: 0.5, max_value_correct: 1, min_value_wrong: 0, max_value_wrong: -0.5 },
    { name: 'repetition', ngram_size: 4, max_penalty: -1 }] }, []],
  'open_r1_code.yaml': ['TRL', { learning_rate: 5e-6, reward_funcs: [{ name: 'python', file: 'rewards.py', function: 'code' }, 'format'] },
    ['code_language', 'parallel_code_exec_per_proc']],
  'open_r1_sft.yaml': ['TRL', { stages: [{ stage: 'sft' }], num_train_epochs: 5, per_device_train_batch_size: 16,
    lr_scheduler_kwargs: { min_lr_rate: 0.1 } }, []],
  'trl_quickstart.py': ['TRL', { model_name_or_path: 'Qwen/Qwen2-0.5B-Instruct', dataset_name: 'trl-lib/tldr', num_train_epochs: 3,
    reward_funcs: [{ name: 'python', file: 'rewards.py', function: 'reward_len' }] }, []],
  'trl_deepmath.py': ['TRL', { output_dir: 'grpo-qwen3', max_completion_length: 1024, lora_r: 32, use_peft: true, lora_target_modules: ['q_proj', 'v_proj'],
    dtype: 'bfloat16', reward_funcs: ['accuracy', 'format', { name: 'soft_overlong', max_tokens: 1024, cache: 205 }] }, ['max_steps', 'run_name']],
  'trl_distillation.py': ['TRL', { model_name_or_path: 'Qwen/Qwen2.5-0.5B-Instruct', max_completion_length: 256, temperature: 0.7,
    models: { teacher: { path: 'Qwen/Qwen2.5-1.5B-Instruct@v1' } }, objective: 'terms-only', loss_terms: [{ name: 'teacher-kl', teacher_beta: 0.5 }] }, []],
  'trl_gkd.yaml': ['TRL', { models: { teacher: { path: 'Qwen/Qwen2-1.5B-Instruct' } }, max_completion_length: 64, learning_rate: 2e-5,
    temperature: 0.9, loss_terms: [{ name: 'teacher-kl', teacher_beta: 0.5 }] }, ['lmbda', 'seq_kd']],
  'trl_dpo.py': ['TRL', { model_name_or_path: 'Qwen/Qwen2-0.5B-Instruct', dataset_name: 'trl-lib/ultrafeedback_binarized', learning_rate: 1e-6,
    stages: [{ stage: 'dpo', loss_type: ['sigmoid', 'sft'], loss_weights: [1, 0.2], beta: 0.05, ld_alpha: 0.5, per_device_train_batch_size: 4,
      gradient_accumulation_steps: 8 }] }, []],
  'trl_kto.yaml': ['TRL', { learning_rate: 5e-7, stages: [{ stage: 'kto', beta: 0.1, desirable_weight: 1, undesirable_weight: 1.33,
    per_device_train_batch_size: 8 }] }, []],
  'trl_orpo.py': ['TRL', { output_dir: 'runs/orpo', learning_rate: 8e-6, stages: [{ stage: 'orpo', beta: 0.2 }] }, []],
  'trl_simpo.py': ['TRL', { max_steps: 200, stages: [{ stage: 'cpo', loss_type: 'simpo', cpo_alpha: 0, simpo_gamma: 1, beta: 2 }] }, []],
  'trl_grpo.sh': ['TRL', { model_name_or_path: 'Qwen/Qwen2.5-0.5B-Instruct', dataset_config: 'main', lora_alpha: 32, use_peft: true,
    reward_funcs: ['accuracy', 'format', { name: 'python', file: 'my_rewards.py', function: 'length' }] }, []],
  'trl_sft.sh': ['TRL', { stages: [{ stage: 'sft' }], per_device_train_batch_size: 16, eval_steps: 100 }, []],
  'verl_gsm8k.sh': ['verl', { num_generations: 5, generation_batch_size: 5120, per_device_train_batch_size: 5, gradient_accumulation_steps: 256,
    beta: 0.001, objective: 'dual-clip', weight_decay: 0.01, num_train_epochs: 15, overlong_prompts: 'drop' }, []],
  'verl_lora.sh': ['verl', { use_peft: true, lora_r: 64, lora_alpha: 32, data_files: 'data/gsm8k/train.parquet', generation_batch_size: 80,
    max_steps: 100, eval_strategy: 'no', num_generations_eval: 8, eval_temperature: 0.6,
    reward_funcs: [{ name: 'python', file: 'my_score.py', function: 'compute_score', signature: 'verl' }] }, ['data.shuffle']],
  'verl_dapo.sh': ['verl', { epsilon: 0.2, epsilon_high: 0.28, dual_clip: 10, aggregation: 'token-mean', dynamic_sampling: 'refill',
    max_prompt_length: 2048, lr_scheduler_type: 'constant_with_warmup', warmup_steps: 10,
    task: { name: 'dataset', train: 'dapo-math-17k.parquet', held_out: 'aime-2024.parquet', prompt: 'prompt' } }, ['data.truncation']],
  'verl_ppo.yaml': ['verl', { epsilon: 0.2, adam_beta2: 0.95, report_to: ['tensorboard'], lr_scheduler_type: 'cosine', num_generations: 1,
    advantage_estimator: { name: 'gae', gamma: 1, lam: 0.95 }, loss_terms: [{ name: 'value-loss', cliprange_value: 0.5 }] },
    ['trainer.default_local_dir']],
  'verl_rloo.yaml': ['verl', { advantage_estimator: 'rloo', importance_sampling_level: 'sequence_token', objective: 'ppo-clip', aggregation: 'seq-sum',
    credit_steps: [{ name: 'kl-reward', kl_reward_coef: 0.002 }], top_p: 0.95, max_steps: 120 }, []],
  'tinyzero.sh': ['verl', { model_name_or_path: 'Qwen/Qwen2.5-3B', output_dir: 'runs/countdown-qwen2.5-3b', num_generations: 8,
    data_files: { train: 'data/countdown/train.parquet', test: 'data/countdown/test.parquet' } },
    []],
  'axolotl_grpo.yaml': ['axolotl', { dataset_name: 'openai/gsm8k', lora_target_modules: 'all-linear', max_prompt_length: 256, num_generations: 4,
    reward_funcs: [{ name: 'python', file: 'rewards.py', function: 'rand_reward_func' },
      { name: 'python', file: 'rewards/gsm8k.py', function: 'format_reward' }] }, []],
  'axolotl_lora.yml': ['axolotl', { stages: [{ stage: 'sft' }], per_device_train_batch_size: 4, warmup_steps: 0.1,
    task: { name: 'dataset', train: 'data/chats.jsonl', held_out: 0.1 } }, ['evals_per_epoch']],
  'axolotl_qlora.yml': ['axolotl', { load_in_4bit: true, use_peft: true, learning_rate: 2e-4, num_train_epochs: 3 },
    ['train_on_inputs', 'neftune_noise_alpha']],
  'axolotl_dpo.yml': ['axolotl', { lora_r: 16, beta: 0.1 }, ['rl']],
  'unsloth_grpo.py': ['unsloth', { model_name_or_path: 'unsloth/Qwen2.5-3B-Instruct', load_in_4bit: true, lora_r: 64, lora_target_modules: 'all-linear',
    max_completion_length: 768, seed: 3407, warmup_steps: 0.1,
    reward_funcs: ['format', { name: 'python', file: 'rewards.py', function: 'int_reward_func' }, 'accuracy'] }, []],
  'unsloth_sft.ipynb': ['unsloth', { stages: [{ stage: 'sft' }], per_device_train_batch_size: 8, dataset_name: 'mlabonne/FineTome-100k',
    lora_target_modules: ['q_proj', 'v_proj'], max_steps: 60 }, []],
};

it('each example is in the table', () => {
  expect(readdirSync(new URL('foreign/', HERE)).sort()).toEqual(Object.keys(FILES).sort());
});

describe.each(Object.entries(FILES))('%s', (file, [trainer, ours, refused]) => {
  it('becomes a config that the schema takes, and every key is answered', async () => {
    const { trainer: whose, keys, text, toDo } = await imported(file);
    expect(whose).toBe(trainer);
    expect(parse(text)).toMatchObject(ours);
    expect(keys.filter(({ became }) => became === 'refused').map(({ path }) => path)).toEqual(refused);
    for (const { path, became, why, ours: own, line } of keys) {
      const written = textOf(file).split('\n')[line - 1] ?? '';
      const isThere =
        file.endsWith('.ipynb') ||
        written.includes(path.replace(/^.*\./, '')) ||
        /load_dataset|LoraConfig|from_pretrained|model=/.test(written);
      expect(isThere, `${path} in line ${line}`).toBe(true);
      if (became === 'refused') expect(why, path).toMatch(/; /);
      else if (became === 'no meaning' || became === 'computed') expect(why, path).not.toBe('');
      else expect(Object.keys(own), path).toHaveLength(1);
    }
    const registries = await zooLibrary.naming(text);
    const { config } = parseConfig(text, { file, registries });
    expect(config.tasks).toHaveLength(1);
    expect(toDo.every((line) => /: |, /.test(line))).toBe(true);
  });
});

describe('a key that its trainer has', () => {
  const all = JSON.parse(readFileSync(new URL('foreign_keys.json', HERE), 'utf8')); // of make_foreign_keys.py
  const trl = JSON.parse(readFileSync(new URL('../../../../test/golden/trl_keys.json', HERE), 'utf8'));
  const others = Object.values(trl.others as Record<string, object>).flatMap(Object.keys);
  const named: readonly (readonly [string, readonly string[]])[] = [
    ...['verl', 'axolotl', 'unsloth'].map((name) => [name, all[name]] as const),
    ['trl', [...Object.keys(trl.defaults), ...trl.local, ...others]],
  ];

  it.each(named)('of %s is known', (trainer, keys) => {
    const unknown = keys.filter(
      (path) => fateOf({ map: MAPS[trainer], isSupervised: false }, path, () => true) === undefined,
    );
    expect(unknown).toEqual([]);
    expect(keys.length).toBeGreaterThan(30);
  });
});

describe('what is read of a script', () => {
  const keysOf = (file: string, text: string) =>
    Object.fromEntries(readForeign(text, file).keys.map(({ path, value }) => [path, value]));

  it('are literals, names of them, and sums; nothing else', () => {
    const text = `
from trl import GRPOConfig
N = 4
PATH = 'runs/' + "a"  # a comment, with = and (
args = GRPOConfig(
    output_dir=PATH, num_generations=N * 2, beta=-1e-3, seed=1_000, temperature=(0.5),
    reward_weights=[1.0, .5,], lr_scheduler_kwargs={"min_lr_rate": 0.1}, run_name='''x
y''', bf16=True, max_steps=len(rows), learning_rate=LR,
)`;
    const { max_steps, learning_rate, ...plain } = keysOf('a.py', text);
    expect(plain).toEqual({
      output_dir: 'runs/a',
      num_generations: 8,
      beta: -0.001,
      seed: 1000,
      temperature: 0.5,
      reward_weights: [1, 0.5],
      lr_scheduler_kwargs: { min_lr_rate: 0.1 },
      run_name: 'x\ny',
      bf16: true,
    });
    expect([max_steps, learning_rate]).toMatchObject([{ source: 'len(rows)' }, { source: 'LR' }]);
  });

  it('finds configs in lists and calls, and the end of one that is not closed', () => {
    expect(keysOf('a.py', 'all = [\n  GRPOConfig(beta=0.1),\n  run(GRPOConfig(seed=3), x)\n]')).toEqual({
      beta: 0.1,
      seed: 3,
    });
    expect(keysOf('a.py', 'a = GRPOConfig(beta=0.1, seed=4 ]')).toEqual({ beta: 0.1, seed: 4 });
    expect(keysOf('a.sh', `trl grpo --seed 3 --run_name "it`)).toMatchObject({ seed: 3 });
  });

  it('follows variables of a shell, quotes, and lists of flags', () => {
    const text = `N=3\nexport OUT="runs/my run"\ntrl grpo --seed $N \\\n  --output_dir "$OUT" --reward_weights 1 0.5 --bf16 # --seed 9\n`;
    expect(keysOf('a.sh', text)).toEqual({
      seed: 3,
      output_dir: 'runs/my run',
      reward_weights: ['1', '0.5'],
      bf16: true,
    });
  });

  it('follows anchors, and takes numbers that PyYAML reads as texts', () => {
    expect(keysOf('a.yaml', 'x: &rate 1e-5\nlearning_rate: *rate\nseed: 1\nseed: 2\n')).toMatchObject({
      learning_rate: 1e-5,
      seed: 2,
    });
  });
});

it('whatever is cut out of a file, put into it or moved, it is read or refused in words', async () => {
  const random = rngFor('imported');
  for (let draw = 0; draw < budget({ quick: 40, all: 400 }); draw++) {
    const file = Object.keys(FILES)[random.int(0, Object.keys(FILES).length - 1)];
    let text = textOf(file);
    for (let change = random.int(1, 6); change > 0; change--) {
      const [at, other] = [random.int(0, text.length), random.int(0, text.length)];
      const put = [text.slice(other, other + 40), '()[]{},:="\'\\$#\n &*!%@`'[random.int(0, 22)], ''][random.int(0, 2)];
      text = text.slice(0, at) + put + text.slice(put === '' ? at + random.int(1, 30) : at);
    }
    await imported(file, text).catch((error) => expect(RlvrError.is(error), `${error.stack}\n${text}`).toBe(true));
  }
});

describe('is refused', () => {
  it.each([
    ['a.py', 'from trl import RewardConfig\nargs = RewardConfig(max_length=9)', /^a\.py {2}is a training by Reward/],
    ['a.py', 'print(1)', /^a\.py {2}holds no key of a training/],
    ['a.yaml', '- a\n- b', /^a\.yaml:1 {2}not YAML — not a mapping of keys/],
    ['a.yaml', 'a: [1', /^a\.yaml:\d {2}not YAML — /],
    ['a.ipynb', 'x', /^a\.ipynb {2}is no notebook/],
  ])('%s: %s', (file, text, message) => {
    expect(() => readForeign(text, file)).toThrow(message);
  });
});

describe('a key of another trainer in a config of ours', () => {
  it.each([
    ['kl_loss_coef: 0.001', "verl's name of beta"],
    ['rollout.n: 8', "verl's name of num_generations"],
    ['actor_rollout_ref.actor.ppo_epochs: 2', "verl's name of num_iterations; use num_iterations"],
    ['ppo_micro_batch_size_per_gpu: 4', 'a key of verl: the memory plan finds the micro-batch; leave it out'],
    ['peft_use_dora: true', "axolotl's name of use_dora; use use_dora"],
    ['val_set_size: 0.1', 'a key of axolotl: the share that is held out'],
    ['flash_attention: true', 'a key of axolotl: there is one attention kernel'],
    ['use_exact_model_name: true', 'unknown key'],
    ['vllm: {port: 1}', 'a section of axolotl; run `rlvr-train import` on that file'],
  ])('%s', async (line, words) => {
    const text = `task: sort_digits\nmax_steps: 10\n${line}\n`;
    const registries = await EVERYTHING.library.naming(text);
    expect(() => parseConfig(text, { file: 'c.yaml', registries })).toThrow(words);
  });
});
