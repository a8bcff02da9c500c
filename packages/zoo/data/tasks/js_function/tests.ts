/** Functions in JavaScript, tried in the sandbox on examples and on hidden inputs. */
import type { JavaScriptSandbox } from '../../../sandbox/javascript.ts';
import type { SandboxFailure } from '../../../sandbox/limits.ts';
import { illegal, malformed, missing, type Rng, rngFor, trimAscii, type Verdict, wrongValue } from '../../kit.ts';
import { drawList, neighbours, type Step, valueOfChain } from './steps.ts';

/** A function, and the lists for which its results are shown. */
export type ShownFunction = { readonly steps: readonly Step[]; readonly shown: readonly (readonly number[])[] };

const SHOWN = 3;
/** Elements of a list that is shown, at most, and of a long one that is not. */
const SHOWN_LENGTH = 5;
const LONGEST = 40;
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

/** Lists at the ends of what there may be: none, one, the smallest and largest number, the same again, in order, and long. */
function edgeLists(rng: Rng, all: readonly number[]): number[][] {
  const [x, y] = rng.shuffle([...all]) as [number, number];
  const long = drawList(rng, LONGEST, LARGEST_HIDDEN);
  return [[], [0], [LARGEST_HIDDEN], [x], [x, y], [x, y, y], [x, y, x, x, y, y], [...all], all.toReversed(), long];
}

/** Lists that have each number among the first two and among the last two, and each length from four to ten. */
function coveringLists(rng: Rng, all: readonly number[]): number[][] {
  const [first, last] = [rng.shuffle([...all]), rng.shuffle([...all])];
  return Array.from({ length: Math.ceil(all.length / 2) }, (_, i) => {
    const between = i % 7;
    const [start, end] = [first, last].map((one) => [one[2 * i], one[(2 * i + 1) % all.length]] as number[]);
    return [...start, ...drawList(rng, between, LARGEST_HIDDEN), ...end];
  });
}

/** The same each time that a problem is asked. */
function hiddenLists(seed: string): number[][] {
  const rng = rngFor(`hidden inputs|${seed}`);
  const all = Array.from({ length: LARGEST_HIDDEN + 1 }, (_, number) => number);
  return [...edgeLists(rng, all), ...coveringLists(rng, all)];
}

interface Test {
  readonly list: readonly number[];
  readonly right: string;
}

const made = new WeakMap<ShownFunction, readonly Test[]>();

function testsOf(item: ShownFunction, key: string): readonly Test[] {
  const { steps, shown } = item;
  const lists = [...shown, ...hiddenLists(`${key}|${JSON.stringify(shown)}`)];
  const tests = made.get(item) ?? lists.map((list) => ({ list, right: resultText(steps, list) }));
  made.set(item, tests);
  return tests;
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
 * Right where a function gives the results of all examples and of 21 inputs that are not shown.
 *
 * @param key  of the problem: what its hidden inputs and random numbers are drawn from
 * @param fuel  of each test
 */
export function judgeFunction(
  sandbox: JavaScriptSandbox,
  item: ShownFunction,
  key: string,
  answer: string,
  fuel: number,
): Verdict {
  const text = trimAscii(answer);
  const failed = { parts: { runs: 0, tests: 0 } };
  if (text === '') return { ...missing('the answer is empty'), ...failed };
  const tests = testsOf(item, key);
  const seed = rngFor(`random numbers|${key}`).int(0, 2 ** 31 - 1);
  let passed = 0;
  for (const [i, { list, right }] of tests.entries()) {
    const result = sandbox.call(text, [list], { fuel, seed: seed + i });
    if (!result.ok) {
      const { failure, reason } = result;
      const parts = { parts: { runs: failure === 'output' ? 1 : 0, tests: passed / tests.length } };
      // One that used up what it has would do so on every list.
      if (failure === 'syntax') return { ...malformed('not a function'), ...failed };
      if (failure !== 'error' && failure !== 'output')
        return { ...illegal(reason), failure: FAILURES[failure], ...parts };
      if (passed === 0) return { ...illegal(reason), failure: FAILURES[failure], ...parts };
    } else if (result.output === right) passed++;
  }
  const parts = { runs: 1, tests: passed / tests.length };
  return passed === tests.length
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
