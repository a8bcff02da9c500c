/**
 * Prompts that are too long for the run are an error, or left out and counted, as the config says. A prompt is never
 * truncated, since that may turn it into another problem.
 */

import { DataError } from '../../errors.ts';
import { promptOf } from '../../text/codec.ts';
import type { TaskItem } from '../task.ts';
import { delegating, type TaskSet } from '../task_set.ts';

export interface PromptLimit {
  /** Most tokens of a prompt, the template's included; default: the tasks' limit, or the measured one. */
  readonly maxPromptLength?: number | undefined;
  /** Default `error`. */
  readonly overlongPrompts?: 'error' | 'drop' | undefined;
}

/** Prompts in a row that may be too long before a run gives up finding one. */
const MOST_DROPPED = 1_000;

/** The same tasks with that limit. */
export function limitPrompts(tasks: TaskSet, { maxPromptLength, overlongPrompts = 'error' }: PromptLimit): TaskSet {
  if (maxPromptLength === undefined && overlongPrompts === 'error') return tasks;
  const { maxPromptTokens } = tasks;
  const drops = overlongPrompts === 'drop';
  const tokensOf = (item: TaskItem): Int32Array =>
    tasks.codec.encode(promptOf(tasks.codec, tasks.environment.prompt(item)));
  const isOverlong = (item: TaskItem): boolean => tokensOf(item).length > maxPromptTokens;
  let heldOut: readonly TaskItem[] | undefined;
  const heldOutItems = (): readonly TaskItem[] => {
    if (heldOut !== undefined) return heldOut;
    const items = tasks.heldOutItems();
    const long = items.filter(isOverlong);
    if (long.length > 0 && !drops) throw tooLong(long[0], tokensOf(long[0]).length, maxPromptTokens);
    if (long.length === items.length) throw noneFits('held-out prompts', items.length, maxPromptTokens);
    heldOut = long.length === 0 ? items : items.filter((item) => !long.includes(item));
    return heldOut;
  };
  const limited: TaskSet = delegating(tasks, {
    ...(drops && { isOverlong }),
    droppedHeldOut: () => tasks.heldOutItems().length - heldOutItems().length,
    heldOutItems,
    promptTokens: (item) => {
      const tokens = tokensOf(item);
      if (tokens.length > maxPromptTokens) throw tooLong(item, tokens.length, maxPromptTokens);
      return tokens;
    },
    supervised: (stage) => {
      const stageTasks = tasks.supervised(stage);
      return stageTasks === tasks ? limited : limitPrompts(stageTasks, { maxPromptLength, overlongPrompts });
    },
  });
  return limited;
}

/**
 * The first item of the training stream from `index` on whose prompt fits.
 *
 * @returns the item, its own index, and the index after it
 * @throws DataError if a thousand in a row do not fit
 */
export function fittingItem(
  tasks: TaskSet,
  seed: number,
  index: number,
): { readonly item: TaskItem; readonly index: number; readonly next: number } {
  for (let at = index; at < index + MOST_DROPPED; at++) {
    const item = tasks.trainItem(seed, at);
    if (!tasks.isOverlong?.(item)) return { item, index: at, next: at + 1 };
  }
  throw noneFits('prompts in a row', MOST_DROPPED, tasks.maxPromptTokens);
}

function tooLong({ prompt }: TaskItem, length: number, most: number): DataError {
  const shown = prompt.length > 80 ? `${prompt.slice(0, 79)}…` : prompt;
  const rule = `the prompt of ${JSON.stringify(shown)} has ${length} tokens; raise it, or set overlong_prompts: drop`;
  return new DataError('prompt-too-long', `max_prompt_length: ${most} — ${rule}.`, { length, most });
}

function noneFits(what: string, count: number, most: number): DataError {
  const rule = `all of ${count} ${what} are longer; raise it, or show fewer examples`;
  return new DataError('prompt-too-long', `max_prompt_length: ${most} — ${rule}.`, { count, most });
}
