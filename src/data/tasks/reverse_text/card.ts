/** Reverse_text's card and knobs. */
import { integer, number, options, type Values } from '../../../options/keys.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({
  min_length: integer({ min: 1, max: 32, example: 5 }).default(5).describe('Letters of the shortest word.'),
  max_length: integer({ min: 1, max: 32, example: 8 }).default(8).describe('Letters of the longest word.'),
  letter_noise: number({ min: 0, max: 1, example: 0.2 })
    .default(0.2)
    .describe('Chance that a letter of a warm-start demonstration is wrong.'),
});

export type ReverseTextKnobs = Values<typeof KNOBS>;

export const reverseTextCard = {
  name: 'reverse_text',
  does: 'Reverse a made-up word.',
  example: ['salor>', 'rolas'],
  version: 1,
  category: 'algorithmic',
  tier: 1,
  parts: ['lcs'],
  knobs: KNOBS,
  checkKnobs({ min_length, max_length }: ReverseTextKnobs) {
    if (max_length >= min_length) return [];
    return [{ key: 'max_length', rule: `must be at least min_length (${min_length}); raise it or lower min_length` }];
  },
  levels: [{ min_length: 3, max_length: 4 }, {}, { min_length: 9, max_length: 16 }],
} satisfies TaskCard<ReverseTextKnobs>;
