import { integer, key, method, type TokenControl } from '../kit.ts';
import { repeats } from '../support/rollouts/repeats.ts';

export const repetitionStop = method({
  id: 'repetition-stop',
  about: {
    does: 'Ends a completion that repeats itself.',
    formula: 'stop where the newest length tokens occur times times in a row',
    source: '2505.17155',
    certainty: 'after the paper',
    when: 'Where completions reach their limit by repeating themselves; it saves tokens and changes nothing else.',
  },
  against: ['length-explosion'],
  options: {
    repeatedTokens: key(
      'length',
      integer({ min: 1, max: 1024, example: 4 }).default(4).describe('Tokens that repeat.'),
    ),
    repetitions: key(
      'times',
      integer({ min: 2, max: 64, example: 3 }).default(3).describe('Times that they repeat in a row.'),
    ),
  },
  create: ({ repeatedTokens: length, repetitions: times }): TokenControl => ({
    after: (tokens) => (repeats(tokens, length, times) ? 'stop' : undefined),
  }),
});
