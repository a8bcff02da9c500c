import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const lineTraceCard = taskCard({
  name: 'line_trace',
  does: 'Follow a program with jumps: the value of a variable at its end, or the line that runs next.',
  example: ['run 1a=3 2b+a 3a-1 4a?2|b>', '6'],
  version: 2,
  category: 'programs',
  tier: 2,
  knobs: {
    lines: integer({ min: 3, max: 9, example: 5 }).default(4).describe('Lines of a program.'),
    asks: choice(['either', 'value', 'statement'])
      .default('either')
      .describe('The value of a variable at the end, the statement that runs at a step, or either.'),
    steps: integer({ min: 3, max: 40, example: 12 }).default(12).describe('Steps until a program ends, at most.'),
  },
  levels: [{ steps: 8 }, {}, { lines: 6, steps: 20 }, { lines: 9, steps: 40 }],
  attributes: { lines: [3, 5, 9], asks: ['value', 'statement'], steps: [6, 20, 40] },
});

export type LineTraceKnobs = KnobsOf<typeof lineTraceCard>;
