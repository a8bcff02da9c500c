/**
 * A function in JavaScript with one wrong step, and examples of what it should do. Answers run in the sandbox `javascript`.
 *
 *   prompt      a=>a.map(x=>x-2)|[1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>      completion  a=>a.map(x=>x+2)
 *   verdict     as for js_function; the wrong one fails an example
 *   split       that of js_function, by the right function
 */
import type { TaskDefinition } from '../../../../../src/data/task.ts';
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import type { JsFunctionKnobs } from '../js_function/card.ts';
import { functionTask } from '../js_function/function_task.ts';
import { behaviourOf, chainText, drawChain, functionText, LONGEST_STEP, type Step } from '../js_function/steps.ts';
import { drawShown, examplesInWords, examplesText, type ShownFunction } from '../js_function/tests.ts';
import { jsRepairCard } from './card.ts';

export type JsRepairItem = ShownFunction & { readonly wrong: readonly Step[] };

export function jsRepair(sandbox: JavaScriptSandbox): TaskDefinition<JsRepairItem, JsFunctionKnobs> {
  return functionTask<JsRepairItem>(jsRepairCard, sandbox, {
    generate(rng, { steps: length, methods }) {
      const steps = drawChain(rng, length, methods === 1);
      // The wrong one has methods of the level too.
      const others = drawChain(rng, length, methods === 1);
      const at = rng.int(0, length - 1);
      const wrong = steps.map((step, i) => (i === at ? (others[i] as Step) : step));
      return behaviourOf(wrong) === behaviourOf(steps) ? null : { steps, shown: drawShown(rng), wrong };
    },
    key: ({ steps, wrong }) => `js_repair|${behaviourOf(steps)}|${chainText(wrong)}`,
    splitKey: ({ steps }) => `js_function|${behaviourOf(steps)}`,
    prompt: (item) => `${functionText(item.wrong)}|${examplesText(item)}>`,
    question: (item) =>
      `This function in JavaScript is wrong in one step: ${functionText(item.wrong)}. For lists of whole numbers from 0 to 20 it should give ` +
      `${examplesInWords(item)}, and do the same with other lists. Answer with the corrected arrow function alone.`,
    misses: ({ wrong }) => ({ 'the function as it was': functionText(wrong) }),
    /** Where one step may be a method, "length" is right in 31 % of the problems, counted over 64. */
    chance: ({ steps, methods }) => (methods === 2 && steps === 1 ? 0.4 : 0.05),
    longest: ({ steps }) => ({ prompt: 6 + steps * LONGEST_STEP, question: 270 + steps * LONGEST_STEP }),
  });
}
