/** What constraints is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  instructions: integer({ min: 1, max: 4, example: 2 }).default(2).describe('Instructions of a problem, at most.'),
  kinds: choice(['words', 'all'])
    .default('all')
    .describe('Instructions about words and letters in a line; all: about paragraphs, lists, marks and JSON as well.'),
});

export type ConstraintsKnobs = Values<typeof KNOBS>;

export const constraintsCard = {
  name: 'constraints',
  does: 'Write a text that keeps to instructions about its form.',
  example: ['write word lamo = 2; words <= 3>', 'lamo lamo'],
  version: 1,
  category: 'text',
  tier: 2,
  parts: [
    'instructions',
    ...['no_commas', 'lowercase', 'uppercase', 'quoted', 'title', 'json', 'two_answers', 'words', 'sentences'],
    ...['paragraphs', 'bullets', 'placeholders', 'highlights', 'capital_words', 'keyword', 'letter', 'ends_with'],
    ...['starts_with', 'postscript', 'sections', 'one_of', 'first_word'],
  ],
  knobs: KNOBS,
  levels: [{ instructions: 1, kinds: 'words' }, {}, { instructions: 3 }, { instructions: 4 }],
  attributes: { instructions: [1, 2, 3, 4], kinds: ['words', 'all'] },
} satisfies TaskCard<ConstraintsKnobs>;
