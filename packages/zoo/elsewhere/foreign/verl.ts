/** Keys of verl's PPO trainer, which are set in YAML or on its command line. */
import type { Json } from '../../../../src/options/json.ts';
import {
  type Computed,
  computed,
  each,
  type Fate,
  type ForeignMap,
  type ForeignValues,
  none,
  positive,
  refused,
  renamed,
  switched,
} from './fate.ts';
import {
  checkpointing,
  FLOAT32,
  NO_WANDB,
  ONE_ATTENTION,
  ONE_ENGINE,
  ONE_PROCESS,
  OWN_LOG,
  rowsOf,
  targets,
} from './shared.ts';

const ACTOR = 'actor_rollout_ref.actor';
const OPTIM = `${ACTOR}.optim`;
const ROLLOUT = 'actor_rollout_ref.rollout';
const MODEL = 'actor_rollout_ref.model';

const numberOf = (all: ForeignValues, path: string, otherwise: number): number => {
  const value = all.get(path);
  return typeof value === 'number' ? value : otherwise;
};

/** PPO with a critic: its head is on the policy's own trunk here. */
const hasCritic = (all: ForeignValues): boolean => all.get('algorithm.adv_estimator') === 'gae';

function critic(_: Json, all: ForeignValues): Computed {
  return {
    advantage_estimator: {
      name: 'gae',
      gamma: numberOf(all, 'algorithm.gamma', 1),
      lam: numberOf(all, 'algorithm.lam', 1),
    },
    loss_terms: [{ name: 'value-loss', cliprange_value: numberOf(all, 'critic.cliprange_value', 0.5) }],
  };
}

const ofCritic = (says: string, without: Computed): Fate =>
  computed(says, (value, all) => (hasCritic(all) || value === 1 ? {} : without), 'advantage_estimator');

/** Prompts of a batch, and of an optimizer step, times the completions of each. */
function batch(_: Json, all: ForeignValues): Computed {
  const samples = numberOf(all, `${ROLLOUT}.n`, 1);
  const prompts = numberOf(all, 'data.train_batch_size', 1024);
  const step = Math.min(prompts, numberOf(all, `${ACTOR}.ppo_mini_batch_size`, 256));
  if (samples < 2 && !hasCritic(all)) {
    return 'a group of one has no advantage; set actor_rollout_ref.rollout.n to 2 or more';
  }
  const one = { num_generations: samples, generation_batch_size: prompts * samples };
  if (step === prompts) return one;
  return { ...one, per_device_train_batch_size: samples, gradient_accumulation_steps: step };
}

const inBatch = (mostly: string): Fate =>
  computed('a batch is counted in completions: prompts × rollout.n; a mini-batch in groups', batch, mostly);

const ESTIMATORS: Readonly<Record<string, Json>> = {
  grpo: 'group',
  grpo_vectorized: 'group',
  rloo: 'rloo',
  rloo_vectorized: 'rloo',
  reinforce_plus_plus: 'reinforce-pp',
  reinforce_plus_plus_baseline: 'reinforce-pp',
  remax: 'greedy',
};

/** By `loss_agg_mode`. */
const AGGREGATIONS: Readonly<Record<string, string>> = {
  'token-mean': 'token-mean',
  'seq-mean-token-sum': 'seq-sum',
  'seq-mean-token-mean': 'seq-mean',
  'seq-mean-token-sum-norm': 'const-norm',
  'token-sum': 'token-sum',
};

/** By `policy_loss.loss_mode`. */
const LOSSES: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  vanilla: {},
  gspo: { importance_sampling_level: 'sequence_token', objective: 'ppo-clip' },
  cispo: { objective: { name: 'cispo', epsilon_high: 1.2, cispo_min: 0.8 } },
  dppo_tv: { objective: 'dppo-tv' },
  geo_mean: { objective: { name: 'gmpo', log_epsilon: 0.2, log_epsilon_high: 0.2 } },
  gpg: { objective: 'reinforce' },
  dro: { objective: 'sq-log-ratio' },
  clip_cov: { token_weights: ['clip-cov'] },
  kl_cov: { loss_terms: ['kl-cov'] },
};

