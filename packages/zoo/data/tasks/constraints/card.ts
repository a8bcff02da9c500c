import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const constraintsCard = taskCard({
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
  knobs: {
    instructions: integer({ min: 1, max: 4, example: 2 }).default(2).describe('Instructions of a problem, at most.'),
    kinds: choice(['words', 'all'])
      .default('all')
      .describe(
        'Instructions about words and letters in a line; all: about paragraphs, lists, marks and JSON as well.',
      ),
  },
  levels: [{ instructions: 1, kinds: 'words' }, {}, { instructions: 3 }, { instructions: 4 }],
  attributes: { instructions: [1, 2, 3, 4], kinds: ['words', 'all'] },
});

export type ConstraintsKnobs = KnobsOf<typeof constraintsCard>;
