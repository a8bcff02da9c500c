import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const runLengthCard = taskCard({
  name: 'run_length',
  does: 'Write a text by the lengths of its runs, or read it from them.',
  example: ['pack aaab>', '3a1b'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    runs: integer({ min: 2, max: 12, example: 4 }).default(4).describe('Runs, at most.'),
    longest: integer({ min: 3, max: 9, example: 4 }).default(4).describe('Letters of the longest run.'),
    alphabet: integer({ min: 3, max: 26, example: 6 }).default(6).describe('How many of the first letters are used.'),
  },
  levels: [{ runs: 3, longest: 3 }, {}, { runs: 7 }, { runs: 12, longest: 9, alphabet: 26 }],
  attributes: { runs: [3, 4, 7, 12], longest: [3, 4, 9] },
});

export type RunLengthKnobs = KnobsOf<typeof runLengthCard>;
