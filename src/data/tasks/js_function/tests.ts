/** Functions in JavaScript, tried on examples and on inputs that nobody is shown, in the sandbox. */
import { type Rng, rngFor } from '../../../kernels/philox.ts';
import { trimAscii } from '../../../parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../../../rewards/reject.ts';
import type { Verdict } from '../../../rewards/verdict.ts';
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import type { SandboxFailure } from '../../../sandbox/limits.ts';
import { drawList, neighbours, type Step, valueOfChain } from './steps.ts';

/** A function, and the lists for which its results are shown. */
export type ShownFunction = { readonly steps: readonly Step[]; readonly shown: readonly (readonly number[])[] };

const SHOWN = 3;
/** Elements of a list that is shown, and of one that is not, at most. */
const SHOWN_LENGTH = 5;
const HIDDEN_LENGTH = 7;
const HIDDEN_TESTS = 20;
/** Elements of the lists, at most. */
const LARGEST_SHOWN = 9;
const LARGEST_HIDDEN = 20;

const resultText = (steps: readonly Step[], list: readonly number[]): string =>
  JSON.stringify(valueOfChain(steps, list));

/** `[1,2]:[2,4]` for each list. */
export function examplesText({ steps, shown }: ShownFunction): string {
  return shown.map((list) => `${JSON.stringify(list)}:${resultText(steps, list)}`).join(' ');
}

/** The examples as sentences have them. */
export function examplesInWords({ steps, shown }: ShownFunction): string {
  return shown.map((list) => `${resultText(steps, list)} for ${JSON.stringify(list)}`).join(', ');
}

/** Most characters of the examples. */
export const LONGEST_EXAMPLES = SHOWN * (2 * (SHOWN_LENGTH * 4 + 2) + 2);

/** Lists to show. */
export function drawShown(rng: Rng): ShownFunction['shown'] {
  return Array.from({ length: SHOWN }, () => drawList(rng, rng.int(3, SHOWN_LENGTH), LARGEST_SHOWN));
}

/** Whether the examples are worth showing: they change something, and no neighbour of the function has the same results. */
export function isTold({ steps, shown }: ShownFunction): boolean {
  const right = shown.map((list) => resultText(steps, list));
  if (right.every((text, i) => text === '[]' || text === JSON.stringify(shown[i]))) return false;
  return neighbours(steps).every((other) => shown.some((list, i) => resultText(other, list) !== right[i]));
}

/** The same each time that a function is asked for. */
function hiddenLists(key: string): number[][] {
  const rng = rngFor(`hidden inputs|${key}`);
  return Array.from({ length: HIDDEN_TESTS }, () => drawList(rng, rng.int(0, HIDDEN_LENGTH), LARGEST_HIDDEN));
}

const FAILURES: Readonly<Record<SandboxFailure, Verdict['failure']>> = {
  syntax: 'bad_format',
  error: 'illegal',
  fuel: 'timeout',
  memory: 'illegal',
  stack: 'illegal',
  output: 'wrong_value',
};

/**
 * Right where a function gives the results of all examples and of twenty inputs that are not shown.
 *
 * @param key  of the problem: what its hidden inputs and random numbers are drawn from
 * @param fuel  of each test
 */
export function judgeFunction(
  sandbox: JavaScriptSandbox,
  { steps, shown }: ShownFunction,
  key: string,
  answer: string,
  fuel: number,
): Verdict {
  const text = trimAscii(answer);
  const failed = { parts: { runs: 0, tests: 0 } };
  if (text === '') return { ...missing('the answer is empty'), ...failed };
  const lists = [...shown, ...hiddenLists(key)];
  const seed = rngFor(`random numbers|${key}`).int(0, 2 ** 31 - 1);
  let passed = 0;
  for (const [i, list] of lists.entries()) {
    const result = sandbox.call(text, [list], { fuel, seed: seed + i });
    if (!result.ok) {
      const { failure, reason } = result;
      const parts = { parts: { runs: failure === 'output' ? 1 : 0, tests: passed / lists.length } };
      // One that used up what it has would do so on every list.
      if (failure === 'syntax') return { ...malformed('not a function'), ...failed };
      if (failure !== 'error' && failure !== 'output')
        return { ...illegal(reason), failure: FAILURES[failure], ...parts };
      if (passed === 0) return { ...illegal(reason), failure: FAILURES[failure], ...parts };
    } else if (result.output === resultText(steps, list)) passed++;
  }
  const parts = { runs: 1, tests: passed / lists.length };
  return passed === lists.length
    ? { score: 1, status: 'correct', reason: 'it passes all tests', canonical: text, parts }
    : { ...wrongValue('it fails a test'), canonical: text, parts };
}

/** What makes answers of a function that are none, by name. */
export function functionMisses({ steps, shown }: ShownFunction, right: string): Record<string, string> {
  const [list = []] = shown;
  const table = JSON.stringify(Object.fromEntries(shown.map((one) => [JSON.stringify(one), valueOfChain(steps, one)])));
  return {
    'no function': right.slice(right.indexOf('>') + 1),
    'the result of an example': resultText(steps, list),
    'the examples by heart': `a=>(${table})[JSON.stringify(a)]`,
    'the text of the result': `a=>JSON.stringify((${right})(a))`,
    'a promise of it': `async a=>(${right})(a)`,
    'a bracket that stays open': `${right}(`,
    'given twice': `${right} ${right}`,
    'a word before it': `return ${right}`,
    'an endless loop': 'a=>{for(;;);}',
    'another JSON': `a=>{JSON.stringify=()=>'${resultText(steps, list)}'}`,
    'the list as it is': 'a=>a',
    'one more': `a=>[...(${right})(a),1]`,
  };
}
