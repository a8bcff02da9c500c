/** What a pretrained model makes of a run: its shape, its weights in the policy, and what the run keeps of it. */
import { aboutKey } from '../../../../src/config/problems.ts';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { ConfigError } from '../../../../src/errors.ts';
import type { BaseModel } from '../../../../src/grpo/run.ts';
import type { OpenedBase } from '../../../../src/run/base.ts';
import { asksInWords, type Codec } from '../../../../src/text/codec.ts';
import { otherKeys } from '../../config/other_keys.ts';
import { frozenStorage } from '../../model/pretrained/frozen_storage.ts';
import {
  type AdapterTaker,
  loadAdapter,
  loadPretrained,
  type WeightsTaker,
} from '../../model/pretrained/load_weights.ts';
import { weightsHash } from './base_hashes.ts';
import { type Pretrained, withPlace } from './pretrained.ts';

/** What `openRun` asks of a model: each is a member of the model that it is called on, copies with other members included. */
export const AS_BASE: Pick<OpenedBase, 'configured' | 'requireWords' | 'loadWeights' | 'loadAdapter' | 'recorded'> = {
  configured(this: Pretrained, config: RunConfig): RunConfig {
    const { codec, model: pretrained, adapter } = this;
    const { shape, context } = pretrained;
    const { vocabSize: _, ...sizes } = shape;
    const { initializerRange } = config.model;
    const longest = asksInWords(codec) ? { maxPositionEmbeddings: context } : {};
    const model = { ...sizes, initializerRange, ...longest };
    const other = otherKeys(config, this).find(({ isDefault }) => !isDefault);
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
  },

  requireWords(this: Pretrained, { codec }: { readonly codec: Codec }): void {
    if (codec.vocabSize === this.model.shape.vocabSize) return;
    const known = this.codec.words ?? new Map<string, Int32Array>();
    const missing = [...(codec.words?.keys() ?? [])].filter((word) => !known.has(word)).join(', ');
    const rule = `its vocabulary lacks ${missing}, by which a method of this config speaks to the policy`;
    const remedy = 'leave the method out, or begin with random weights';
    const message = `model_name_or_path: ${this.name} — ${rule}; ${remedy}.`;
    throw new ConfigError('vocabularies', message, { path: 'model_name_or_path', missing });
  },

  async loadWeights(this: Pretrained, policy: WeightsTaker): Promise<void> {
    try {
      await loadPretrained(this.model, policy);
    } catch (error) {
      throw withPlace(this.place, error);
    }
  },

  async loadAdapter(this: Pretrained, policy: AdapterTaker): Promise<void> {
    if (this.adapter !== undefined) await loadAdapter(this.adapter, this.model, policy);
  },

  async recorded(this: Pretrained): Promise<BaseModel> {
    const { name, place, model, location } = this;
    const files = await this.hashes();
    const { checkpoint } = place.adapter ?? place;
    const shown = checkpoint?.isChosen ? `${name}/${checkpoint.path}` : name;
    return { name: location, shown, files, sha256: await weightsHash(files, model) };
  },
};
