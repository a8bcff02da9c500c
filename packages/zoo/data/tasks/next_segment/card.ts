/** What next_segment is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';

const KNOBS = options({
  of: ofKnob('countdown'),
  segment: integer({ min: 1, max: 32, example: 3 }).default(3).describe('Pieces that are asked for, at most.'),
});

export type NextSegmentKnobs = Values<typeof KNOBS>;

export const nextSegmentCard = {
  name: 'next_segment',
  does: 'Continue an answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , |', '7 + 6'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  knobs: KNOBS,
  levels: [{ segment: 1 }, {}, { segment: 5 }],
} satisfies TaskCard<NextSegmentKnobs>;
