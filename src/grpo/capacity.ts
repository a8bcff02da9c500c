/** How large a policy a config needs: the model's shape, and room for the largest batch of all its stages. */
import type { RunConfig } from '../config/run_config.ts';
import type { StageConfig } from '../config/stage_config.ts';
import type { Task } from '../data/task.ts';
import { ConfigError } from '../errors.ts';
import { keptRowFloats } from '../model/activations.ts';
import type { Capacity } from '../model/plan.ts';
import type { ModelShape } from '../model/shape.ts';

/** Rows of a training batch beyond which it is cut into micro-batches of whole groups. */
const MICRO_BATCH_ROWS = 8192;

/** Activations of rollouts that are worth keeping for the update: about a quarter of its arithmetic. */
const KEPT_BYTES = 1024 ** 3;

/** Completions sampled side by side during evaluation. */
const EVALUATION_COMPLETIONS = 1024;

export function modelShape(config: RunConfig, task: Task): ModelShape {
  return { ...config.model, vocabSize: task.tokenizer.vocabSize };
}

/** How much the policy must hold for every stage of a config. @throws ConfigError where max_position_embeddings is too small */
export function planCapacity(config: RunConfig, task: Task): Capacity {
  const prompt = task.maxPromptTokens;
  const longest = Math.max(...config.stages.map((stage) => completionLimit(task, stage)), task.maxCompletionTokens);
  const { maxPositionEmbeddings } = config.model;
  if (maxPositionEmbeddings !== undefined && maxPositionEmbeddings < prompt + longest) {
    const rule = `prompt and completion take up to ${prompt + longest} tokens; use that or more, or leave the key out`;
    const path = 'model.max_position_embeddings';
    throw new ConfigError('context', `${path}: ${maxPositionEmbeddings} — ${rule}.`, { path });
  }
  let rows = 1;
  let groups = 1;
  let completions = 1;
  let keptRows = 0;
  for (const stage of config.stages) {
    const perCompletion = completionLimit(task, stage) - 1;
    const samples = stage.stage === 'sft' ? 1 : stage.numGenerations;
    const groupRows = prompt + samples * perCompletion;
    const all = stage.stage === 'sft' ? stage.sequencesPerStep : stage.promptsPerStep;
    const asked = stage.stage === 'grpo' ? stage.completionsPerMicroBatch : undefined;
    const fitting = asked ? asked / samples : Math.max(1, Math.floor(MICRO_BATCH_ROWS / groupRows));
    const together = Math.min(all, fitting);
    rows = Math.max(rows, together * groupRows);
    groups = Math.max(groups, together);
    completions = Math.max(completions, stage.stage === 'grpo' ? stage.completionsPerStep : together);
    if (stage.stage === 'grpo' && together === all && stage.optimizerStepsPerGeneration === 1) {
      keptRows = Math.max(keptRows, all * groupRows);
    }
  }
  // Scoring under a reference takes the rows that a kept forward pass stands in.
  const reference = config.stages.some((stage) => stage.stage === 'grpo' && stage.klCoef !== 0);
  if (reference || keptRows * keptRowFloats(modelShape(config, task)) * 4 > KEPT_BYTES) keptRows = 0;
  completions = Math.max(completions, EVALUATION_COMPLETIONS);
  rows = Math.max(rows, completions);
  return {
    rows,
    lossRows: rows + completions,
    groups,
    completions,
    kvRows: Math.max(rows, completions * longest + prompt * Math.ceil(completions / 2)),
    context: prompt + longest,
    training: true,
    reference,
    keptRows,
  };
}

/** Most completion tokens of a stage, EOS included. */
export function completionLimit(task: Task, stage: StageConfig): number {
  if (task.fixedCompletionTokens !== undefined) return task.fixedCompletionTokens;
  return (stage.stage === 'grpo' ? stage.maxCompletionTokens : undefined) ?? task.maxCompletionTokens;
}
