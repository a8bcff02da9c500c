import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';

export const calculatorCard = taskCard({
  name: 'calculator',
  names: ['ReTool', 'ToRL'],
  does: 'Add up some numbers, with a calculator that may be called before the answer.',
  example: ['512+630+781+104=', '<call>calc 512+630+781+104</call>'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    numbers: integer({ min: 2, max: 8, example: 4 }).default(4).describe('Numbers that are added up.'),
    digits: integer({ min: 1, max: 6, example: 3 }).default(3).describe('Digits of each of them.'),
    calls: integer({ min: 1, max: 8, example: 2 })
      .default(2)
      .describe('Turns that may call a tool; the answer takes one more.'),
    tools: toolsKnob(['calc']),
  },
  levels: [{ numbers: 2, digits: 2 }, {}, { numbers: 6, digits: 4 }, { tools: [] }],
  attributes: { numbers: [2, 4, 6], digits: [1, 3, 5] },
});

export type CalculatorKnobs = KnobsOf<typeof calculatorCard>;
