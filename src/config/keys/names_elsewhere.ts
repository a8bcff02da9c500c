/** What other trainers, papers and habits call our keys: names too far from ours for a misspelling. */

const NAMES: Readonly<Record<string, readonly string[]>> = {
  learning_rate: ['lr', 'step_size', 'alpha'],
  max_steps: ['steps', 'num_steps', 'total_steps', 'iterations', 'epochs', 'num_epochs'],
  generation_batch_size: ['batch_size', 'rollout_batch_size', 'train_batch_size'],
  per_device_train_batch_size: ['batch_size', 'train_batch_size'],
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
  output_dir: ['out', 'output', 'out_dir', 'run_dir', 'save_dir', 'log_dir'],
  task: ['dataset', 'env', 'environment', 'problem'],
};

/** The key of a section that another name most likely means. */
export function keyNamed(name: string, known: ReadonlySet<string>): string | undefined {
  return Object.keys(NAMES).find((key) => known.has(key) && NAMES[key].includes(name.toLowerCase()));
}
