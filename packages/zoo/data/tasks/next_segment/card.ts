import { integer } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const nextSegmentCard = taskCard({
  name: 'next_segment',
  does: 'Continue an answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , |', '7 + 6'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  knobs: {
    of: ofKnob('countdown'),
    segment: integer({ min: 1, max: 32, example: 3 }).default(3).describe('Pieces that are asked for, at most.'),
  },
  levels: [{ segment: 1 }, {}, { segment: 5 }],
});

export type NextSegmentKnobs = KnobsOf<typeof nextSegmentCard>;
