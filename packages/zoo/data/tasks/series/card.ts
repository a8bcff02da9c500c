import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const seriesCard = taskCard({
  name: 'series',
  does: 'Tell which form a series of digits has.',
  example: ['form 1 4 8 5 2>', 'peak'],
  version: 1,
  category: 'algorithmic',
  tier: 2,
  knobs: {
    blocks: integer({ min: 4, max: 12, example: 5 }).default(5).describe('Blocks whose sums have the form.'),
    window: integer({ min: 1, max: 3, example: 2 })
      .default(1)
      .describe('Digits of a block: 1 is a series without noise.'),
  },
  levels: [{ blocks: 4 }, {}, { window: 2 }, { blocks: 8, window: 3 }],
  attributes: { blocks: [4, 6, 12], window: [1, 2, 3] },
});

export type SeriesKnobs = KnobsOf<typeof seriesCard>;
