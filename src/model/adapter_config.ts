/** The configuration of a LoRA adapter, and PEFT's names for its parts. */
import type { AdapterSettings, AdapterTarget } from './adapter.ts';

type Json = Readonly<Record<string, unknown>>;

/** Metadata key: SHA-256 of the weights that the adapter changes. */
export const BASE_SHA256 = 'base_sha256';

/** Prefix of the names of the model's modules. */
export const MODULE_PREFIX = 'base_model.model.';

export interface AdapterConfig {
  readonly rank: number;
  readonly alpha: number;
  /** The scale is alpha / √r. arXiv:2312.03732 */
  readonly useRslora: boolean;
  /** In the order of `ADAPTER_TARGETS`; each of them in every layer. */
  readonly targets: readonly AdapterTarget[];
  /** Outputs have magnitudes of their own. arXiv:2402.09353 */
  readonly useDora?: true;
}

/** The model that an adapter was trained on: a path, or a name of the hub with a revision. */
export interface BaseName {
  readonly name: string;
  readonly revision?: string;
}

/** Contents of adapter_config.json. @param base  the model that it belongs to */
export function adapterConfigJson(config: AdapterConfig, base: BaseName): Json {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base.name,
    revision: base.revision ?? null,
    r: config.rank,
    lora_alpha: config.alpha,
    use_rslora: config.useRslora,
    target_modules: config.targets,
    lora_dropout: 0,
    bias: 'none',
    fan_in_fan_out: false,
    init_lora_weights: true,
    modules_to_save: null,
    rank_pattern: {},
    alpha_pattern: {},
    use_dora: config.useDora === true,
    inference_mode: true,
  };
}

/** The name of an adapter's tensor in its file. */
export function nameInFile(name: string): string {
  return `${MODULE_PREFIX}${name}`;
}

/** The factor of B·A, which is added to W. */
export function adapterScale({ rank, alpha, useRslora }: AdapterConfig): number {
  return alpha / (useRslora ? Math.sqrt(rank) : rank);
}

/** The policy's settings for an adapter. */
export function adapterSettings(config: AdapterConfig): AdapterSettings {
  const { rank, targets, useDora } = config;
  return { rank, scale: adapterScale(config), targets, ...(useDora && { useDora }) };
}
