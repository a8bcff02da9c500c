/** The further models of a run (`models`), such as a teacher: frozen, and opened for scoring alone. */
import type { RunConfig } from '../config/run_config.ts';
import { ConfigError } from '../errors.ts';
import type { Model } from '../grpo/engine.ts';
import type { BaseModel } from '../grpo/run.ts';
import type { Backend } from '../kernels/engine.ts';
import type { AskedUse } from '../methods/uses/stage_uses.ts';
import type { Capacity } from '../model/memory/capacity.ts';
import { Policy } from '../model/policy.ts';
import type { ModelShape } from '../model/shape.ts';
import { scoringCapacity } from '../planning/capacity.ts';
import type { Codec } from '../text/codec.ts';
import type { OpenedBase } from './base.ts';

/** A model that the caller has opened; an adapter of it is merged. Its weights are read when a policy loads them. */
export interface OpenedModel extends Pick<OpenedBase, 'name' | 'codec' | 'notes' | 'loadWeights' | 'recorded'> {
  readonly model: { readonly shape: ModelShape; readonly context: number };
}

/** By their names under `models`. */
export type OpenedModels = Readonly<Record<string, OpenedModel>>;

/** What the methods of a stage use. */
interface Asked {
  readonly asked: readonly Pick<AskedUse, 'by' | 'use'>[];
}

/**
 * The models that methods of the run use, in the order in which they are asked for; the others are not opened.
 *
 * @param codec  of the policy
 * @throws ConfigError where one is missing, or has other tokens than the policy
 */
export function usedModels(
  { models = {} }: Pick<RunConfig, 'models'>,
  uses: readonly Asked[],
  opened: OpenedModels,
  codec: Codec,
): OpenedModels {
  const used: Record<string, OpenedModel> = {};
  for (const { by, use } of uses.flatMap(({ asked }) => asked)) {
    const { model: name } = use;
    if (name === undefined || used[name] !== undefined) continue;
    const path = `models.${name}`;
    const refuse = (code: string, rule: string, value?: string): ConfigError => {
      const message = `${path}: ${value ?? 'missing'} — ${rule}.`;
      return new ConfigError(code, message, { path, method: by });
    };
    const written = Object.hasOwn(models, name) ? models[name] : undefined;
    if (written === undefined)
      throw refuse('no-model', `${by} learns from it; add models: {${name}: {path: runs/${name}}}, or leave ${by} out`);
    const model = opened[name];
    if (model === undefined) {
      const rule = `${by} learns from it, and it was not opened; give openRun models: {${name}: …}, or leave ${by} out`;
      throw refuse('no-model', rule, written.path);
    }
    const difference = otherTokens(codec, model);
    if (difference !== undefined) {
      const rule = `${difference}, and tokens are compared one by one; take a model with the vocabulary of the policy`;
      throw refuse('vocabularies', rule, written.path);
    }
    used[name] = model;
  }
  return used;
}

/** How the vocabulary of a model differs from the policy's; undefined where it does not. */
function otherTokens(policy: Codec, { codec, model: { shape } }: OpenedModel): string | undefined {
  if (shape.vocabSize !== policy.vocabSize)
    return `it has ${shape.vocabSize} tokens, and the policy ${policy.vocabSize}`;
  for (let id = 0; id < policy.vocabSize; id++) {
    const [own, other] = [policy.tokenText(id), codec.tokenText(id)];
    if (own !== other) return `its token ${id} is ${JSON.stringify(other)}, and the policy's ${JSON.stringify(own)}`;
  }
  return undefined;
}

/** Models that are open. */
export interface FurtherModels {
  readonly models: Readonly<Record<string, Model>>;
  readonly recorded: Readonly<Record<string, BaseModel>>;
  close(): Promise<void>;
}

/**
 * Opens models beside a policy, for its batches.
 *
 * @throws MemoryPlanError, CheckpointError; ConfigError where one reads fewer tokens than the run writes
 */
export async function openModels(backend: Backend, used: OpenedModels, capacity: Capacity): Promise<FurtherModels> {
  const models: Record<string, Model> = {};
  const recorded: Record<string, BaseModel> = {};
  const close = async (): Promise<void> => {
    for (const { policy } of Object.values(models)) await policy.close();
  };
  try {
    for (const [name, opened] of Object.entries(used)) {
      const { shape, context } = opened.model;
      if (context < capacity.context) {
        const rule = `reads ${context} tokens, and prompt and completion take up to ${capacity.context}; lower max_completion_length`;
        const path = `models.${name}`;
        throw new ConfigError('context', `${path}: ${opened.name} — ${rule}.`, { path });
      }
      const policy = await Policy.open(backend, shape, scoringCapacity(capacity));
      models[name] = { policy, codec: opened.codec };
      await opened.loadWeights(policy);
      recorded[name] = await opened.recorded();
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { models, recorded, close };
}
