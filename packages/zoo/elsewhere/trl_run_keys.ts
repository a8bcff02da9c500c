/**
 * Keys of transformers' TrainingArguments about the machinery around a run (processes, data loading, the Hub, logging)
 * that have no counterpart here, each with its reason; by key, in groups of one reason, with TRL's own default.
 */
import type { Json } from '../../../src/options/json.ts';

interface Group {
  /** `rule; remedy`. */
  readonly because: string;
  readonly defaults: Readonly<Record<string, Json>>;
}

export const MACHINERY: readonly Group[] = [
  {
    because: 'one process on one machine trains; leave it out',
    defaults: {
      average_tokens_across_devices: true,
      ddp_backend: null,
      ddp_broadcast_buffers: null,
      ddp_bucket_cap_mb: null,
      ddp_find_unused_parameters: null,
      ddp_static_graph: null,
      ddp_timeout: 1800,
      fsdp_config: null,
      parallelism_config: null,
      accelerator_config: {
        dispatch_batches: null,
        even_batches: true,
        gradient_accumulation_kwargs: null,
        non_blocking: false,
        split_batches: false,
        use_seedable_sampler: true,
      },
      local_rank: -1,
      save_on_each_node: false,
      log_on_each_node: true,
      debug: [],
    },
  },
  {
    because: 'problems are drawn as they are needed, there is no data loader; leave it out',
    defaults: {
      dataloader_drop_last: false,
      dataloader_in_order: true,
      dataloader_multiprocessing_context: null,
      dataloader_persistent_workers: false,
      dataloader_prefetch_factor: null,
      ignore_data_skip: false,
      label_names: null,
      length_column_name: 'length',
      train_sampling_strategy: 'random',
    },
  },
  {
    because: 'evaluation asks held-out problems and has no predictions to gather; leave it out',
    defaults: {
      batch_eval_metrics: false,
      eval_accumulation_steps: null,
      eval_delay: 0,
      eval_do_concat_batches: true,
      eval_use_gather_object: false,
      include_for_metrics: [],
      prediction_loss_only: false,
    },
  },
  {
    because: 'nothing is uploaded; leave it out',
    defaults: {
      hub_always_push: false,
      hub_model_id: null,
      hub_private_repo: null,
      hub_revision: null,
      hub_strategy: 'every_save',
      hub_token: '<HUB_TOKEN>',
      project: 'huggingface',
      trackio_bucket_id: null,
      trackio_space_id: null,
      trackio_static_space_id: null,
    },
  },
  {
    because: 'the command decides what it shows and logs; leave it out',
    defaults: {
      disable_tqdm: false,
      include_num_input_tokens_seen: 'no',
      log_level: 'passive',
      log_level_replica: 'warning',
      skip_memory_metrics: true,
    },
  },
  {
    because: 'the command says what is done: train, eval or sample; leave it out',
    defaults: { do_eval: false, do_predict: false, do_train: false },
  },
  {
    because: 'a resumed run always continues exactly; leave it out',
    defaults: {
      enable_jit_checkpoint: false,
      full_determinism: false,
      restore_callback_states_from_checkpoint: false,
    },
  },
  {
    because: 'all arithmetic is float32; leave it out',
    defaults: { bf16_full_eval: false, fp16_full_eval: false },
  },
  {
    because: 'memory is planned before the first step; use gradient_checkpointing, or leave it out',
    defaults: { activation_checkpointing: true, activation_checkpointing_kwargs: null, torch_empty_cache_steps: null },
  },
  {
    because: 'there is nothing to compile; leave it out',
    defaults: { torch_compile_backend: null, torch_compile_mode: null },
  },
  {
    because: 'optim steps all that is trained; leave it out',
    defaults: { optim_args: null, optim_target_modules: null },
  },
  {
    because: 'the loss is that of loss_type, without smoothing or noise; leave it out',
    defaults: { label_smoothing_factor: 0, neftune_noise_alpha: null, liger_kernel_config: null },
  },
  { because: 'sampling always caches; leave it out', defaults: { use_cache: false } },
];
