import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const nimCard = taskCard({
  name: 'nim',
  does: 'Take things from heaps in turn with an opponent, so that the last one is yours.',
  example: ['345>', 'a2'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    heaps: integer({ min: 2, max: 5, example: 3 }).default(3).describe('Heaps.'),
    most: integer({ min: 2, max: 9, example: 5 }).default(5).describe('Most things in a heap at the start.'),
    opponent: choice(['perfect', 'random'])
      .default('perfect')
      .describe('Who takes in turn: one who wins whatever can be won, or one who takes anything.'),
  },
  levels: [{ most: 3, opponent: 'random' }, { most: 3 }, {}, { heaps: 4, most: 7 }],
  attributes: { heaps: [2, 3, 4], most: [3, 5, 7], opponent: ['random', 'perfect'] },
});

export type NimKnobs = KnobsOf<typeof nimCard>;
