/** How long the completions of a stage may become, and what ends them. */

import type { TaskSet } from '../../data/task_set.ts';
import type { StageConfig } from '../../methods/stage.ts';
import type { GenerationSettings } from '../../model/sampling/generation.ts';

/** How the completions of a stage end. */
export function completionEnd(
  tasks: TaskSet,
  stage: StageConfig,
): Pick<GenerationSettings, 'maxCompletionTokens' | 'stopIds' | 'fixedCompletionTokens'> {
  return {
    maxCompletionTokens: completionLimit(tasks, stage),
    stopIds: tasks.codec.stopIds,
    fixedCompletionTokens: tasks.fixedCompletionTokens,
  };
}

/** Most completion tokens of a stage, EOS included. */
export function completionLimit(tasks: TaskSet, stage: StageConfig): number {
  if (tasks.fixedCompletionTokens !== undefined) return tasks.fixedCompletionTokens;
  return (stage.stage === 'grpo' ? stage.sampling.maxCompletionTokens : undefined) ?? tasks.maxCompletionTokens;
}
