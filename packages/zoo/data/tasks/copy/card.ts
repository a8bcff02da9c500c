import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const copyCard = taskCard({
  name: 'copy',
  does: 'Repeat a made-up word.',
  example: ['copy abca>', 'abca'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: {
    length: integer({ min: 2, max: 48, example: 6 }).default(6).describe('Letters of the longest word.'),
    alphabet: integer({ min: 4, max: 26, example: 8 })
      .default(8)
      .describe('Words are made of this many of the first letters.'),
  },
  levels: [{ length: 4, alphabet: 6 }, {}, { length: 12, alphabet: 16 }, { length: 24, alphabet: 26 }],
  attributes: { length: [4, 6, 12, 24], alphabet: [4, 8, 16, 26] },
});

export type CopyKnobs = KnobsOf<typeof copyCard>;
