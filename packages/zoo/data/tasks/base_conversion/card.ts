import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const baseConversionCard = taskCard({
  name: 'base_conversion',
  does: 'Write a number in another base.',
  example: ['b 13 10 2>', '1101'],
  version: 2,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    max: integer({ min: 31, max: 99999, example: 255 }).default(255).describe('Numbers are drawn from 2 to this one.'),
    bases: choice(['two', 'common', 'any'])
      .default('common')
      .describe('Which bases: 2 and 10; 2, 8, 10 and 16; or all from 2 to 16.'),
  },
  levels: [{ max: 255, bases: 'two' }, {}, { max: 1000, bases: 'any' }, { max: 99999, bases: 'any' }],
  attributes: { max: [255, 1000, 99999] },
});

export type BaseConversionKnobs = KnobsOf<typeof baseConversionCard>;
