/** Sort_digits's card and knobs. */
import { integer, options, type Values } from '../../../options/keys.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({
  digits: integer({ min: 2, max: 9, example: 4 }).default(4).describe('How many digits.'),
});

export type SortDigitsKnobs = Values<typeof KNOBS>;

export const sortDigitsCard = {
  name: 'sort_digits',
  does: 'Sort digits, ascending.',
  example: ['3142>', '1234'],
  version: 1,
  category: 'algorithmic',
  tier: 1,
  parts: ['positions'],
  knobs: KNOBS,
  levels: [{ digits: 3 }, { digits: 4 }, { digits: 6 }],
} satisfies TaskCard<SortDigitsKnobs>;
