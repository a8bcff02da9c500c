/** Every task by name. A new task is one file and one line here. */
import type { Json } from '../options/json.ts';
import type { Knobs, TaskDefinition } from './task.ts';
import { countdown } from './tasks/countdown/countdown.ts';
import { reverseText } from './tasks/reverse_text/reverse_text.ts';
import { sortDigits } from './tasks/sort_digits/sort_digits.ts';

/** A definition whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyTaskDefinition = TaskDefinition<Json, Knobs>;

export const taskDefinitions: Readonly<Record<string, AnyTaskDefinition>> = {
  countdown,
  sort_digits: sortDigits,
  reverse_text: reverseText,
};
