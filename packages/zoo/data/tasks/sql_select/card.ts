/** What sql_select is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';

/** Knobs of the tasks whose answers are queries. */
export const SQL_KNOBS = options({
  shape: choice(['rows', 'total', 'groups'])
    .default('rows')
    .describe('What is asked: a column of the rows, one number for all of them, or one for each letter.'),
  conditions: integer({ min: 1, max: 2, example: 1 }).default(1).describe('Conditions that rows must meet.'),
  fuel: integer({ min: 20_000, max: 100_000_000, example: 1_000_000 })
    .default(1_000_000)
    .describe('What an answer may use for each table, in units of the sandbox: about five milliseconds.'),
});

export type SqlSelectKnobs = Values<typeof SQL_KNOBS>;

export const sqlSelectCard = {
  name: 'sql_select',
  does: 'Write a query in SQL that selects or adds up what is asked of a table.',
  example: ['t(a,b,c): sum b if a>3>', 'select sum(b) from t where a>3'],
  version: 2,
  category: 'programs',
  tier: 3,
  sandbox: 'sql',
  parts: ['runs', 'tables'],
  knobs: SQL_KNOBS,
  levels: [{}, { shape: 'total' }, { shape: 'groups' }, { shape: 'groups', conditions: 2 }],
  attributes: { shape: ['rows', 'total', 'groups'], conditions: [1, 2] },
} satisfies ListedCard<SqlSelectKnobs>;