/** A choice of a table, or what there is instead. */
function chosen<T extends Json | object>(table: Readonly<Record<string, T>>, value: Json): T | string {
  const name = String(value);
  if (Object.hasOwn(table, name)) return table[name];
  return `not in verl's list that is known here; use ${Object.keys(table).join(', ')}`;
}

/** verl gives a reward per answer: `compute_score(data_source, solution_str, ground_truth, extra_info)`. */
function ownReward(section: string) {
  return computed('a Python function in a file of its own, called as verl calls it', (value, all) => {
    if (value === null) return {};
    const name = all.get(`${section}.name`) ?? 'compute_score';
    return { reward_funcs: [{ name: 'python', file: value, function: name, signature: 'verl' }] };
  });
}

const OWN_REWARD = ['custom_reward_function', 'reward.custom_reward_function'];

export const VERL: ForeignMap = {
  trainer: 'verl',
  source: 'verl 0.9.1 (trainer/config/_generated_ppo_trainer.yaml), and its examples of GRPO',
  defaults: { objective: 'dual-clip', weight_decay: 0.01, num_train_epochs: 30, lr_scheduler_type: 'constant' },
  keys: {
    'data.train_files': computed('rows are files', (value) => rowsOf(value), 'data_files'),
    'data.val_files': computed('held-out rows are files', (value) => {
      const read = rowsOf(value);
      return typeof read === 'string' ? read : { 'data_files.test': read.data_files };
    }),
    'data.train_batch_size': inBatch('generation_batch_size'),
    [`${ROLLOUT}.n`]: inBatch('num_generations'),
    [`${ACTOR}.ppo_mini_batch_size`]: inBatch('gradient_accumulation_steps'),
    'data.max_prompt_length': renamed('max_prompt_length'),
    'data.max_response_length': renamed('max_completion_length'),
    'data.prompt_key': computed('the column of the prompt', (value) => ({ 'task.prompt': value })),
    'data.filter_overlong_prompts': switched('longer prompts are left out', { overlong_prompts: 'drop' }),
    'data.truncation': refused('no prompt is cut; use overlong_prompts: drop', 'error'),
    'data.seed': renamed('seed'),
    'data.shuffle': refused('rows are asked in shuffled order, always; leave it out', true),
    'data.custom_cls.*': refused('rows are read from files as they are; write them out as JSON Lines', null),
    'data.reward_fn_key': none('one reward is for all rows; it may read the column'),
    'data.apply_chat_template_kwargs': renamed('chat_template_kwargs'),
    'data.return_raw_chat': none("messages of a row are rendered by the model's own template"),
    'data.val_batch_size': none('evaluation takes what fits'),
    'data.image_key': none('prompts are text'),
    'data.video_key': none('prompts are text'),
    'data.audio_key': none('prompts are text'),
    'data.train_max_samples': refused('a share of the rows has no key; cut the file', -1, null),
    'data.val_max_samples': positive('held-out problems that are asked', 'eval_samples'),
    'data.*': none('rows are read once, by one process'),

    [`${MODEL}.path`]: renamed('model_name_or_path'),
    [`${MODEL}.lora_rank`]: computed(
      '0 is no adapter',
      (value) => (Number(value) > 0 ? { use_peft: true, lora_r: value } : {}),
      'lora_r',
    ),
    [`${MODEL}.lora_alpha`]: computed('means something beside an adapter alone', (value, all) =>
      numberOf(all, `${MODEL}.lora_rank`, 0) > 0 ? { lora_alpha: value } : {},
    ),
    [`${MODEL}.target_modules`]: computed('means something beside an adapter alone', (value, all) =>
      numberOf(all, `${MODEL}.lora_rank`, 0) > 0 && targets.kind === 'computed' ? targets.of(value, all) : {},
    ),
    [`${MODEL}.lora_adapter_path`]: renamed('adapter_name_or_path'),
    [`${MODEL}.enable_gradient_checkpointing`]: checkpointing,
    [`${MODEL}.use_remove_padding`]: ONE_ATTENTION,
    [`${MODEL}.custom_chat_template`]: refused(
      "the model's own chat template is read; put it into its tokenizer_config.json",
      null,
    ),
    [`${MODEL}.*`]: none('the model is read as its folder says, in one process'),

    [`${ACTOR}.ppo_micro_batch_size`]: none('the memory plan finds the micro-batch'),
    [`${ACTOR}.ppo_micro_batch_size_per_gpu`]: none('the memory plan finds the micro-batch'),
    [`${ACTOR}.ppo_epochs`]: renamed('num_iterations'),
    [`${ACTOR}.clip_ratio`]: renamed('epsilon'),
    [`${ACTOR}.clip_ratio_low`]: renamed('epsilon'),
    [`${ACTOR}.clip_ratio_high`]: renamed('epsilon_high'),
    [`${ACTOR}.clip_ratio_c`]: computed('the bound of dual-clip', (value) => ({ dual_clip: value }), 'dual_clip'),
    [`${ACTOR}.entropy_coeff`]: renamed('entropy_coef'),
    [`${ACTOR}.loss_agg_mode`]: computed(
      'the weight of a token in the loss',
      (value) => {
        const aggregation = chosen(AGGREGATIONS, value);
        return AGGREGATIONS[String(value)] === undefined ? aggregation : { aggregation };
      },
      'aggregation',
    ),
    [`${ACTOR}.loss_scale_factor`]: none('const-norm divides by max_completion_length'),
    [`${ACTOR}.policy_loss.loss_mode`]: computed('the objective', (value) => chosen(LOSSES, value), 'objective'),
    [`${ACTOR}.policy_loss.*`]: none('an option of a loss_mode; `rlvr-train explain objective` has ours'),
    [`${ACTOR}.use_kl_loss`]: computed('beta is 0 where it is off', (value, all) =>
      value === true && !all.has(`${ACTOR}.kl_loss_coef`) ? { beta: 0.001 } : {},
    ),
    [`${ACTOR}.kl_loss_coef`]: computed(
      'beta, where use_kl_loss is on',
      (value, all) => (all.get(`${ACTOR}.use_kl_loss`) === true ? { beta: value } : {}),
      'beta',
    ),
    [`${ACTOR}.kl_loss_type`]: computed('the estimator of the KL', (value) => {
      const estimator = { low_var_kl: 'k3', k3: 'k3', mse: 'k2', k2: 'k2', 'low_var_kl+': 'k3+', 'k3+': 'k3+' }[
        String(value)
      ];
      if (estimator === undefined)
        return 'that estimator has no gradient as a loss; use low_var_kl, which is kl_estimator: k3';
      return estimator === 'k3' ? {} : { kl_estimator: estimator };
    }),
    [`${ACTOR}.grad_clip`]: renamed('max_grad_norm'),
    [`${ACTOR}.shuffle`]: none('groups of a batch are trained on in the order in which they were asked'),
    [`${ACTOR}.*`]: none('one process trains, and the memory plan says what is kept'),
    [`${OPTIM}.lr`]: renamed('learning_rate'),
    [`${OPTIM}.lr_warmup_steps`]: positive('-1 is not given', 'warmup_steps'),
    [`${OPTIM}.lr_warmup_steps_ratio`]: positive('a fraction below 1 counts in parts of the stage', 'warmup_steps'),
    [`${OPTIM}.total_training_steps`]: positive('-1 is not given', 'max_steps'),
    [`${OPTIM}.weight_decay`]: renamed('weight_decay'),
    [`${OPTIM}.betas`]: computed('two keys here', (value) =>
      Array.isArray(value)
        ? { adam_beta1: value[0], adam_beta2: value[1] }
        : 'two numbers; use adam_beta1 and adam_beta2',
    ),
    [`${OPTIM}.clip_grad`]: renamed('max_grad_norm'),
    [`${OPTIM}.min_lr_ratio`]: computed('the last learning rate as a fraction of the first', (value, all) =>
      value !== null && all.get(`${OPTIM}.lr_scheduler_type`) === 'cosine'
        ? { 'lr_scheduler_kwargs.min_lr_rate': value }
        : {},
    ),
    ...each(
      computed('a constant rate with a warm-up has another name', (value, all) => {
        if (value === null) return {};
        const isWarm =
          numberOf(all, `${OPTIM}.lr_warmup_steps`, 0) > 0 || numberOf(all, `${OPTIM}.lr_warmup_steps_ratio`, 0) > 0;
        return { lr_scheduler_type: value === 'constant' && isWarm ? 'constant_with_warmup' : value };
      }),
      `${OPTIM}.lr_scheduler_type`,
      `${OPTIM}.warmup_style`,
    ),
    [`${OPTIM}.optimizer`]: refused('the optimizer is AdamW unless optim says muon; leave it out', 'AdamW'),
    [`${OPTIM}.*`]: none('the moments are float32, and AdamW has no further options'),

    'actor_rollout_ref.ref.*': none('the reference is scored by the same engine'),
    'actor_rollout_ref.hybrid_engine': none('one engine samples and trains, always'),
    'actor_rollout_ref.nccl_timeout': ONE_PROCESS,
    [`${ROLLOUT}.temperature`]: renamed('temperature'),
    [`${ROLLOUT}.top_p`]: renamed('top_p'),
    [`${ROLLOUT}.top_k`]: positive('-1 is off, which is 0 here', 'top_k'),
    [`${ROLLOUT}.do_sample`]: refused('a greedy group has no spread and so no advantage; leave it out', true),
    [`${ROLLOUT}.val_kwargs.temperature`]: positive(
      'the greedy answer is always evaluated; this is for the sampled ones',
      'eval_temperature',
    ),
    [`${ROLLOUT}.val_kwargs.n`]: renamed('num_generations_eval'),
    [`${ROLLOUT}.val_kwargs.*`]: none('evaluations sample from the whole vocabulary'),
    [`${ROLLOUT}.multi_turn.enable`]: refused('turns belong to a task; see docs/environments.md', false),
    [`${ROLLOUT}.multi_turn.*`]: none('turns belong to a task (docs/environments.md)'),
    [`${ROLLOUT}.prompt_length`]: none('data.max_prompt_length says it'),
    [`${ROLLOUT}.response_length`]: none('data.max_response_length says it'),
    [`${ROLLOUT}.dtype`]: FLOAT32,
    [`${ROLLOUT}.*`]: ONE_ENGINE,

    'algorithm.adv_estimator': computed(
      'the advantage estimator',
      (value, all) => {
        if (value === 'gae') return critic(value, all);
        const estimator = chosen(ESTIMATORS, value);
        if (!Object.hasOwn(ESTIMATORS, String(value))) return String(estimator);
        return estimator === 'group' ? {} : { advantage_estimator: estimator };
      },
      'advantage_estimator',
    ),
    'algorithm.norm_adv_by_std_in_grpo': computed(
      'what divides the advantages',
      (value) => (value === false ? { scale_rewards: 'none' } : {}),
      'scale_rewards',
    ),
    'algorithm.use_kl_in_reward': computed(
      'a credit step takes the KL out of the advantage',
      (value, all) =>
        value === true
          ? { credit_steps: [{ name: 'kl-reward', kl_reward_coef: numberOf(all, 'algorithm.kl_ctrl.kl_coef', 0.001) }] }
          : {},
      'credit_steps',
    ),
    'algorithm.kl_ctrl.kl_coef': computed('its weight, where use_kl_in_reward is on', () => ({})),
    'algorithm.kl_ctrl.type': refused('its weight is a number, or a schedule; use {from: …, to: …}', 'fixed'),
    'algorithm.kl_ctrl.*': none('its weight does not adapt'),
    'algorithm.kl_penalty': none('the distance is the difference of the log-probs'),
    'algorithm.filter_groups.enable': switched('groups without signal are replaced', { dynamic_sampling: 'refill' }),
    'algorithm.filter_groups.*': none('refill has options of its own (`rlvr-train methods show refill`)'),
    'algorithm.gamma': ofCritic('of gae', 'rewards are not discounted; leave it out'),
    'algorithm.lam': ofCritic('of gae', {}),
    'algorithm.rollout_correction.*': none('sampler and trainer are one engine, so nothing is to be corrected'),
    'algorithm.*': refused('verl alone has it; leave it out', false, null),

    'trainer.total_epochs': renamed('num_train_epochs'),
    'trainer.total_training_steps': positive('a number of steps decides', 'max_steps'),
    'trainer.test_freq': computed(
      '-1 is none between start and end',
      (value) => (Number(value) > 0 ? { eval_steps: value } : { eval_strategy: 'no' }),
      'eval_steps',
    ),
    'trainer.experiment_name': computed(
      'a run is named by its directory',
      (value, all) =>
        all.has('trainer.default_local_dir') ? {} : { output_dir: `runs/${String(value).replace(/[^\w.-]+/g, '-')}` },
      'output_dir',
    ),
    'trainer.default_local_dir': renamed('output_dir'),
    'trainer.max_actor_ckpt_to_keep': renamed('save_total_limit'),
    'trainer.logger': computed(
      'trackers beside the run directory',
      (value) => {
        const known = [value].flat().filter((name) => ['tensorboard', 'mlflow', 'trackio'].includes(String(name)));
        return known.length === 0 ? {} : { report_to: known };
      },
      'report_to',
    ),
    'trainer.project_name': NO_WANDB,
    'trainer.save_freq': none('checkpoints are written by time (save_seconds)'),
    'trainer.val_before_train': none('the start is always evaluated'),
    'trainer.log_val_generations': OWN_LOG,
    'trainer.critic_warmup': none('a stage of objective: terms-only teaches the values before the others'),
    'trainer.*': ONE_PROCESS,

    ...Object.fromEntries(OWN_REWARD.map((section) => [`${section}.path`, ownReward(section)])),
    ...each(none('it belongs to the path beside it'), ...OWN_REWARD.map((section) => `${section}.name`)),
    ...each(none('nothing of it is given to the function'), ...OWN_REWARD.map((section) => `${section}.*`)),
    'reward_model.enable': refused('rewards are functions, there are no reward models; use reward_funcs', false, null),
    'reward_model.reward_manager': none('rewards of a batch are asked at once'),
    'reward_model.*': none('rewards are functions'),
    'reward.reward_model.enable': refused('rewards are functions, there are no reward models; use reward_funcs', false),
    'reward.*': none('rewards are functions'),
    'critic.cliprange_value': ofCritic('of value-loss', {}),
    'critic.*': none('the critic is a head on the policy, with a rate of its own (value-loss)'),
    'distillation.enabled': refused('a stage learns from rewards or rows; leave it out', false),
    'distillation.*': none('there is no teacher'),
    'sandbox_fusion.*': none('programs are judged by a task (docs/sandboxes.md)'),
    'ray_kwargs.*': ONE_PROCESS,
    'ray_init.*': ONE_PROCESS,
    'transfer_queue.*': ONE_PROCESS,
    'global_profiler.*': none('`rlvr-train doctor` measures this machine'),
    model_engine: ONE_PROCESS,
    'defaults.*': none("hydra's files of defaults are verl's own"),
    'skip.*': ONE_PROCESS,
    'hydra.*': none("hydra's own"),
  },
};
