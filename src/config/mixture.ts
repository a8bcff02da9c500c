/**
 * `task: {name: mixture, parts: [{task: chain_sum, level: 1, weight: 2}, {task: gcd}]}`: several tasks as one, another
 * way to write `tasks:`. Where the tasks of a run are written is said here too, for messages.
 */
import { z } from 'zod';
import type { Plugin } from '../options/keys.ts';
import { readValue } from '../options/read.ts';
import { plainData, text } from '../options/schemas.ts';
import { shareWeight } from './keys/share_weight.ts';
import { MISSING, type Problems } from './problems.ts';

/** A task of a run, with its level or its knobs, and how often it is drawn relative to the others. */
export interface TaskEntry {
  readonly task: Plugin;
  readonly weight: number;
}

/** The name under `task:` that stands for several tasks. */
export const MIXTURE = 'mixture';

const EXAMPLE = '{task: gcd, level: 1, weight: 2}';
const partError = `must be a task by its name, or a mapping with one; for example ${EXAMPLE}`;
const partName = text('gcd');

/** A part as it is written. */
const part = z.union(
  [
    partName.transform((name): TaskEntry => ({ task: { name }, weight: 1 })),
    z
      .object({ task: partName, weight: shareWeight })
      .catchall(plainData())
      .transform(({ task: name, weight, ...knobs }): TaskEntry => ({ task: { ...knobs, name }, weight })),
  ],
  { error: partError },
);
const mixtureParts = z
  .array(part, { error: `must be a list of parts; for example [${EXAMPLE}, {task: lcm}]` })
  .min(2, { error: 'a mixture has two parts or more; a single task is named by itself: task: {name: gcd}' });

/** The tasks of a mixture; mistakes go to `problems`. */
export function readMixture({ name: _name, parts, ...others }: Plugin, problems: Problems): readonly TaskEntry[] {
  for (const [own, value] of Object.entries(others)) {
    problems.add(`task.${own}`, value, `not a key of a mixture, which has parts alone; move it to a part: ${EXAMPLE}`);
  }
  const read = readValue(mixtureParts, parts);
  if (!read.ok) {
    const { path, value, rule } = read.problem;
    problems.add(['task.parts', ...path].join('.'), value ?? MISSING, rule);
    return [];
  }
  for (const [index, { task }] of read.value.entries()) {
    if (task.name !== MIXTURE) continue;
    problems.add(`task.parts.${index}.task`, MIXTURE, 'a part is one task; write the parts of that mixture here');
  }
  return read.value;
}

/** Where the task of this number is written. */
export function placeOfTask(problems: Problems, index: number): string {
  if (problems.written('tasks') !== undefined) return `tasks.${index}`;
  if (problems.written('task.parts') !== undefined) return `task.parts.${index}`;
  // TRL's keys of a data set are a task, too.
  return problems.written('task', 'data_files', 'dataset_name') ?? 'task';
}
