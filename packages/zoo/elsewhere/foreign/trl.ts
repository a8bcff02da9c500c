/** Keys of TRL whose value is worked out here; the others are ours too, or in `trl_keys.ts`. */
import { isTopLevelKey } from '../../../../src/config/run_config.ts';
import { UNSUPPORTED_TRL_KEYS } from '../trl_keys.ts';
import { computed, each, type Fate, type ForeignMap, kept, none, refused, renamed } from './fate.ts';
import {
  BY_TIME,
  checkpointing,
  NO_UPLOAD,
  NO_WANDB,
  noDropout,
  ONE_ENGINE,
  ONE_PROCESS,
  rows,
  targets,
} from './shared.ts';

/** Keys that change what is learned, so that leaving them out is a decision. */
const DECISIVE = [
  'label_smoothing_factor', 'neftune_noise_alpha', 'optim_args', 'optim_target_modules',
  'lora_modules_to_save', 'lora_target_parameters', 'assistant_only_loss', 'completion_only_loss',
  'shuffle_dataset', 'lora_task_type',
]; // biome-ignore format: a table

/** What becomes of a key of TRL's that no map has; undefined: TRL has none of that name. */
export function trlFate(name: string): Fate | undefined {
  if (isTopLevelKey(name)) return kept;
  if (!Object.hasOwn(UNSUPPORTED_TRL_KEYS, name)) return undefined;
  const { because, agrees, isHarmless } = UNSUPPORTED_TRL_KEYS[name];
  const [rule = '', remedy = ''] = because.split('; ');
  const isIdle = isHarmless || (remedy === 'leave it out' && !DECISIVE.includes(name));
  return isIdle ? none(rule) : refused(because, ...agrees);
}

/** Optimizers of transformers and bitsandbytes that are AdamW, however their moments are kept, or Muon. */
export const optimizer: Fate = computed('the optimizer is AdamW, with moments in float32', (value) => {
  if (value === 'muon') return { optim: value };
  return /adam_?w|^adamw?$|paged_adam/i.test(String(value))
    ? {}
    : 'the optimizer is AdamW or Muon; leave it out, and try another rate';
});

/** A type for weights. */
export const weightsType: Fate = computed(
  'weights that are trained are float32; frozen ones beside an adapter are kept by dtype',
  (value, all) => {
    const name = String(value).replace(/^torch\./, '');
    const isFrozen = all.get('use_peft') === true;
    return isFrozen && ['bfloat16', 'float16', 'float32'].includes(name) ? { dtype: name } : {};
  },
);

/** A length, where -1 is none. */
export const steps: Fate = computed('-1 is not given', (value) => (Number(value) > 0 ? { max_steps: value } : {}));

/** A message before each problem. */
export const systemPrompt: Fate = computed('the system message belongs to the task', (value) => ({
  'task.system': value,
}));

const TEACHER = 'teacher_model_name_or_path';
/** Keys that GKDConfig has, and DistillationConfig has not. */
const OF_GKD = ['lmbda', 'seq_kd', 'max_new_tokens'];

/** The loss of a distillation is the divergence alone, on the policy's own samples. */
const teacherModel: Fate = computed('the whole loss is the divergence from models.teacher', (value, all) => {
  const isGkd = OF_GKD.some((name) => all.has(name));
  const beta = all.get('beta') ?? (isGkd ? 0.5 : 1);
  const revision = all.get('teacher_model_revision');
  const path = typeof revision === 'string' && revision !== 'main' ? `${value}@${revision}` : value;
  return {
    models: { teacher: { path } },
    objective: 'terms-only',
    loss_terms: [{ name: 'teacher-kl', teacher_beta: beta }],
    ...(isGkd && !all.has('learning_rate') && { learning_rate: 2e-5 }),
    ...(isGkd && !all.has('temperature') && { temperature: 0.9 }),
    ...(isGkd && !all.has('max_new_tokens') && { max_completion_length: 128 }),
  };
});

const OF_TEACHER: Readonly<Record<string, Fate>> = {
  [TEACHER]: teacherModel,
  beta: computed('it is teacher_beta of teacher-kl beside a teacher', (value, all) =>
    all.has(TEACHER) ? {} : { beta: value },
  ),
  teacher_model_revision: computed('it is part of the name', () => ({})),
  teacher_model_init_kwargs: none('the teacher is read as its folder says'),
  lmbda: computed('completions are the own ones of the policy, always', (value) =>
    Number(value) === 1
      ? {}
      : 'only completions of the policy are distilled (lmbda 1); leave it out, or begin with an sft stage on the rest',
  ),
  seq_kd: refused(
    'the teacher writes nothing here; leave it out, or begin with an sft stage on its completions',
    false,
  ),
  max_new_tokens: renamed('max_completion_length'),
};

