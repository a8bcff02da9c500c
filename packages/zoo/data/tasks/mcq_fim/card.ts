import { integer } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const mcqFimCard = taskCard({
  name: 'mcq_fim',
  does: 'Choose what is missing in the middle of an answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 _ = 13 | A + 9 B * 6 C + 6 D - 6 |', 'C'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  knobs: {
    of: ofKnob('countdown'),
    options: integer({ min: 2, max: 8, example: 4 })
      .default(4)
      .describe('Texts to choose from, one of which is right.'),
    span: integer({ min: 1, max: 8, example: 2 }).default(2).describe('Most pieces that are hidden, side by side.'),
  },
  levels: [{ options: 2, span: 1 }, {}, { span: 4 }],
});

export type McqFimKnobs = KnobsOf<typeof mcqFimCard>;
