import { flag, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const formStateCard = taskCard({
  name: 'form_state',
  does: 'Edit a record, a field a turn, until it is as it should be, then submit it.',
  example: ['a1b0c4d2 a1b3c4d5>', 'b3'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    fields: integer({ min: 2, max: 10, example: 4 }).default(4).describe('Fields of the record.'),
    values: integer({ min: 3, max: 10, example: 6 }).default(6).describe('Values that a field may have, from 0.'),
    changes: integer({ min: 1, max: 10, example: 3 }).default(3).describe('Fields that are not as they should be.'),
    resets: flag()
      .default(false)
      .describe('Setting a field sets the next one to 0, as the country of an address does to its city.'),
  },
  checkKnobs: ({ changes, fields }) =>
    changes <= fields ? [] : [{ key: 'changes', rule: `at most ${fields}, as many as there are fields` }],
  levels: [{ fields: 3, changes: 2 }, {}, { resets: true }, { fields: 8, values: 10, changes: 6, resets: true }],
  attributes: { fields: [3, 5, 8], values: [3, 10], changes: [1, 4] },
});

export type FormStateKnobs = KnobsOf<typeof formStateCard>;
