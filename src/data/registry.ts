/** Every task by name. A new task is one file and one line here. */
import type { Json } from '../options/json.ts';
import { countdown } from './countdown.ts';
import { reverseText } from './reverse_text.ts';
import { sortDigits } from './sort_digits.ts';
import type { Knobs, TaskDefinition } from './task.ts';

/** A definition whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyTaskDefinition = TaskDefinition<Json, Knobs>;

export const taskDefinitions: Readonly<Record<string, AnyTaskDefinition>> = {
  countdown,
  sort_digits: sortDigits,
  reverse_text: reverseText,
};
