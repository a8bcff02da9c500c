/** What other trainers, papers and habits call our keys, and what became of those that are no key here. */

/** By our key: names too far from it for a misspelling. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  learning_rate: ['lr', 'step_size', 'alpha'],
  max_steps: ['steps', 'num_steps', 'total_steps', 'total_training_steps', 'iterations'],
  num_train_epochs: ['epochs', 'num_epochs', 'total_epochs'],
  generation_batch_size: ['batch_size', 'rollout_batch_size', 'train_batch_size'],
  per_device_train_batch_size: ['batch_size', 'train_batch_size', 'micro_batch_size'],
  num_generations: ['group_size', 'num_samples', 'n_samples', 'rollouts', 'rollout_n', 'k'],
  max_completion_length: ['max_tokens', 'max_new_tokens', 'max_response_length', 'response_length'],
  beta: ['kl_coef', 'kl_beta', 'kl_weight', 'kl_loss_coef', 'init_kl_coef'],
  epsilon: ['clip', 'clip_range', 'clip_ratio', 'clip_eps', 'cliprange'],
  epsilon_high: ['clip_high', 'clip_ratio_high'],
  entropy_coef: ['ent_coef', 'entropy', 'entropy_bonus', 'entropy_weight'],
  num_iterations: ['ppo_epochs', 'mu', 'num_ppo_epochs', 'inner_epochs'],
  temperature: ['temp'],
  warmup_steps: ['warmup', 'lr_warmup_steps', 'num_warmup_steps'],
  lr_scheduler_type: ['scheduler', 'schedule', 'lr_schedule', 'lr_scheduler'],
  max_grad_norm: ['grad_clip', 'clip_grad', 'gradient_clipping', 'max_norm'],
  weight_decay: ['wd', 'l2'],
  reward_funcs: ['reward', 'rewards', 'reward_function', 'reward_functions', 'reward_fn'],
  eval_steps: ['eval_every', 'eval_interval', 'evaluate_every', 'test_freq'],
  save_seconds: ['save_steps', 'save_every', 'save_freq', 'checkpoint_every'],
  model_name_or_path: ['model_name', 'model_path', 'base_model', 'pretrained', 'checkpoint'],
  hidden_size: ['d_model', 'n_embd', 'dim', 'embed_dim', 'width'],
  num_hidden_layers: ['layers', 'n_layers', 'num_layers', 'n_layer', 'depth'],
  num_attention_heads: ['heads', 'n_heads', 'num_heads', 'n_head'],
  intermediate_size: ['ffn_dim', 'ffn', 'd_ff', 'mlp_dim'],
  lora_r: ['r', 'lora_rank', 'max_lora_rank'],
  lora_target_modules: ['target_modules'],
  output_dir: ['out', 'output', 'out_dir', 'run_dir', 'save_dir', 'log_dir'],
  data_files: ['dataset_id_or_path', 'train_files'],
  task: ['dataset', 'env', 'environment', 'problem'],
};

/** `rule; remedy` for names that no key of ours means as it is: sections of verl, and what axolotl, unsloth and open-r1 have. */
export const MEANT_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['sequence_len', 'max_seq_length', 'max_seq_len'].map((name) => [
      name,
      'prompt and completion have a limit each; use max_prompt_length and max_completion_length',
    ]),
  ),
  adapter: 'an adapter is asked for by another key; use use_peft: true, with lora_r and lora_alpha',
  rl: 'a stage says how it trains, and GRPO is the default; leave it out',
  trl: 'axolotl has this section; move its keys to the top level',
  fast_inference: 'rollouts run in the same engine as the update, so there is no vLLM; leave it out',
  vllm_device: 'rollouts run in the same engine as the update, so there is no vLLM; leave it out',
  data:
    'verl has this section; use data_files for train_files, max_prompt_length, max_completion_length for ' +
    'max_response_length, and generation_batch_size for train_batch_size × rollout.n',
  actor_rollout_ref:
    'verl has this section; use model_name_or_path for model.path, learning_rate for actor.optim.lr, beta for ' +
    'actor.kl_loss_coef, epsilon for actor.clip_ratio, entropy_coef for actor.entropy_coeff, num_generations for ' +
    'rollout.n, and temperature for rollout.temperature',
  algorithm:
    'verl has this section; use advantage_estimator for adv_estimator (grpo is the default), and beta for kl_coef',
  critic: 'verl has this section; GRPO has no critic; leave it out',
  custom_reward_function: 'verl has this section; use reward_funcs, of names or of .ts and .js files',
  trainer:
    'verl has this section; use max_steps for total_training_steps, eval_steps for test_freq, and output_dir for ' +
    'default_local_dir',
};
