/** The tasks of a stage, as its key `task_weights` says. */
import type { RunConfig } from '../config/run_config.ts';
import { weightedTasks } from '../data/stage_tasks.ts';
import type { TaskSet } from '../data/task_set.ts';

/** The tasks that a stage draws its problems from. @throws ConfigError for an unknown task */
export function stageTasks(tasks: TaskSet, { stages }: Pick<RunConfig, 'stages'>, index: number): TaskSet {
  const stage = stages[index];
  const shown = stage?.stage === 'sft' ? tasks.supervised(index) : tasks;
  if (stage?.taskWeights === undefined || shown.shares !== tasks.shares) return shown; // rows of its own
  const path = stages.length > 1 ? `stages.${index}.task_weights` : 'task_weights';
  return weightedTasks(shown, stage.taskWeights, path);
}
