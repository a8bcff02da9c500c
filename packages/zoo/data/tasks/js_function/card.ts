/** What js_function is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

/** Knobs of the tasks whose answers are functions in JavaScript. */
export const FUNCTION_KNOBS = options({
  steps: integer({ min: 1, max: 3, example: 1 })
    .default(1)
    .describe('Methods that the function calls one after the other.'),
  methods: integer({ min: 1, max: 2, example: 1 })
    .default(1)
    .describe('Which methods: map alone (1), or filter, slice, sort, reverse, length and reduce too (2).'),
  fuel: integer({ min: 20_000, max: 100_000_000, example: 200_000 })
    .default(200_000)
    .describe('What each test of an answer may use, in units of the sandbox: about a millisecond.'),
});

/** What cards of such tasks have in common. */
export const FUNCTION_CARD = {
  category: 'programs',
  tier: 3,
  sandbox: 'javascript',
  parts: ['runs', 'tests'],
  knobs: FUNCTION_KNOBS,
  levels: [{}, { methods: 2 }, { steps: 2, methods: 2 }, { steps: 3, methods: 2 }],
  attributes: { steps: [1, 2, 3], methods: [1, 2] },
} satisfies Omit<ListedCard<JsFunctionKnobs>, 'name' | 'does' | 'example' | 'version'>;

export type JsFunctionKnobs = Values<typeof FUNCTION_KNOBS>;

export const jsFunctionCard = {
  name: 'js_function',
  does: 'Write a function in JavaScript that does what three examples show.',
  example: ['[1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>', 'a=>a.map(x=>x+2)'],
  version: 2,
  ...FUNCTION_CARD,
} satisfies ListedCard<JsFunctionKnobs>;
