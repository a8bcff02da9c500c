/** Names of a model's files in Hugging Face's layout, for code that need not read them. */

/** Describes how to compute with the weights. */
export const CONFIG = 'config.json';

/** All weights in one file. */
export const WHOLE = 'model.safetensors';
/** Says which shard each tensor is in, if there are several. */
export const INDEX = 'model.safetensors.index.json';

/** A LoRA adapter in PEFT's layout. */
export const ADAPTER_CONFIG = 'adapter_config.json';
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';
