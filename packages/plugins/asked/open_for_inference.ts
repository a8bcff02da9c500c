/** Opens the model of a config to be asked: a policy that is not trained. */
import { withWordsOf } from '../../../src/config/control_words.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { localEngine } from '../../../src/grpo/engine.ts';
import type { ConfiguredModel, TrainingRun } from '../../../src/grpo/run.ts';
import type { Backend } from '../../../src/kernels/engine.ts';
import { Policy } from '../../../src/model/policy.ts';
import { type InferenceLoad, inferenceCapacity, modelShape, trainedOf } from '../../../src/planning/capacity.ts';
import { type OpenedBase, requireBase } from '../../../src/run/base.ts';
import { figuresOf, type RunOptions, requireStorage } from '../../../src/run/open_run.ts';

/** What `openForInference` is given besides config, tasks and backend. */
export interface InferenceOptions extends Pick<RunOptions, 'registries' | 'pretrained'> {
  /** What will be sampled together. */
  readonly load: InferenceLoad;
}

/** A model that is asked and not trained. */
export type Inference = ConfiguredModel & Pick<TrainingRun, 'figures'>;

/**
 * Opens the model of a config to be evaluated or sampled: a policy without gradients, optimizer and reference, whose
 * weights are 0 until a model or a checkpoint is loaded; where the config trains an adapter, those of its base are there.
 *
 * @throws MemoryPlanError, ConfigError
 */
export async function openForInference(
  given: RunConfig,
  of: TaskSet,
  backend: Backend,
  { registries, load, pretrained }: InferenceOptions,
): Promise<Inference> {
  requireBase(given, pretrained);
  const config = requireStorage(pretrained?.configured(given) ?? given, backend);
  const tasks = withWordsOf(config, of, registries.methods); // those of the user's files are there: `openPlugins` has added them
  const capacity = inferenceCapacity(config, tasks, load);
  const policy = await Policy.open(backend, modelShape(config, tasks), capacity, trainedOf(config));
  if (config.adapter !== undefined) await loadBase(pretrained, policy);
  const base = await pretrained?.recorded();
  const engine = localEngine({ policy: { policy, codec: tasks.codec } }, tasks);
  return { config, registries, engine, figures: figuresOf(config, registries.methods), ...(base && { base }) };
}

/** Loads the base model of an adapter. */
async function loadBase(pretrained: OpenedBase | undefined, policy: Policy): Promise<void> {
  try {
    await pretrained?.loadWeights(policy);
  } catch (error) {
    await policy.close();
    throw error;
  }
}
