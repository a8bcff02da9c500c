import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const ransomNoteCard = taskCard({
  name: 'ransom_note',
  does: 'Say whether a note can be cut out of a text.',
  example: ['note aab from abca>', 'yes'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    length: integer({ min: 3, max: 30, example: 5 }).default(5).describe('Letters of the longest note.'),
    alphabet: integer({ min: 3, max: 26, example: 6 })
      .default(6)
      .describe('Texts are made of this many of the first letters.'),
  },
  levels: [{ length: 4, alphabet: 4 }, {}, { length: 12, alphabet: 10 }, { length: 30, alphabet: 26 }],
  attributes: { length: [4, 5, 12, 30], alphabet: [4, 6, 10, 26] },
});

export type RansomNoteKnobs = KnobsOf<typeof ransomNoteCard>;
