/**
 * A LoRA adapter in PEFT's layout: adapter_config.json and adapter_model.safetensors.
 *
 *   W' = W + scale·B·A;  scale = alpha / r, with `use_rslora` alpha / √r
 *   with `use_dora` each row of W' has the norm that `….lora_magnitude_vector` says
 *
 * A tensor is `base_model.model.` + its name here, as `model.layers.0.self_attn.q_proj.lora_A.weight`. Whatever else
 * would change the arithmetic is refused by its key; keys that say how the adapter was made are left alone.
 *
 * @see https://huggingface.co/docs/peft, LoraConfig
 */
import { CheckpointError } from '../../../../src/errors.ts';
import { ADAPTER_TARGETS, MAGNITUDE } from '../../../../src/model/adapter.ts';
import { type AdapterConfig, BASE_SHA256, type BaseName, MODULE_PREFIX } from '../../../../src/model/adapter_config.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from '../../../../src/run/model/file_names.ts';
import { positive, shown, wholeNumber } from './config_json.ts';
import { readJsonFile } from './open_folder.ts';
import { openSafetensors } from './safetensors_files.ts';
import { type ModelFiles, type PretrainedModel, type PretrainedTensor, unsupported } from './source.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Adapter {
  readonly config: AdapterConfig;
  /** SHA-256 of the base's weights, where the adapter was trained here. */
  readonly baseSha256: string | undefined;
  /** By their names here. */
  readonly tensors: ReadonlyMap<string, PretrainedTensor>;
  /** What a user should know of it. */
  readonly notes: readonly string[];
}

/** Keys that change what is computed, each with the values that change nothing. */
const FIXED: Readonly<Record<string, { readonly neutral: readonly unknown[]; readonly rule: string }>> = {
  peft_type: { neutral: ['LORA'], rule: 'adapters of LoRA alone are computed here' },
  task_type: { neutral: ['CAUSAL_LM'], rule: 'has another head than a language model' },
  bias: { neutral: ['none'], rule: 'biases that were trained beside the adapter are not read here' },
  init_lora_weights: {
    neutral: [true, false, 'gaussian', 'orthogonal', 'eva'],
    rule: 'this way to begin changes the base, too; save it by PEFT with path_initial_model_for_weight_conversion',
  },
  use_dora: { neutral: [true], rule: 'must be true or false' },
  modules_to_save: { neutral: [], rule: 'whole modules beside A and B are not read here' },
  rank_pattern: { neutral: [], rule: 'every module has the same rank here' },
  alpha_pattern: { neutral: [], rule: 'every module has the same scale here' },
  fan_in_fan_out: { neutral: [], rule: 'weights are stored as [out, in] here' },
};

/** Keys that say how the adapter was made or stored, and nothing of what it computes. */
const IRRELEVANT = new Set([
  'peft_version',
  'auto_mapping',
  'base_model_name_or_path',
  'revision',
  'inference_mode',
  'r',
  'lora_alpha',
  'use_rslora',
  'target_modules',
  'exclude_modules',
  'lora_dropout',
  'layers_to_transform',
  'layers_pattern',
  'megatron_core',
  'loftq_config',
  'eva_config',
  'corda_config',
  'lora_ga_config',
  'qalora_group_size',
  'ensure_weight_tying',
  'runtime_config',
]);

/** As adapter_config.json has it. */
export function baseNameOf({ base_model_name_or_path: name, revision }: Json): BaseName | undefined {
  if (typeof name !== 'string' || name === '') return undefined;
  return typeof revision === 'string' && revision !== '' ? { name, revision } : { name };
}

/**
 * Reads headers alone.
 *
 * @param weights  a file that has A and B under their names here; default: PEFT's, under its names
 * @throws CheckpointError where something is missing, damaged, or not computed here
 */
export async function openAdapter(files: ModelFiles, weights?: string): Promise<Adapter> {
  const json = await readJsonFile(files, ADAPTER_CONFIG);
  if (json === undefined) throw new CheckpointError('no-adapter', `${ADAPTER_CONFIG}: no such file.`);
  requireComputed(json);
  if (weights === undefined && (await files.size(ADAPTER_WEIGHTS)) === undefined) {
    const remedy = 'an adapter_model.bin becomes one where PEFT loads and saves it again';
    throw new CheckpointError('no-adapter', `${ADAPTER_WEIGHTS}: no such file; ${remedy}.`);
  }
  const { metadata, tensors: named } = await openSafetensors(files, weights ?? ADAPTER_WEIGHTS);
  const tensors = weights === undefined ? renamed(named) : named;
  const modules = modulesOf(tensors);
  requireTargets(json.target_modules, modules);
  const { lora_dropout: dropout = 0 } = json;
  const { [BASE_SHA256]: baseSha256 } = metadata;
  const told = `${ADAPTER_CONFIG}: lora_dropout ${JSON.stringify(dropout)} — the adapter was trained with it; here it is used and trained without.`;
  return {
    config: {
      rank: wholeNumber(json.r, `${ADAPTER_CONFIG}: r`),
      alpha: positive(json.lora_alpha, `${ADAPTER_CONFIG}: lora_alpha`),
      useRslora: json.use_rslora === true,
      targets: ADAPTER_TARGETS.filter((module) => modules.some((name) => name.endsWith(`.${module}`))),
      ...(json.use_dora === true && { useDora: true }),
    },
    baseSha256,
    tensors,
    notes: dropout === 0 ? [] : [told],
  };
}

