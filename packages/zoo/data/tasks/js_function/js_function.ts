/**
 * A function in JavaScript, from examples of what it makes of lists of numbers. Answers run in the sandbox `javascript`.
 *
 *   prompt      [1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>      completion  a=>a.map(x=>x+2)
 *   verdict     right where it gives the results of the examples and of 21 lists that are not shown
 *   parts       runs: it is a function that gives something; tests: share of all lists
 *   split       by hash of what the function does with some lists, however it is written
 */
import type { TaskDefinition } from '../../../../../src/data/task.ts';
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import { type JsFunctionKnobs, jsFunctionCard } from './card.ts';
import { functionTask } from './function_task.ts';
import { behaviourOf, drawChain, functionText } from './steps.ts';
import { drawShown, examplesInWords, examplesText, type ShownFunction } from './tests.ts';

export function jsFunction(sandbox: JavaScriptSandbox): TaskDefinition<ShownFunction, JsFunctionKnobs> {
  return functionTask<ShownFunction>(jsFunctionCard, sandbox, {
    generate: (rng, { steps, methods }) => ({ steps: drawChain(rng, steps, methods === 1), shown: drawShown(rng) }),
    key: ({ steps }) => `js_function|${behaviourOf(steps)}`,
    prompt: (item) => `${examplesText(item)}>`,
    question: (item) =>
      'Write a function in JavaScript that takes a list of whole numbers from 0 to 20 and gives ' +
      `${examplesInWords(item)}. It does the same with other lists. Answer with an arrow function alone, such as a=>a.map(x=>x*2).`,
    misses: ({ steps }) => ({ 'a step left out': functionText(steps.slice(1)) }),
    chance: () => 0.05,
    longest: () => ({ prompt: 1, question: 270 }),
  });
}
