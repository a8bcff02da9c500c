/** What calculator is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';

const KNOBS = options({
  numbers: integer({ min: 2, max: 8, example: 4 }).default(4).describe('Numbers that are added up.'),
  digits: integer({ min: 1, max: 6, example: 3 }).default(3).describe('Digits of each of them.'),
  calls: integer({ min: 1, max: 8, example: 2 })
    .default(2)
    .describe('Turns that may call a tool; the answer takes one more.'),
  tools: toolsKnob(['calc']),
});

export type CalculatorKnobs = Values<typeof KNOBS>;

export const calculatorCard = {
  name: 'calculator',
  names: ['ReTool', 'ToRL'],
  does: 'Add up some numbers, with a calculator that may be called before the answer.',
  example: ['512+630+781+104=', '<call>calc 512+630+781+104</call>'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  levels: [{ numbers: 2, digits: 2 }, {}, { numbers: 6, digits: 4 }, { tools: [] }],
  attributes: { numbers: [2, 4, 6], digits: [1, 3, 5] },
} satisfies TaskCard<CalculatorKnobs>;
