/** The files of a model in Hugging Face's layout, by name: what only names them reads none of them. */

/** What says how the weights beside it are computed with. */
export const CONFIG = 'config.json';

/** All weights in one file. */
export const WHOLE = 'model.safetensors';
/** Which shard each tensor is in, where there are several. */
export const INDEX = 'model.safetensors.index.json';

/** A LoRA adapter in PEFT's layout. */
export const ADAPTER_CONFIG = 'adapter_config.json';
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors';
