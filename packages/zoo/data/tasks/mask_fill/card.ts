import { integer } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const maskFillCard = taskCard({
  name: 'mask_fill',
  does: 'Fill in what is hidden of a right answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * _ = 6 , 7 + 6 = _ |', '2 13'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  knobs: {
    of: ofKnob('countdown'),
    masks: integer({ min: 1, max: 16, example: 2 })
      .default(2)
      .describe('Pieces that are hidden, where there are as many.'),
  },
  levels: [{ masks: 1 }, {}, { masks: 4 }],
});

export type MaskFillKnobs = KnobsOf<typeof maskFillCard>;
