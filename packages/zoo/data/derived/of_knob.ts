/** The knob of a task made of a task: which one, at which of its own knobs. */
import { z } from 'zod';
import type { TaskCard } from '../../../../src/data/task.ts';
import type { Json } from '../../../../src/options/json.ts';
import { options, type Values } from '../../../../src/options/keys.ts';
import type { OptionSchema } from '../../../../src/options/option_schema.ts';
import { plainData } from '../../../../src/options/schemas.ts';

/** A task by its name, with its knobs, `level` among them. */
export type OfTask = { readonly task: string } & { readonly [knob: string]: Json };

const error = 'must be a task, or {task: NAME, …} with its knobs; for example {task: chain_sum, level: 1}';

/** @param task  the default */
export function ofKnob(task: string): OptionSchema<OfTask> {
  const name = z.string({ error }).min(1, { error });
  return z
    .union(
      [name.transform((given): OfTask => ({ task: given })), z.object({ task: name }, { error }).catchall(plainData())],
      { error },
    )
    .default({ task })
    .describe(`The task whose problems and right answers it is made of, with its knobs. Default ${task}.`);
}

const KNOBS = options({ of: ofKnob('countdown') });

export type OfKnobs = Values<typeof KNOBS>;

/** What the cards of tasks have in common that have this knob alone. */
export const OF_A_TASK: Pick<TaskCard<OfKnobs>, 'category' | 'tier' | 'knobs' | 'levels'> = {
  category: 'of tasks',
  tier: 2,
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
};
