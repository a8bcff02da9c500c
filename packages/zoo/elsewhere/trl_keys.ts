/**
 * Keys of TRL's GRPOConfig, ModelConfig and script, and of transformers' TrainingArguments, that this trainer does
 * not have, each with the reason. A value in `agrees` asks for what happens anyway and is accepted, so that a YAML
 * written for TRL runs here or is refused key by key.
 */
import type { UnsupportedKey } from '../../../src/config/unknown_keys.ts';
import type { Json } from '../../../src/options/json.ts';
import { MACHINERY } from './trl_run_keys.ts';

function refused(because: string, ...agrees: readonly Json[]): UnsupportedKey {
  return { because, agrees };
}

/** One reason for several keys that belong together; each maps to its harmless value. */
function family(because: string, keys: Readonly<Record<string, Json>>): Record<string, UnsupportedKey> {
  return Object.fromEntries(Object.entries(keys).map(([key, harmless]) => [key, refused(because, harmless)]));
}

const oneEngine = 'rollouts run in the same engine as the update, so there is no vLLM to set up; leave it out';
const plainAdapters = 'adapters are LoRA beside linear layers; leave it out';
const fullBase = 'frozen weights are float32, as all arithmetic; leave it out';
const fileNames = 'rows come from files that are named; use data_files, or {train: …, test: …} for two splits';
const keptRows = 'rows are read once and kept, with all of their columns for the rewards; leave it out';
const oneProcess = 'one process on one machine trains; leave it out';
const fullPrecision = 'all arithmetic is float32; leave it out';
const ownLog = 'every step is logged in the run directory; leave it out';
const packed = 'sequences are packed without padding, always; leave it out';
const byTime = 'checkpoints are written by time; use save_seconds and save_total_limit';

const MODEL_AND_DATA = {
  model_revision: refused('it is part of the model name; use model_name_or_path: owner/name@revision', 'main', null),
  model_init_kwargs: refused('the model is described under model:; move the shape there', null),
  trust_remote_code: refused('no code is downloaded; leave it out', false),
  attn_implementation: refused('there is one attention kernel; leave it out', null),
  cache_implementation: refused('there is one KV cache; leave it out', null),
  router_aux_loss_coef: refused('the model has no experts; leave it out', 0, 0.001),
  disable_dropout: refused('the model has no dropout; leave it out', true, false),
  datasets: refused(fileNames, null),
  ...family(keptRows, { dataset_streaming: false, remove_unused_columns: false }),
  assistant_only_loss: refused('the loss is on the turns of the assistant, always; leave it out', true),
  completion_only_loss: refused('the loss is on the completion, always; leave it out', true, null),
  packing: refused(packed, true, false),
  dataset_text_field: refused('rows have prompt and completion, or messages; rename the column', null),
  shuffle_dataset: refused('training problems are drawn at random, always; leave it out', true),
  // True by default, but written out as false by a machine without a GPU.
  dataloader_pin_memory: refused('there is no data loader; leave it out', true, false),
  ...family('rows are read as they are, by the template and tokenizer of the model; leave it out', {
    chat_template_path: null,
    dataset_kwargs: null,
    dataset_num_proc: null,
    eos_token: null,
    pad_token: null,
  }),
  ...family(packed, {
    eval_packing: null,
    packing_strategy: 'bfd',
    padding_free: false,
  }),
  max_length: refused('no sequence is cut; use max_prompt_length, with overlong_prompts: drop', 1024, null),
  truncation_mode: refused('no sequence is cut; leave it out', 'keep_start'),
  data_seed: refused('one seed decides everything; use seed', null),
  pad_to_multiple_of: refused('batches are packed without padding; leave it out', null, 'auto'),
  env: refused('environment variables are not set from the config; set them in the shell'),
};

const TRAINING = {
  use_cpu: refused(oneProcess, true, false),
  per_device_eval_batch_size: refused('evaluation takes what fits; leave it out', 8),
  auto_find_batch_size: refused('the memory plan finds the micro-batch; leave it out', false),
  activation_offloading: refused('activations are kept or computed again; use gradient_checkpointing', false),
  gradient_checkpointing_kwargs: refused('whole layers are computed again; leave it out', null),
  use_liger_kernel: refused('the loss never holds all logits, without Liger; leave it out', false),
  use_liger_loss: refused('the loss never holds all logits, without Liger; leave it out', false),
  cast_lm_head_to_fp32: refused(fullPrecision, true, false),
  ...family(fullPrecision, { fp16: false, tf32: false }),
  bf16: refused(fullPrecision, false, true),
  torch_dtype: refused('frozen weights are kept by dtype; use that key', 'float32', null),
  torch_compile: refused('there is nothing to compile; leave it out', false),
  ...family(oneProcess, {
    ds3_gather_for_generation: true,
    ignore_bias_buffers: false,
    deepspeed: null,
    fsdp: null,
    num_processes: 1,
    dataloader_num_workers: 0,
  }),
  lora_target_parameters: refused('adapters belong to modules; use lora_target_modules', null),
  lora_modules_to_save: refused('beside an adapter the model stays as it is; leave it out', null),
  ...family(plainAdapters, { lora_task_type: 'CAUSAL_LM' }),
  ...family(fullBase, {
    bnb_4bit_quant_type: 'nf4',
    use_bnb_nested_quant: false,
    bnb_4bit_quant_storage: null,
  }),
};

