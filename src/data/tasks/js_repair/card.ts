/** What js_repair is. */
import type { ListedCard } from '../../task.ts';
import { FUNCTION_KNOBS, type JsFunctionKnobs } from '../js_function/card.ts';

export const jsRepairCard = {
  name: 'js_repair',
  does: 'Correct a function in JavaScript that does not do what three examples show.',
  example: ['a=>a.map(x=>x-2)|[1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>', 'a=>a.map(x=>x+2)'],
  version: 1,
  category: 'programs',
  tier: 3,
  sandbox: 'javascript',
  parts: ['runs', 'tests'],
  knobs: FUNCTION_KNOBS,
  levels: [{}, { methods: 2 }, { steps: 2, methods: 2 }, { steps: 3, methods: 2 }],
  attributes: { steps: [1, 2, 3], methods: [1, 2] },
} satisfies ListedCard<JsFunctionKnobs>;
