/** What sql_try is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { options, type Values } from '../../../../../src/options/keys.ts';
import { CALLS } from '../../tools/calls_knob.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';
import { SQL_KNOBS } from '../sql_select/card.ts';

const KNOBS = { ...SQL_KNOBS, ...options({ calls: CALLS, tools: toolsKnob(['query']) }) };

export type SqlTryKnobs = Values<typeof KNOBS>;

export const sqlTryCard = {
  name: 'sql_try',
  does: 'Write a query in SQL for what is asked of a table; queries may be run on six rows before the answer.',
  example: ['t(a,b,c): sum b if a>3>', '<call>query select sum(b) from t where a>3</call>'],
  version: 2,
  category: 'environments',
  tier: 3,
  sandbox: 'sql',
  knobs: KNOBS,
  levels: [{}, { shape: 'total' }, { shape: 'groups', calls: 3 }, { tools: [] }],
  attributes: { shape: ['rows', 'total', 'groups'], conditions: [1, 2] },
} satisfies ListedCard<SqlTryKnobs>;
