/** What js_repair is. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { FUNCTION_CARD, type JsFunctionKnobs } from '../js_function/card.ts';

export const jsRepairCard = {
  name: 'js_repair',
  does: 'Correct a function in JavaScript that does not do what three examples show.',
  example: ['a=>a.map(x=>x-2)|[1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>', 'a=>a.map(x=>x+2)'],
  version: 2,
  ...FUNCTION_CARD,
} satisfies ListedCard<JsFunctionKnobs>;
