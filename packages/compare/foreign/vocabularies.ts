/**
 * What other trainers call the figures that the diagnostics read.
 *
 * @see "Logged metrics" in TRL's pages of its GRPO and SFT trainers; metric_utils.py and core_algos.py of verl
 */

/** A figure of a log entry. Lengths in tokens, entropy and KL in nats a token, times in seconds. */
export type Figure =
  | 'reward'
  | 'lowest'
  | 'highest'
  | 'dead'
  | 'entropy'
  | 'meanLength'
  | 'longest'
  | 'truncated'
  | 'loss'
  | 'gradNorm'
  | 'learningRate'
  | 'clippedLow'
  | 'clippedHigh'
  | 'clipped'
  | 'kl'
  | 'moved'
  | 'stepSeconds'
  | 'verifySeconds'
  | 'promptLength'
  | 'tokens';

export interface Vocabulary {
  readonly trainer: string;
  /** Names of each figure; the first that is there counts. */
  readonly names: Readonly<Partial<Record<Figure, readonly string[]>>>;
  /** What it calls the settings that messages here name; absent: as they are called here. */
  readonly settings: Readonly<Record<string, string>>;
}

const TRL: Vocabulary = {
  trainer: 'TRL',
  names: {
    reward: ['reward'],
    dead: ['frac_reward_zero_std'],
    entropy: ['entropy'],
    meanLength: ['completions/mean_length', 'completion_length'],
    longest: ['completions/max_length'],
    truncated: ['completions/clipped_ratio'],
    loss: ['loss'],
    gradNorm: ['grad_norm'],
    learningRate: ['learning_rate'],
    clipped: ['clip_ratio/region_mean', 'clip_ratio'],
    kl: ['kl'],
    stepSeconds: ['step_time'],
  },
  settings: {},
};

const VERL: Vocabulary = {
  trainer: 'verl',
  names: {
    reward: ['critic/score/mean', 'critic/rewards/mean'],
    lowest: ['critic/score/min', 'critic/rewards/min'],
    highest: ['critic/score/max', 'critic/rewards/max'],
    entropy: ['actor/entropy', 'actor/entropy_loss'],
    meanLength: ['response_length/mean'],
    longest: ['response_length/max'],
    truncated: ['response_length/clip_ratio'],
    loss: ['actor/pg_loss', 'train/loss'],
    gradNorm: ['actor/grad_norm', 'train/grad_norm'],
    learningRate: ['actor/lr', 'train/lr'],
    clippedHigh: ['actor/pg_clipfrac'],
    clippedLow: ['actor/pg_clipfrac_lower'],
    kl: ['actor/kl_loss'],
    // Mean, not absolute, so that it says at least how far the policy has moved.
    moved: ['actor/ppo_kl'],
    stepSeconds: ['timing_s/step', 'perf/time_per_step'],
    verifySeconds: ['timing_s/reward'],
    promptLength: ['prompt_length/mean'],
    tokens: ['perf/total_num_tokens'],
  },
  settings: {
    learning_rate: 'actor_rollout_ref.actor.optim.lr',
    warmup_steps: 'actor_rollout_ref.actor.optim.lr_warmup_steps',
    max_grad_norm: 'actor_rollout_ref.actor.grad_clip',
    num_generations: 'actor_rollout_ref.rollout.n',
    temperature: 'actor_rollout_ref.rollout.temperature',
    entropy_coef: 'actor_rollout_ref.actor.entropy_coeff',
    epsilon: 'actor_rollout_ref.actor.clip_ratio',
    beta: 'actor_rollout_ref.actor.kl_loss_coef',
    num_iterations: 'actor_rollout_ref.actor.ppo_epochs',
    max_completion_length: 'data.max_response_length',
    generation_batch_size: 'data.train_batch_size × rollout.n',
    max_steps: 'trainer.total_training_steps',
    reward_funcs: 'custom_reward_function',
    dynamic_sampling: 'algorithm.filter_groups',
  },
};

const VOCABULARIES: readonly Vocabulary[] = [VERL, TRL];

/** The one that knows most of the names; undefined where none knows a figure that says how training goes. */
export function vocabularyOf(names: ReadonlySet<string>): Vocabulary | undefined {
  const known = (vocabulary: Vocabulary): number =>
    Object.values(vocabulary.names).filter((own) => own.some((name) => names.has(name))).length;
  const best = VOCABULARIES.reduce((most, one) => (known(one) > known(most) ? one : most));
  const needed = [...(best.names.reward ?? []), ...(best.names.loss ?? [])];
  return needed.some((name) => names.has(name)) ? best : undefined;
}
