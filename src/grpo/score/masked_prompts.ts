/** Prompts with masked operands, the same for all completions of a problem within a step, however they are packed. */
import { maskedTokens } from '../../data/prompts/masked_prompt.ts';
import type { TaskItem } from '../../data/task.ts';
import { rngFor } from '../../kernels/philox.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';

/** @param share  of its operands */
export function maskedPrompt(
  { tasks }: Engine,
  { seed, stageIndex, number }: Step,
  item: TaskItem,
  share: number,
): Int32Array {
  const rng = rngFor(`masked|${seed}|${stageIndex}|${number}|${item.id}`);
  return maskedTokens(tasks, item, share, rng);
}