/** @throws CheckpointError `adapter-misfit` where the adapter was trained on a model of another shape */
export function requireFit({ config, tensors }: Adapter, { tensors: base }: Pick<PretrainedModel, 'tensors'>): void {
  const { rank } = config;
  const modules = modulesOf(tensors);
  for (const module of modules) {
    const [out, input] = base.get(`${module}.weight`)?.shape ?? [];
    if (out === undefined || input === undefined) {
      throw misfit(`adapts ${module}, which the model has not`, { module });
    }
    for (const [part, wanted] of [
      ['lora_A.weight', [rank, input]],
      ['lora_B.weight', [out, rank]],
      ...(config.useDora ? [[MAGNITUDE, [out]] as const] : []),
    ] as const) {
      const found = tensors.get(`${module}.${part}`)?.shape;
      if (found?.join() === wanted.join()) continue;
      const seen = found === undefined ? 'is missing' : `has shape [${found.join(', ')}]`;
      throw misfit(
        `tensor ${MODULE_PREFIX}${module}.${part} ${seen}, this model and r ${rank} need [${wanted.join(', ')}]`,
        {
          module,
        },
      );
    }
  }
  const has = new Set(modules);
  const layers = new Set([...base.keys()].flatMap((name) => /^model\.layers\.\d+\./.exec(name) ?? []));
  for (const name of base.keys()) {
    const module = name.slice(0, -'.weight'.length);
    const isWanted = config.targets.some((target) => name.endsWith(`.${target}.weight`));
    if (!isWanted || has.has(module)) continue;
    const rule = `adapts ${modules.length} modules and not ${module}: a kind of module is adapted in all ${layers.size} layers here, or in none`;
    throw misfit(rule, { module });
  }
}

function requireComputed(config: Json): void {
  for (const [key, value] of Object.entries(config)) {
    if (isNothing(value) || IRRELEVANT.has(key)) continue;
    const { neutral, rule } = FIXED[key] ?? { neutral: [], rule: 'is not known here' };
    if (neutral.includes(value)) continue;
    throw unsupported(`${ADAPTER_CONFIG}: ${key} ${shown(value)}`, rule, { key });
  }
}

/** What PEFT writes where an option is not used. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function renamed(tensors: ReadonlyMap<string, PretrainedTensor>): ReadonlyMap<string, PretrainedTensor> {
  const form = new RegExp(
    `^${MODULE_PREFIX.replaceAll('.', '\\.')}(model\\.layers\\.\\d+\\.\\w+\\.(?:${ADAPTER_TARGETS.join('|')})\\.(?:lora_[AB]\\.weight|${MAGNITUDE}))$`,
  );
  return new Map(
    [...tensors].map(([name, tensor]) => {
      const own = form.exec(name)?.[1];
      if (own !== undefined) return [own, tensor];
      const rule = `only A, B and magnitudes of ${ADAPTER_TARGETS.join(', ')} of each layer are computed here`;
      throw unsupported(`${ADAPTER_WEIGHTS}: tensor ${name}`, rule, { name });
    }),
  );
}

/** `model.layers.0.self_attn.q_proj`, …, each once. */
function modulesOf(tensors: ReadonlyMap<string, PretrainedTensor>): string[] {
  return [
    ...new Set([...tensors.keys()].map((name) => name.replace(/\.(?:lora_[AB]\.weight|lora_magnitude_vector)$/, ''))),
  ];
}

/** A list names modules by their whole names or by how those end; a text is a pattern, and what it met is in the file. */
function requireTargets(targets: unknown, modules: readonly string[]): void {
  if (modules.length === 0) throw misfit('holds no tensors', {});
  const listed: readonly unknown[] = Array.isArray(targets) ? targets : [];
  for (const target of listed) {
    if (modules.some((module) => module === target || module.endsWith(`.${String(target)}`))) continue;
    const place = `${ADAPTER_CONFIG}: target_modules names ${shown(target)}`;
    throw new CheckpointError('adapter-misfit', `${place}, and ${ADAPTER_WEIGHTS} has no tensors of it.`, { target });
  }
}

function misfit(rule: string, facts: Readonly<Record<string, unknown>>): CheckpointError {
  const remedy = 'It belongs to another base model: give the one that it was trained on';
  return new CheckpointError('adapter-misfit', `${ADAPTER_WEIGHTS}: ${rule}. ${remedy}.`, facts);
}
