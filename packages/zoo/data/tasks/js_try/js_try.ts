/**
 * js_function with the tool `run_js`, which runs a program in the sandbox and gives its value as JSON.
 *
 *   action      <call>run_js (a=>a.map(x=>x+2))([1,2,3])</call>
 *   observation [3,4,5]                 ? where it gives none
 *   answer      a=>a.map(x=>x+2)        an action without a call, judged as js_function judges it
 */
import type { TaskDefinition } from '../../../../../src/data/task.ts';
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import { tool } from '../../tools/tool.ts';
import { triedTask, writable } from '../../tools/tried_task.ts';
import type { JsFunctionKnobs } from '../js_function/card.ts';
import { jsFunction } from '../js_function/js_function.ts';
import { CHARACTERS } from '../js_function/steps.ts';
import type { ShownFunction } from '../js_function/tests.ts';
import { type JsTryKnobs, jsTryCard } from './card.ts';

const WRITABLE = `${CHARACTERS}"{}?`;
/** Characters of a result that are shown. */
const MOST_SHOWN = 60;
/** Characters of a call around an answer: brackets, and a list that was shown. */
const AROUND = 4 + 22;

export function jsTry(sandbox: JavaScriptSandbox): TaskDefinition<ShownFunction, JsTryKnobs> {
  const runJs = tool({
    name: 'run_js',
    description: 'Runs a program in JavaScript and gives the value of its last statement as JSON.',
    parameters: { code: { type: 'string', description: 'A program, such as [1,2].map(x=>x+1).' } },
    call({ code }, state: null) {
      const result = sandbox.run(code);
      return result.ok
        ? { state, observation: writable(result.output.slice(0, MOST_SHOWN), WRITABLE) }
        : { state, flaw: result.reason };
    },
  });
  return triedTask<ShownFunction, JsFunctionKnobs, JsTryKnobs>(jsTryCard, jsFunction(sandbox), {
    tool: runJs,
    characters: WRITABLE,
    call: ({ shown: [list] }, answer) => ({ code: `(${answer})(${JSON.stringify(list)})` }),
    longest: { call: AROUND, observation: MOST_SHOWN },
  });
}
