/** A resolved config back in the YAML's spelling, every default written out: `parseConfig(resolvedYaml(x))` is x. */
import { stringify } from 'yaml';
import type { KeyTable } from '../options/keys.ts';
import { MODEL_KEYS } from './model_config.ts';
import type { RunConfig } from './run_config.ts';
import { RUN_KEYS } from './run_keys.ts';
import { GRPO_PLAIN, type GrpoStageConfig, OPTIMIZER_PLAIN, STAGE_KEYS, type StageConfig } from './stage_config.ts';

type Mapping = Record<string, unknown>;

/** The YAML text of a resolved config. */
export function resolvedYaml(config: RunConfig): string {
  return stringify(resolvedTree(config), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** The same as plain values. */
export function resolvedTree(config: RunConfig): Mapping {
  return {
    ...spelled(RUN_KEYS, config),
    model: spelled(MODEL_KEYS, config.model),
    stages: config.stages.map(stageTree),
  };
}

function stageTree(stage: StageConfig): Mapping {
  const shared = {
    stage: stage.stage,
    max_steps: stage.maxSteps,
    learning_rate: stage.learningRate,
    warmup_steps: stage.warmupSteps,
    ...spelled(STAGE_KEYS[stage.stage], stage, OPTIMIZER_PLAIN),
    ...(stage.minLearningRateRatio > 0 && { lr_scheduler_kwargs: { min_lr_rate: stage.minLearningRateRatio } }),
    ...(stage.evalSteps > 0 ? { eval_strategy: 'steps', eval_steps: stage.evalSteps } : { eval_strategy: 'no' }),
  };
  if (stage.stage === 'sft') return { ...shared, per_device_train_batch_size: stage.sequencesPerStep };
  return { ...shared, ...batchTree(stage), ...grpoTree(stage) };
}

function grpoTree(stage: GrpoStageConfig): Mapping {
  const { dynamicSampling } = stage;
  return {
    ...(stage.maxCompletionTokens !== undefined && { max_completion_length: stage.maxCompletionTokens }),
    ...spelled(STAGE_KEYS.grpo, stage, GRPO_PLAIN),
    epsilon_high: stage.clipEpsilonHigh,
    dynamic_sampling:
      dynamicSampling.name === 'none' ? { name: 'none' } : { name: 'refill', max_rounds: dynamicSampling.maxRounds },
    reward_funcs: stage.rewards,
  };
}

function batchTree(stage: GrpoStageConfig): Mapping {
  const { completionsPerStep, completionsPerMicroBatch: micro, optimizerStepsPerGeneration: updates } = stage;
  return {
    generation_batch_size: completionsPerStep,
    ...(micro !== undefined && { per_device_train_batch_size: micro }),
    ...(micro !== undefined && updates > 1 && { gradient_accumulation_steps: completionsPerStep / micro / updates }),
  };
}

/** The named values (all of the table without `names`) under their YAML spelling; absent ones stay absent. */
function spelled(table: KeyTable, values: object, names: readonly string[] = Object.keys(table)): Mapping {
  const held = values as Readonly<Record<string, unknown>>; // looked up by the table's own names
  const written = names.filter((name) => held[name] !== undefined).map((name) => [table[name].yaml, held[name]]);
  return Object.fromEntries(written);
}
