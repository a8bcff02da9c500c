/** What a LoRA adapter is, apart from its tensors, and what PEFT calls its parts: ./adapter_files.ts reads one. */
import type { AdapterSettings, AdapterTarget } from './adapter.ts';

type Json = Readonly<Record<string, unknown>>;

/** In the metadata of the weights: SHA-256 of those that they adapt. */
export const BASE_SHA256 = 'base_sha256';

/** What precedes the names of the model's modules. */
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

/** What W gets besides itself is this times B·A. */
export function adapterScale({ rank, alpha, useRslora }: AdapterConfig): number {
  return alpha / (useRslora ? Math.sqrt(rank) : rank);
}

/** An adapter as a policy has it. */
export function adapterSettings(config: AdapterConfig): AdapterSettings {
  const { rank, targets, useDora } = config;
  return { rank, scale: adapterScale(config), targets, ...(useDora && { useDora }) };
}