const ROLLOUT = {
  repetition_penalty: refused('it would make sampler and trainer disagree; use entropy_coef or a reward', 1),
  generation_kwargs: refused('sampling has its own keys; use temperature, top_k, top_p or min_p', null),
  ...family('rollouts run in the same engine as the update, not in transformers; leave it out', {
    use_transformers_continuous_batching: false,
    transformers_continuous_batching_config: null,
    use_transformers_paged: false,
  }),
  ...family(oneEngine, {
    use_vllm: false,
    vllm_mode: 'colocate',
    vllm_model_impl: 'vllm',
    vllm_enable_sleep_mode: false,
    vllm_structured_outputs_regex: null,
    vllm_server_base_url: null,
    vllm_server_host: '0.0.0.0',
    vllm_server_port: 8000,
    vllm_server_timeout: 240,
    vllm_group_port: 51216,
    vllm_gpu_memory_utilization: 0.3,
    vllm_max_model_length: null,
    vllm_tensor_parallel_size: 1,
    vllm_importance_sampling_cap: null,
  }),
};

const OBJECTIVE = {
  reward_model_name_or_path: refused('rewards are functions, there are no reward models; use reward_funcs', null),
  replay_buffer_size: refused('the strategy replay-buffer has its own size; set buffered_groups of it'),
};

const RECORDS = {
  logging_steps: refused(ownLog, 1, 10),
  logging_first_step: refused(ownLog, true, false),
  logging_strategy: refused(ownLog, 'steps'),
  logging_nan_inf_filter: refused(
    'a loss that is not finite stops the run and is never hidden; leave it out',
    false,
    true,
  ),
  log_completions: refused(ownLog, true, false),
  ...family(ownLog, { num_completions_to_print: null, log_unique_prompts: false, log_completions_hub_repo: null }),
  log_multimodal: refused('completions are text; leave it out', true, false),
  logging_dir: refused('TensorBoard files go to tensorboard/ in the run directory; leave it out', null),
  run_name: { ...refused('a run is named by its directory; use output_dir'), isHarmless: true },
  push_to_hub: refused('nothing is uploaded; leave it out', false),
  eval_on_start: refused('the start is always evaluated, as the baseline; leave it out', true, false),
  ...family(byTime, { save_strategy: 'steps', save_steps: 500, save_only_model: false }),
  resume_from_checkpoint: refused('resuming belongs to the command; use rlvr-train --resume', null),
};

/** By key: what TRL has and this trainer does not. */
export const UNSUPPORTED_TRL_KEYS: Readonly<Record<string, UnsupportedKey>> = {
  ...MODEL_AND_DATA,
  ...TRAINING,
  ...ROLLOUT,
  ...OBJECTIVE,
  ...RECORDS,
  ...Object.assign({}, ...MACHINERY.map(({ because, defaults }) => family(because, defaults))),
};

/** By key: what a Hugging Face `config.json` has and the `model:` section does not. */
export const UNSUPPORTED_MODEL_KEYS: Readonly<Record<string, UnsupportedKey>> = {
  vocab_size: refused("the vocabulary is that of the task's tokenizer; leave it out"),
  model_type: refused('there is one architecture, that of Llama; leave it out', 'llama'),
  architectures: refused('there is one architecture, that of Llama; leave it out'),
  hidden_act: refused('the feed-forward layer is SwiGLU; leave it out', 'silu'),
  rope_scaling: refused('positions are not stretched; leave it out', null),
  sliding_window: refused('attention sees the whole sequence; leave it out', null),
  mlp_bias: refused('the feed-forward layer has no bias; leave it out', false),
  attention_dropout: refused('the model has no dropout; leave it out', 0),
  use_cache: refused('sampling always caches; leave it out', true),
  torch_dtype: refused(fullPrecision, 'float32'),
  dtype: refused(fullPrecision, 'float32'),
};
