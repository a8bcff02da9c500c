/** What js_try is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { options, type Values } from '../../../../../src/options/keys.ts';
import { CALLS } from '../../tools/calls_knob.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';
import { FUNCTION_KNOBS } from '../js_function/card.ts';

const KNOBS = { ...FUNCTION_KNOBS, ...options({ calls: CALLS, tools: toolsKnob(['run_js']) }) };

export type JsTryKnobs = Values<typeof KNOBS>;

export const jsTryCard = {
  name: 'js_try',
  does: 'Write a function in JavaScript that does what three examples show; programs may be run before the answer.',
  example: ['[1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>', '<call>run_js (a=>a.map(x=>x+2))([1,2,3])</call>'],
  version: 2,
  category: 'environments',
  tier: 3,
  sandbox: 'javascript',
  knobs: KNOBS,
  levels: [{}, { methods: 2 }, { steps: 2, methods: 2, calls: 3 }, { tools: [] }],
  attributes: { steps: [1, 2, 3], methods: [1, 2] },
} satisfies ListedCard<JsTryKnobs>;
