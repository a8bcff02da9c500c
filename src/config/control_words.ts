/** The words that the methods of a run speak in, and its tasks with them: the vocabulary of no other run is touched. */
import { withControlWords } from '../data/prompts/follow_up.ts';
import type { TaskSet } from '../data/task_set.ts';
import { usesOf, usesOfDemonstrations } from '../methods/create.ts';
import type { OwnMethods } from '../methods/look_up.ts';
import type { AskedUse } from '../methods/uses/stage_uses.ts';
import type { RunConfig } from './run_config.ts';

/** @param own  methods of files, as far as they are loaded */
export function withWordsOf({ stages }: Pick<RunConfig, 'stages'>, tasks: TaskSet, own: OwnMethods = {}): TaskSet {
  const asked = stages.flatMap((stage): readonly Pick<AskedUse, 'use'>[] =>
    stage.stage === 'grpo' ? usesOf(stage, own).asked : usesOfDemonstrations(stage),
  );
  return withControlWords(tasks, Object.assign({}, ...asked.map(({ use }) => use.words)));
}
