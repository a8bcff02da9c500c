/** Exports a run's model: what transformers needs to load it and to end an answer where the policy does. */
import type { BestEvaluation } from '../../grpo/best_evaluation.ts';
import { completionLimit } from '../../grpo/rollout/completion_end.ts';
import { type ConfiguredModel, isStageOver, type Progress, stageOf } from '../../grpo/run.ts';
import type { StageConfig } from '../../methods/stage.ts';
import { asksInWords } from '../../text/codec.ts';
import { isBestNow } from '../checkpoint/best_weights.ts';
import type { Store } from '../store/store.ts';
import { writeAdapter, writeAdapterConfig } from './adapter_export.ts';
import type { ModelOrigin } from './model_card.ts';
import { eosTokenIds, writeModel, writeModelConfig, writeTokenizer } from './model_files.ts';

export function bestOrigin(
  { config }: Pick<ConfiguredModel, 'config'>,
  { stageIndex, step, evaluation }: BestEvaluation,
): ModelOrigin {
  return { stage: config.stages[stageIndex] as StageConfig, step, evaluation };
}

/** The policy as it is now. */
export function lastOrigin(run: Progress): ModelOrigin {
  const { stageIndex, step, final, best } = run.journal.state;
  const stage = stageOf(run);
  const isEnd = stageIndex === run.config.stages.length - 1 && isStageOver(run);
  return { stage, step, evaluation: isEnd ? final : isBestNow(run) ? best?.evaluation : undefined };
}

/**
 * Describes the run's model without its weights: shape or adapter, and vocabulary. A run writes this first, so that any
 * of its checkpoints can start another run.
 */
export async function describeModel(store: Store, folder: string, run: ConfiguredModel): Promise<void> {
  const {
    config: { adapter },
    engine: { policy, tasks },
    base,
  } = run;
  await writeTokenizer(store, folder, tasks.codec);
  if (adapter !== undefined && base !== undefined) await writeAdapterConfig(store, folder, adapter, base);
  else await writeModelConfig(store, folder, policy.shape, tasks.codec, { context: contextOf(run) });
}

/** Writes all files of the policy's model into `folder` of the store. @returns SHA-256 of all weights */
export async function exportModel(
  store: Store,
  folder: string,
  run: ConfiguredModel & Progress,
  origin: ModelOrigin,
): Promise<string> {
  const { policy, tasks } = run.engine;
  const { codec } = tasks;
  const write = (name: string, text: string): Promise<void> =>
    store.writeAtomic(`${folder}/${name}`, new TextEncoder().encode(text));
  const { adapter } = run.config;
  if (adapter !== undefined && run.base !== undefined) {
    const sha256 = await writeAdapter(store, folder, policy, adapter, run.base);
    await writeTokenizer(store, folder, codec);
    await write('README.md', (await import('./model_card.ts')).modelCard(run, origin, sha256));
    return sha256;
  }
  const sha256 = await writeModel(store, folder, policy, codec, contextOf(run));
  const generation = {
    do_sample: false,
    eos_token_id: eosTokenIds(codec),
    pad_token_id: codec.padTokenId,
    max_new_tokens: completionLimit(tasks, origin.stage),
  };
  await write('generation_config.json', `${JSON.stringify(generation, null, 2)}\n`);
  await write('README.md', (await import('./model_card.ts')).modelCard(run, origin, sha256));
  return sha256;
}

/** Longest sequence of the model: a pretrained one's limit, or what this run needs if positions are unbounded. */
function contextOf({ config, engine: { policy, tasks } }: ConfiguredModel): number {
  const { maxPositionEmbeddings } = config.model;
  return asksInWords(tasks.codec) && maxPositionEmbeddings !== undefined
    ? maxPositionEmbeddings
    : policy.capacity.context;
}
