/** Prompts with masked operands: of a problem the same for all of its completions in a step, whatever they are packed with. */
import { maskedTokens } from '../../data/prompts/masked_prompt.ts';
import type { TaskItem } from '../../data/task.ts';
import { rngFor } from '../../kernels/philox.ts';
import type { TrainingRun } from '../run.ts';

/** @param share  of its operands */
export function maskedPrompt({ tasks, config, state }: TrainingRun, item: TaskItem, share: number): Int32Array {
  const rng = rngFor(`masked|${config.seed}|${state.stageIndex}|${state.step}|${item.id}`);
  return maskedTokens(tasks, item, share, rng);
}
