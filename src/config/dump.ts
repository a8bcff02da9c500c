/** A resolved config back in the YAML's spelling, every default written out: `parseConfig(resolvedYaml(x))` is x. */
import { stringify } from 'yaml';
import type { BatchConfig, GrpoStageConfig, StageConfig } from '../methods/stage.ts';
import type { KeyTable } from '../options/keys.ts';
import { ADAPTER_KEYS, adapterValues } from './keys/adapter_keys.ts';
import { RUN_KEYS } from './keys/run_keys.ts';
import { MODEL_KEYS } from './model_config.ts';
import { isLeftOut, spelledRecord } from './recorded_keys.ts';
import type { RunConfig } from './run_config.ts';
import { STAGE_KEYS } from './stage_config.ts';
import { methodsTree } from './stage_methods.ts';

type Mapping = Record<string, unknown>;

const RUN_PLAIN = Object.keys(RUN_KEYS).filter((name) => name !== 'task' && name !== 'tasks');

/** The YAML text of a resolved config. */
export function resolvedYaml(config: RunConfig): string {
  return stringify(resolvedTree(config), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** The same as plain values. */
export function resolvedTree(config: RunConfig): Mapping {
  return {
    ...tasksTree(config.tasks),
    ...spelled(RUN_KEYS, config, RUN_PLAIN),
    ...(config.adapter && spelled(ADAPTER_KEYS, adapterValues(config.adapter))),
    // A pretrained model's shape is in its own files.
    ...(config.modelNameOrPath === undefined && { model: spelled(MODEL_KEYS, config.model) }),
    stages: config.stages.map(stageTree),
  };
}

/** One task is written as one. */
function tasksTree(tasks: RunConfig['tasks']): Mapping {
  const [first, ...others] = tasks;
  if (others.length === 0 && first?.weight === 1) return { task: first.task };
  return { tasks: tasks.map(({ task, weight }) => ({ ...task, weight })) };
}

function stageTree(stage: StageConfig): Mapping {
  const { optimizer, evaluation } = stage;
  const { minLearningRateRatio: floor } = optimizer;
  const shared = {
    stage: stage.stage,
    ...spelled(STAGE_KEYS[stage.stage], optimizer),
    ...(optimizer.epochs !== undefined && { max_steps: undefined }), // as many as the rows ask for
    ...(floor > 0 && { lr_scheduler_kwargs: { min_lr_rate: floor } }),
    ...(evaluation.evalSteps > 0
      ? { eval_strategy: 'steps', eval_steps: evaluation.evalSteps }
      : { eval_strategy: 'no' }),
    ...spelledRecord(STAGE_KEYS[stage.stage], 'evaluation', evaluation),
    ...spelledRecord(STAGE_KEYS[stage.stage], 'stage', stage),
  };
  if (stage.stage === 'sft') {
    const { rows } = stage;
    const shown = rows && {
      dataset_name: rows.hub ?? 'json',
      ...(rows.hub_config !== undefined && { dataset_config: rows.hub_config }),
      data_files: rows.train,
    };
    return { ...shared, ...shown, per_device_train_batch_size: stage.batch.sequencesPerStep };
  }
  return { ...shared, ...batchTree(stage.batch), ...grpoTree(stage) };
}

function grpoTree({ batch, sampling, evaluation, rewards, methods }: GrpoStageConfig): Mapping {
  return {
    ...spelledRecord(STAGE_KEYS.grpo, 'sampling', sampling),
    num_generations: batch.numGenerations,
    num_generations_eval: evaluation.samples,
    num_iterations: batch.numIterations,
    ...methodsTree(methods),
    reward_funcs: rewards,
  };
}

function batchTree(batch: BatchConfig): Mapping {
  const { completionsPerStep, completionsPerMicroBatch: micro, optimizerStepsPerGeneration: updates } = batch;
  return {
    generation_batch_size: completionsPerStep,
    ...(micro !== undefined && { per_device_train_batch_size: micro }),
    ...(micro !== undefined && updates > 1 && { gradient_accumulation_steps: completionsPerStep / micro / updates }),
  };
}

/** The named values (all of the table without `names`) under their YAML spelling; absent ones stay absent. */
function spelled(table: KeyTable, values: object, names: readonly string[] = Object.keys(table)): Mapping {
  const held = values as Readonly<Record<string, unknown>>; // looked up by the table's own names
  const written = names.filter((name) => held[name] !== undefined && !isLeftOut(table[name], held[name]));
  return Object.fromEntries(written.map((name) => [table[name].yaml, held[name]]));
}
