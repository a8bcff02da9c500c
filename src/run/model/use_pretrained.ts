/** What a pretrained model makes of a run: its shape, its weights in the policy, and what the run keeps of it. */
import { otherAdapterKeys } from '../../config/keys/adapter_keys.ts';
import { otherModelKeys } from '../../config/model_config.ts';
import { aboutKey } from '../../config/problems.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { ConfigError } from '../../errors.ts';
import type { BaseModel } from '../../grpo/run.ts';
import { frozenStorage } from '../../model/pretrained/frozen_storage.ts';
import {
  type AdapterTaker,
  loadAdapter,
  loadPretrained,
  type WeightsTaker,
} from '../../model/pretrained/load_weights.ts';
import { asksInWords, type Codec } from '../../text/codec.ts';
import { weightsHash } from './base_hashes.ts';
import { type Pretrained, withPlace } from './pretrained.ts';

/**
 * The same config with what a pretrained model's files say: the shape, and of an adapter rank, alpha and modules.
 *
 * @throws ConfigError for a key of the model or of an adapter that is not its default, and not that of the files
 */
export function withPretrained(config: RunConfig, { name, codec, model: pretrained, adapter }: Pretrained): RunConfig {
  const { shape, context } = pretrained;
  const { vocabSize: _, ...sizes } = shape;
  const { initializerRange } = config.model;
  const longest = asksInWords(codec) ? { maxPositionEmbeddings: context } : {};
  const model = { ...sizes, initializerRange, ...longest };
  const others = [
    ...otherModelKeys(config.model, shape, name),
    ...(adapter === undefined ? [] : otherAdapterKeys(config.adapter, adapter.config)),
  ];
  const other = others.find(({ isDefault }) => !isDefault);
  if (other !== undefined) {
    throw new ConfigError('other-model', `${aboutKey(other.key, other.value, other.rule)}.`, { path: other.key });
  }
  const kept = frozenStorage(config, pretrained);
  return {
    ...config,
    model,
    ...(Object.keys(kept).length > 0 && { frozenStorage: kept }),
    ...(adapter && { adapter: adapter.config }),
  };
}

/** @throws ConfigError where a method speaks in words that a closed vocabulary has no row for */
export function requireWords(pretrained: Pretrained, { codec }: { readonly codec: Codec }): void {
  if (codec.vocabSize === pretrained.model.shape.vocabSize) return;
  const known = pretrained.codec.words ?? new Map<string, Int32Array>();
  const missing = [...(codec.words?.keys() ?? [])].filter((word) => !known.has(word)).join(', ');
  const rule = `its vocabulary lacks ${missing}, by which a method of this config speaks to the policy`;
  const remedy = 'leave the method out, or begin with random weights';
  const message = `model_name_or_path: ${pretrained.name} — ${rule}; ${remedy}.`;
  throw new ConfigError('vocabularies', message, { path: 'model_name_or_path', missing });
}

/** Reads the weights into a policy. @throws CheckpointError where they are not those of the config */
export async function loadWeights({ place, model }: Pretrained, policy: WeightsTaker): Promise<void> {
  try {
    await loadPretrained(model, policy);
  } catch (error) {
    throw withPlace(place, error);
  }
}

/** Reads its adapter into a policy, where it was opened with one. @throws CheckpointError where the two do not fit */
export async function loadItsAdapter({ adapter, model }: Pretrained, policy: AdapterTaker): Promise<void> {
  if (adapter !== undefined) await loadAdapter(adapter, model, policy);
}

/** What a run keeps of its model: a pass over all of its files. */
export async function baseOf({ name, place, model, location, hashes }: Pretrained): Promise<BaseModel> {
  const files = await hashes();
  const { checkpoint } = place.adapter ?? place;
  const shown = checkpoint?.isChosen ? `${name}/${checkpoint.path}` : name;
  return { name: location, shown, files, sha256: await weightsHash(files, model) };
}
