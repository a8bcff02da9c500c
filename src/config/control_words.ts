/** The words that the methods of a run speak in, the forms in which its turns are written, and its tasks with both: the vocabulary of no other run is touched. */
import { withControlWords } from '../data/prompts/follow_up.ts';
import { type TurnForm, withTurnForms } from '../data/prompts/turn_forms.ts';
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import { usesOf, usesOfDemonstrations } from '../methods/create.ts';
import type { MethodList } from '../methods/method_list.ts';
import type { AskedUse } from '../methods/uses/stage_uses.ts';
import type { RunConfig } from './run_config.ts';

/**
 * @throws ConfigError where stages write turns in different ways
 */
export function withWordsOf({ stages }: Pick<RunConfig, 'stages'>, tasks: TaskSet, list: MethodList): TaskSet {
  const requestedUses = stages.flatMap((stage): readonly Pick<AskedUse, 'by' | 'use'>[] =>
    stage.stage === 'grpo' ? usesOf(stage, list).asked : usesOfDemonstrations(stage, list),
  );
  const spoken = withControlWords(tasks, Object.assign({}, ...requestedUses.map(({ use }) => use.words)));
  return withTurnForms(spoken, turnFormsOf(requestedUses));
}

/** The turn forms of all stages, each once, since a policy writes its turns the same way throughout a run. */
function turnFormsOf(uses: readonly Pick<AskedUse, 'by' | 'use'>[]): TurnForm[] {
  const forms = new Map<string, TurnForm>();
  for (const { by, use } of uses) {
    if (use.turnForm === undefined) continue;
    const form = forms.get(by) ?? use.turnForm;
    forms.set(by, form);
    if (form.id === use.turnForm.id) continue;
    const rule = 'turns are written in one way all through a run; give it the same options in every stage';
    throw new ConfigError('turn-forms', `${by}: ${rule}, and no schedule for them.`, { method: by });
  }
  return [...forms.values()];
}