const OPEN_R1_SCRIPT = 'open-r1 has it; ';

export const TRL: ForeignMap = {
  trainer: 'TRL',
  source:
    'trl 1.16.0 (GRPOConfig, SFTConfig, DistillationConfig, GKDConfig, ModelConfig, GRPOScriptArguments), and configs of open-r1 and mini-R1',
  isTrl: true,
  defaults: {},
  keys: {
    ...OF_TEACHER,
    max_steps: steps,
    top_k: computed('-1 is off, which is 0 here', (value) => (Number(value) > 0 ? { top_k: value } : {})),
    dataset_name: rows(),
    dataset_id_or_path: rows(),
    dataset_splits: renamed('dataset_train_split'),
    dataset_prompt_column: renamed('task.prompt'),
    dataset_mixture: refused(
      'several data sets in one are several tasks; name each under tasks: with its weight',
      null,
    ),
    system_prompt: systemPrompt,
    run_name: computed('a run is named by its directory', (value, all) =>
      all.has('output_dir') || typeof value !== 'string'
        ? {}
        : { output_dir: `runs/${value.replace(/[^\w.-]+/g, '-')}` },
    ),
    optim: optimizer,
    dtype: weightsType,
    torch_dtype: weightsType,
    lora_target_modules: targets,
    lora_dropout: noDropout,
    gradient_checkpointing: checkpointing,
    load_in_4bit: kept,
    warmup_ratio: renamed('warmup_steps'),
    ...each(BY_TIME, 'save_strategy', 'save_steps'),
    eval_strategy: computed('evaluations are by steps', (value) =>
      value === 'epoch' ? 'evaluations are by optimizer steps; use eval_steps' : { eval_strategy: value },
    ),
    max_seq_length: computed('nothing is cut; prompts have a limit of their own', () => ({})),
    model_revision: computed('it is part of the name', (value, all) => {
      const model = all.get('model_name_or_path');
      if (value === null || value === 'main' || typeof model !== 'string') return {};
      return { model_name_or_path: `${model}@${value}` };
    }),
    save_total_limit: kept,
    ...each(ONE_ENGINE, 'vllm_device', 'vllm_dtype', 'vllm_max_model_len', 'vllm_guided_decoding_regex', 'use_vllm'),
    ...each(NO_UPLOAD, 'hub_model_revision', 'overwrite_hub_revision', 'push_to_hub_revision'),
    ...each(NO_WANDB, 'wandb_entity', 'wandb_project', 'wandb_run_group', 'wandb_log_unique_prompts'),
    ...each(none('`rlvr-train eval` evaluates a finished run'), 'benchmarks', 'callbacks'),
    ...each(
      none('it is part of a reward'),
      'cosine_min_value_wrong',
      'cosine_max_value_wrong',
      'cosine_min_value_correct',
      'cosine_max_value_correct',
      'cosine_max_len',
      'repetition_n_grams',
      'repetition_max_penalty',
      'max_completion_len',
      'soft_punish_cache',
    ),
    ...each(
      refused(`${OPEN_R1_SCRIPT}programs are judged by a task; see docs/sandboxes.md`, null),
      'code_language',
      'code_eval_test_batch_size',
      'code_provider',
      'e2b_router_url',
      'morph_router_url',
      'ioi_provider',
      'parallel_code_exec_per_proc',
      'code_eval_scoring_mode',
    ),
    overwrite_output_dir: none('a run never overwrites another'),
    tokenizer_name_or_path: none("the model's own tokenizer is read"),
    chat_template: none("the model's own chat template is read"),
    gradient_checkpointing_kwargs: none('whole layers are computed again'),
    model_init_kwargs: computed('the model is read as its folder says', (value) => {
      const IDLE = ['dtype', 'torch_dtype', 'attn_implementation', 'use_cache', 'device_map', 'trust_remote_code'];
      const other = Object.keys(value ?? {}).find((name) => !IDLE.includes(name));
      return other === undefined ? {} : `${other} has no key; leave it out`;
    }),
    max_length: computed(
      'nothing is cut; longer prompts are an error, or left out by overlong_prompts: drop',
      () => ({}),
    ),
    num_processes: ONE_PROCESS,
    ddp_timeout: ONE_PROCESS,
    max_completion_length: kept,
  },
};
