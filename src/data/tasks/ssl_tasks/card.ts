/** What ssl_tasks is and which knobs it has. */
import { options, type Values } from '../../../options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({ of: ofKnob('countdown') });

export type SslTasksKnobs = Values<typeof KNOBS>;

export const sslTasksCard = {
  name: 'ssl_tasks',
  does: 'Self-supervision from the answers of another task, of five kinds by turns: fill a gap, put in order, choose a middle, find what is spoiled, choose between two.',
  example: ['3 7 2 = 13 ? | A | 3 * _ = 6 , 7 + 6 = _ |', '2 13'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: [],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<SslTasksKnobs>;
