/** The words that the methods of a run speak in, and its tasks with them: the vocabulary of no other run is touched. */
import { withControlWords } from '../data/prompts/follow_up.ts';
import type { TaskSet } from '../data/task_set.ts';
import { needsOf } from '../methods/create.ts';
import type { OwnMethods } from '../methods/look_up.ts';
import type { RunConfig } from './run_config.ts';

/** @param own  methods of files, as far as they are loaded */
export function withWordsOf({ stages }: Pick<RunConfig, 'stages'>, tasks: TaskSet, own: OwnMethods = {}): TaskSet {
  const words = stages.flatMap((stage) => (stage.stage === 'grpo' ? needsOf(stage, own).words : []));
  return withControlWords(tasks, Object.fromEntries(words));
}
