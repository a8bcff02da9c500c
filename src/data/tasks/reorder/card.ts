/** What reorder is and which knobs it has. */
import { options, type Values } from '../../../options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({ of: ofKnob('countdown') });

export type ReorderKnobs = Values<typeof KNOBS>;

export const reorderCard = {
  name: 'reorder',
  does: 'Put the pieces of an answer to a problem of another task in an order that is right.',
  example: ['3 7 2 = 13 ? | 6 3 13 , 7 = * + 2 = 6 |', '3 * 2 = 6 , 7 + 6 = 13'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: [],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<ReorderKnobs>;
