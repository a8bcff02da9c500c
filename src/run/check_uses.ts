/** Checks before step 1 that a run's tasks provide what its methods use. */
import { POINT_KEYS } from '../config/keys/method_keys.ts';
import type { RunConfig } from '../config/run_config.ts';
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import type { RunRemark } from '../grpo/run.ts';
import type { Remark } from '../methods/remark.ts';
import type { AskedUse, StageUses } from '../methods/uses/stage_uses.ts';

/** What the methods of a stage use. */
interface AskedFor {
  readonly asked: readonly Pick<AskedUse, 'by' | 'use'>[];
}

/** @throws ConfigError for the first use that the tasks cannot provide, or that an adapter excludes */
export function requireUses(uses: readonly AskedFor[], tasks: TaskSet, { adapter }: Pick<RunConfig, 'adapter'>): void {
  const looked = new Set<string>();
  for (const { by, use } of uses.flatMap(({ asked }) => asked)) {
    if (looked.has(use.id)) continue;
    looked.add(use.id);
    const refusal = use.refuses?.(tasks) ?? (adapter && use.refusesAdapter);
    if (refusal === undefined) continue;
    const { code, rule, remedy, facts } = refusal;
    throw new ConfigError(code, `${by}: ${rule}; ${remedy}.`, { method: by, ...facts });
  }
}

/** @throws ConfigError for a supervised stage of a task without demonstrations */
export function requireDemonstrations({ stages }: Pick<RunConfig, 'stages'>, tasks: TaskSet): void {
  for (const [index, { stage }] of stages.entries()) {
    if (stage !== 'sft') continue;
    const lacking = tasks.supervised(index).shares.find(({ task }) => task.undemonstrated !== undefined);
    if (lacking === undefined) continue;
    const { label, task } = lacking;
    const path = `stages.${index}.stage`;
    throw new ConfigError('no-demonstrations', `${path}: sft — ${label}: ${task.undemonstrated}.`, {
      path,
      task: label,
    });
  }
}

/**
 * @param uses  [stages] of a grpo stage's methods
 * @param drawn  [stages] the tasks that the stage draws from
 * @throws ConfigError where rewards are to teach rows that have no right answer
 */
export function requireAnswers(uses: readonly (AskedFor | undefined)[], drawn: readonly TaskSet[]): void {
  for (const [index, ofStage] of uses.entries()) {
    if (ofStage === undefined || ofStage.asked.some(({ use }) => use.takesPreferences)) continue;
    const lacking = drawn[index].shares.find(({ task }) => task.unrewarded !== undefined);
    if (lacking === undefined) continue;
    const { label, task } = lacking;
    throw new ConfigError('no-answers', `${label}: ${task.unrewarded}.`, { task: label });
  }
}

/** Problems to inspect: enough to meet a rare task of a mixture. */
const LOOKED_AT = 128;
/** A training stream that no run uses. */
const NO_RUN = -3;

/** @param drawn  the tasks that the stage draws from */
export function warningsOfUses(
  { asked }: StageUses,
  drawn: Pick<TaskSet, 'trainItem'>,
  asRunRemark: (remark: Remark & { readonly level: 'warning' }) => RunRemark,
): readonly RunRemark[] {
  const warning = asked.filter(({ use }) => use.warns !== undefined);
  if (warning.length === 0) return [];
  const items = Array.from({ length: LOOKED_AT }, (_, index) => drawn.trainItem(NO_RUN, index));
  return warning.flatMap(({ by, point, use }) => {
    const text = use.warns?.(items);
    if (text === undefined) return [];
    const remark = { level: 'warning', at: { key: POINT_KEYS[point].yaml }, value: by, text } as const;
    return [asRunRemark(remark)];
  });
}
