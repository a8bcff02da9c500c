/** What a script for unsloth calls: a model, an adapter beside it, and TRL's configs. */
import { computed, each, type ForeignMap, none, refused, renamed } from './fate.ts';
import { checkpointing, noDropout, ONE_ENGINE, ONE_PROCESS, targets } from './shared.ts';
import { TRL } from './trl.ts';

/** Models that unsloth has stored in 4 bits; ours are made of the plain weights. */
const QUANTISED = /-(unsloth-)?bnb-4bit$/;

export const UNSLOTH: ForeignMap = {
  trainer: 'unsloth',
  source:
    'unsloth 2026.10.9 (FastLanguageModel.from_pretrained and get_peft_model, and the fields it adds to TRL), and its notebooks',
  isTrl: true,
  defaults: {},
  keys: {
    ...TRL.keys,
    'from_pretrained.model_name': computed('a name that ends in bnb-4bit is of the plain weights here', (value) => ({
      model_name_or_path: String(value).replace(QUANTISED, ''),
    })),
    'from_pretrained.load_in_4bit': computed('frozen matrices in 4 bits, beside an adapter', (value, all) =>
      value === true && all.has('get_peft_model.r') ? { load_in_4bit: true } : {},
    ),
    'from_pretrained.load_in_8bit': computed('frozen matrices in 8 bits, beside an adapter', (value, all) =>
      value === true && all.has('get_peft_model.r') ? { load_in_8bit: true } : {},
    ),
    'from_pretrained.max_seq_length': computed(
      'nothing is cut; a prompt and a completion have a limit each',
      () => ({}),
    ),
    'from_pretrained.full_finetuning': computed('without an adapter all weights are trained', () => ({})),
    'from_pretrained.revision': refused('it is part of the name; use model_name_or_path: owner/name@revision', null),
    ...each(
      ONE_ENGINE,
      'from_pretrained.fast_inference',
      'from_pretrained.gpu_memory_utilization',
      'from_pretrained.max_lora_rank',
      'from_pretrained.float8_kv_cache',
      'from_pretrained.disable_log_stats',
      'from_pretrained.unsloth_vllm_standby',
      'vllm_sampling_params',
    ),
    'from_pretrained.random_state': renamed('seed'),
    'from_pretrained.*': none('the model is read as its folder says'),
    'get_peft_model.r': computed('an adapter is asked for by use_peft', (value) => ({ use_peft: true, lora_r: value })),
    'get_peft_model.lora_alpha': renamed('lora_alpha'),
    'get_peft_model.use_rslora': renamed('use_rslora'),
    'get_peft_model.target_modules': targets,
    'get_peft_model.lora_dropout': noDropout,
    'get_peft_model.use_gradient_checkpointing': checkpointing,
    'get_peft_model.random_state': computed('one seed decides everything', (value, all) =>
      all.has('seed') || all.has('from_pretrained.random_state') ? {} : { seed: value },
    ),
    'get_peft_model.modules_to_save': refused('beside an adapter the model stays as it is; leave it out', null),
    'get_peft_model.layers_to_transform': refused('adapters are on every layer; leave it out', null),
    'get_peft_model.finetune_last_n_layers': refused('adapters are on every layer; leave it out', null),
    'get_peft_model.bias': refused('adapters have no bias; leave it out', 'none'),
    'get_peft_model.*': none('adapters are LoRA as PEFT begins them'),
    unsloth_num_chunks: none('the memory plan finds the micro-batch'),
    unsloth_logit_chunk_multiplier: none('the loss never holds all logits'),
    unsloth_grpo_mini_batch: none('the memory plan finds the micro-batch'),
    embedding_learning_rate: refused('one rate is for all that is trained; leave it out', null),
    dataset_num_proc: ONE_PROCESS,
  },
};
