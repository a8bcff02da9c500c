import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const regexWriteCard = taskCard({
  name: 'regex_write',
  does: 'Write a regular expression for the words that a line describes.',
  example: ['some a, b or c>', 'a+[bc]'],
  version: 2,
  category: 'programs',
  tier: 2,
  sandbox: 'regex',
  parts: ['runs', 'tests'],
  knobs: {
    pieces: integer({ min: 1, max: 4, example: 2 })
      .default(2)
      .describe('Pieces that words are made of, one after the other.'),
    counts: integer({ min: 1, max: 2, example: 1 })
      .default(1)
      .describe('How often a piece occurs: once, maybe, some and any (1), or twice and two or three times too (2).'),
    branches: integer({ min: 1, max: 2, example: 1 })
      .default(1)
      .describe('Descriptions, one of which a word has to meet.'),
  },
  levels: [{}, { pieces: 3 }, { pieces: 3, counts: 2 }, { pieces: 2, counts: 2, branches: 2 }],
  attributes: { pieces: [1, 2, 3, 4], counts: [1, 2], branches: [1, 2] },
});

export type RegexWriteKnobs = KnobsOf<typeof regexWriteCard>;
