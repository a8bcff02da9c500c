/**
 * A function in JavaScript, from examples of what it makes of lists of numbers. Answers run in the sandbox `javascript`.
 *
 *   prompt      [1,2,3]:[3,4,5] [0,7,4]:[2,9,6] [5,5,1]:[7,7,3]>      completion  a=>a.map(x=>x+2)
 *   verdict     right where it gives the results of the examples and of twenty lists that are not shown
 *   parts       runs: it is a function that gives something; tests: share of all lists
 *   split       by hash of what the function does with some lists, however it is written
 */
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import { lineTask } from '../../line_task.ts';
import type { TaskDefinition } from '../../task.ts';
import { type JsFunctionKnobs, jsFunctionCard } from './card.ts';
import { behaviourOf, CHARACTERS, chainText, drawChain, LONGEST_STEP, neighbours } from './steps.ts';
import {
  drawShown,
  examplesInWords,
  examplesText,
  functionMisses,
  isTold,
  judgeFunction,
  LONGEST_EXAMPLES,
  type ShownFunction,
} from './tests.ts';

const rightAnswer = ({ steps }: ShownFunction): string => `a=>a${chainText(steps)}`;
const keyOf = ({ steps }: ShownFunction): string => `js_function|${behaviourOf(steps)}`;

export function jsFunction(sandbox: JavaScriptSandbox): TaskDefinition<ShownFunction, JsFunctionKnobs> {
  const judge = (item: ShownFunction, answer: string, { fuel }: JsFunctionKnobs) =>
    judgeFunction(sandbox, item, keyOf(item), answer, fuel);
  const line = lineTask<ShownFunction, JsFunctionKnobs>(jsFunctionCard, {
    family: 'js_function',
    answers: 'open',
    characters: CHARACTERS,
    generate: (rng, { steps, methods }) => ({ steps: drawChain(rng, steps, methods === 1), shown: drawShown(rng) }),
    isFit: isTold,
    key: keyOf,
    prompt: (item) => `${examplesText(item)}>`,
    question: (item) =>
      'Write a function in JavaScript that takes a list of whole numbers from 0 to 20 and gives ' +
      `${examplesInWords(item)}. It does the same with other lists. Answer with an arrow function alone, such as a=>a.map(x=>x*2).`,
    oracle: rightAnswer,
    verify: judge,
    mutants: (item, knobs, rng) => {
      const right = rightAnswer(item);
      const neighbour = rng.pick(neighbours(item.steps));
      const texts: Record<string, string> = {
        ...functionMisses(item, right),
        'another step': rightAnswer({ ...item, steps: neighbour }),
        'a step left out': rightAnswer({ ...item, steps: item.steps.slice(1) }),
      };
      return Object.fromEntries(Object.entries(texts).filter(([, text]) => judge(item, text, knobs).score !== 1));
    },
    chance: () => 0.05,
    longest: ({ steps }) => ({
      prompt: LONGEST_EXAMPLES + 1,
      answer: 4 + steps * LONGEST_STEP,
      question: LONGEST_EXAMPLES + 270,
    }),
  });
  return { ...line, takesTime: true, sandboxEngine: sandbox.engine };
}
