/** How long the completions of a stage may become, and what ends them. */

import type { Task } from '../data/task.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { GenerationSettings } from '../model/generation.ts';

/** How the completions of a stage end. */
export function completionEnd(
  task: Task,
  stage: StageConfig,
): Pick<GenerationSettings, 'maxCompletionTokens' | 'eosTokenId' | 'fixedCompletionTokens'> {
  return {
    maxCompletionTokens: completionLimit(task, stage),
    eosTokenId: task.tokenizer.eosTokenId,
    fixedCompletionTokens: task.fixedCompletionTokens,
  };
}

/** Most completion tokens of a stage, EOS included. */
export function completionLimit(task: Task, stage: StageConfig): number {
  if (task.fixedCompletionTokens !== undefined) return task.fixedCompletionTokens;
  return (stage.stage === 'grpo' ? stage.sampling.maxCompletionTokens : undefined) ?? task.maxCompletionTokens;
}
