/**
 * Countdown: reach the target with each given number exactly once.
 *
 *   prompt      3 7 2 = 13 ?
 *   steps       3 * 2 = 6 , 7 + 6 = 13      then EOS; every number 0..99 is one token
 *   expression  3 * 2 + 7                   then EOS
 *   search      what is tried, and then the steps: search.ts
 *   split       by hash of target and sorted numbers: no held-out problem is a reordered training problem
 *
 * A problem is three numbers, each drawn from 1..max_number, and the result of a random valid calculation on them,
 * whose intermediate results are all integers in 1..99. So a target that many calculations reach is asked more often,
 * and evaluation weights held-out problems by this frequency. With `train_max_number` the problems to train on come
 * from a wider space; held-out problems are always those of `max_number`.
 */
import { type Rng, rngFor } from '../../../kernels/philox.ts';
import { type Expression, renderExpression } from '../../../parsing/expression.ts';
import { truncated } from '../../../rewards/reject.ts';
import type { Verdict } from '../../../rewards/verdict.ts';
import type { Tokenizer } from '../../../text/tokenizer.ts';
import { wordTokenizer } from '../../../text/vocabulary_tokenizer.ts';
import { rotated } from '../../rotated.ts';
import { SEARCH_MARKS, searchMisses } from '../../search_text.ts';
import type { Mutant, TaskDefinition, VerifyContext } from '../../task.ts';
import { type CountdownKnobs, countdownCard, MAX_VALUE, searchTokens } from './card.ts';
import { verifyCountdownExpression } from './expression.ts';
import {
  demonstratedSearch,
  feedbackOnSearch,
  judgeSearch,
  orderlySearch,
  spaceOf,
  straightSearch,
  verifyCountdownSearch,
} from './search.ts';
import { type CountdownStep, OPERATORS, stepsText, tracesOf } from './solver.ts';
import { feedbackOnSteps, judgeSteps, verifyCountdownSteps } from './steps.ts';

export type CountdownItem = {
  /** In the order of the prompt. */
  readonly numbers: readonly number[];
  readonly target: number;
};

/** More multisets than this are not listed; the held-out set is then a sample. */
const MAX_ENUMERATED_MULTISETS = 5000;
/** Draws for an estimated chance. */
const CHANCE_DRAWS = 200;
/** Characters of the longest question that asks for a search. */
const SEARCH_QUESTION = 320;
/** Tokens beyond the longest right answer, so that an overlong answer is recognised. */
const SLACK_TOKENS = 2;

function expressionOf(numbers: readonly number[], trace: readonly CountdownStep[]): Expression {
  const pool = numbers.map((value) => ({ value, tree: { kind: 'number', value } as Expression }));
  const take = (value: number): Expression => {
    const index = pool.findIndex((entry) => entry.value === value);
    return pool.splice(index, 1)[0].tree; // a trace of these numbers finds each operand
  };
  for (const { left, operator, right, result } of trace) {
    const tree: Expression = { kind: 'operation', operator, left: take(left), right: take(right) };
    pool.push({ value: result, tree });
  }
  return pool[0].tree;
}

function answerText(item: CountdownItem, trace: readonly CountdownStep[], knobs: CountdownKnobs): string {
  if (knobs.answer === 'expression') return renderExpression(expressionOf(item.numbers, trace));
  const steps = stepsText(trace);
  return knobs.answer === 'steps' ? steps : `${straightSearch(item, trace, knobs)} , ${steps}`;
}

/** Trace `index` of those that reach the target. */
function solution(item: CountdownItem, index: number): CountdownStep[] {
  const table = tracesOf(item.numbers);
  return table.trace(table.firstIndex(item.target) + index);
}

function* multisets(count: number, maxNumber: number, smallest = 1): Generator<number[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (let first = smallest; first <= maxNumber; first++) {
    for (const rest of multisets(count - 1, maxNumber, first)) yield [first, ...rest];
  }
}

/** C(maxNumber + count - 1, count) */
function numMultisets(count: number, maxNumber: number): number {
  let product = 1;
  for (let i = 0; i < count; i++) product = (product * (maxNumber + i)) / (i + 1);
  return Math.round(product);
}

function* problemsOf(numbers: readonly number[], maxTarget: number): Generator<CountdownItem> {
  const table = tracesOf(numbers);
  for (let target = 1; target <= maxTarget; target++) {
    if (table.count(target) > 0) yield { numbers, target };
  }
}

/** Orders of the numbers: n! over the factorials of how often each occurs. */
function numOrders(numbers: readonly number[]): number {
  const seen = new Map<number, number>();
  return numbers.reduce((orders, number, i) => {
    const times = (seen.get(number) ?? 0) + 1;
    seen.set(number, times);
    return (orders * (i + 1)) / times;
  }, 1);
}

/** Share of the traces of these numbers that reach the target. */
function shareReaching({ numbers, target }: CountdownItem): number {
  const table = tracesOf(numbers);
  return table.count(target) / table.numTraces;
}

/** Three draws of a number, one of a trace; null where its result is beyond `max_target`. */
function generate(rng: Rng, knobs: CountdownKnobs): CountdownItem | null {
  const numbers = Array.from({ length: knobs.numbers }, () => rng.int(1, knobs.max_number));
  const table = tracesOf(numbers);
  const target = table.lastValue(rng.int(0, table.numTraces - 1));
  return target > knobs.max_target ? null : { numbers, target };
}

/** How often `generate` draws the problem, in whatever order of its numbers; in units of one order with certainty. */
function frequency(item: CountdownItem): number {
  return numOrders(item.numbers) * shareReaching(item);
}

function key({ numbers, target }: CountdownItem): string {
  return `cd|${target}|${[...numbers].sort((a, b) => a - b).join(',')}`;
}

/**
 * Reads a problem with at most the configured count of numbers, each a token, whether or not its target can be reached.
 */
function parse(prompt: string, knobs: CountdownKnobs): CountdownItem | null {
  const pieces = prompt.split(' ');
  const values = [...pieces.slice(0, -3), pieces.at(-2)].map(Number);
  const areInRange = values.every((value) => Number.isInteger(value) && value >= 1 && value <= MAX_VALUE);
  const numbers = values.slice(0, -1);
  if (!areInRange || numbers.length < 2 || numbers.length > knobs.numbers) return null;
  return { numbers, target: values[values.length - 1] };
}

/** Steps on numbers of which one is in no problem. */
const EXAMPLE: readonly CountdownStep[] = [
  { left: 100, operator: '-', right: 1, result: 99 },
  { left: 99, operator: '/', right: 3, result: 33 },
  { left: 33, operator: '*', right: 2, result: 66 },
];

/** The same in words; an example that answers no problem of the task shows the answer's form. */
function question({ numbers, target }: CountdownItem, knobs: CountdownKnobs): string {
  const { answer, use } = knobs;
  const each = use === 'all' ? 'each exactly once' : 'each at most once';
  const sentence = `Reach ${target} with the numbers ${numbers.join(', ')}, ${each}, by + - * and /.`;
  if (answer === 'expression') return `${sentence} Give one expression, such as (100 - 1) / 3.`;
  if (answer === 'steps') {
    return `${sentence} Give one calculation after the other, such as ${stepsText(EXAMPLE.slice(0, 2))}.`;
  }
  const trace = EXAMPLE.slice(0, numbers.length - 1);
  const asked = { numbers: [100, 1, 3, 2].slice(0, numbers.length), target: trace[trace.length - 1].result };
  const form = 'what you try, n after what fails, y at the target, then all calculations';
  return `${sentence} Give ${form}, such as ${answerText(asked, trace, knobs)}`;
}

function isEnumerable({ numbers, max_number }: CountdownKnobs): boolean {
  return numMultisets(numbers, max_number) <= MAX_ENUMERATED_MULTISETS;
}

function* enumerate(knobs: CountdownKnobs): Generator<CountdownItem> {
  for (const numbers of multisets(knobs.numbers, knobs.max_number)) {
    for (const problem of problemsOf(numbers, knobs.max_target)) {
      const order = rngFor(`order|${key(problem)}`);
      yield { numbers: order.shuffle([...numbers]), target: problem.target };
    }
  }
}

/**
 * Accuracy of a policy that plays random valid traces: the mean, over problems as they are drawn, of the share of
 * traces that reach the target. No constant answer comes near. Exact where the problems are listed, else estimated.
 */
function chance(knobs: CountdownKnobs): number {
  const mean = (problems: readonly CountdownItem[], weights: readonly number[]): number => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return problems.reduce((sum, problem, i) => sum + weights[i] * shareReaching(problem), 0) / Math.max(total, 1);
  };
  if (isEnumerable(knobs)) {
    const problems = [...enumerate(knobs)];
    return mean(problems, problems.map(frequency));
  }
  const rng = rngFor(`countdown chance|${knobs.numbers}|${knobs.max_number}`);
  const drawn: CountdownItem[] = [];
  while (drawn.length < CHANCE_DRAWS) {
    const problem = generate(rng, knobs);
    if (problem !== null) drawn.push(problem);
  }
  return mean(
    drawn,
    drawn.map(() => 1),
  );
}

/** Hints: its operators, in order; the numbers of the first step; that step's result. */
function hints(item: CountdownItem, { answer }: CountdownKnobs): string[] {
  const trace = solution(item, 0);
  const operators = trace.map(({ operator }) => operator).join(' ');
  const [{ left, operator, right, result }] = trace;
  const first = `${left} ${operator} ${right}`;
  if (trace.length === 1) return [operators];
  return answer === 'expression' ? [operators, first] : [operators, first, `${first} = ${result}`];
}

function lastValueReplaced(steps: string, value: number): string {
  return steps.slice(0, steps.lastIndexOf(' ') + 1) + value;
}

/** A trace that does not reach the target, if there is one. */
function wrongTrace(item: CountdownItem, rng: Rng): CountdownStep[] | undefined {
  const table = tracesOf(item.numbers);
  const numWrong = table.numTraces - table.count(item.target);
  if (numWrong === 0) return undefined;
  const index = rng.int(0, numWrong - 1);
  return table.trace(index < table.firstIndex(item.target) ? index : index + table.count(item.target));
}

function mutants(item: CountdownItem, knobs: CountdownKnobs, rng: Rng): Mutant[] {
  const trace = solution(item, rng.int(0, tracesOf(item.numbers).count(item.target) - 1));
  const right = answerText(item, trace, knobs);
  const steps = stepsText(trace);
  // One number is one larger, so the multiset differs whatever the others are.
  const otherNumbers = [(item.numbers[0] % MAX_VALUE) + 1, ...item.numbers.slice(1)];
  const otherItem = { numbers: otherNumbers, target: item.target };
  const texts: Record<string, string> = {
    'oracle twice': `${right} , ${right}`,
    'trailing number': `${right} 1`,
    'trailing comma': `${right} ,`,
    'trailing operator': `${right} +`,
    'extra zero': `${right} + 0`,
    'first token dropped': right.slice(right.indexOf(' ') + 1),
    'trace of other numbers': answerText(otherItem, tracesOf(otherNumbers).trace(0), knobs),
  };
  if (knobs.use === 'all') texts['target alone'] = String(item.target);
  // One step with two numbers reads as `expression = target`.
  if (!knobs.allow_equals) {
    texts['other answer form'] =
      knobs.answer === 'expression' ? steps : renderExpression(expressionOf(item.numbers, trace));
  }
  const wrong = wrongTrace(item, rng);
  if (wrong) texts['ends elsewhere'] = answerText(item, wrong, knobs);
  if (knobs.answer === 'steps') {
    texts['off by one'] = lastValueReplaced(steps, item.target + 1);
    texts['first step dropped'] = stepsText(trace.slice(1));
    texts['step repeated'] = stepsText([...trace, trace[trace.length - 1]]);
    if (wrong) texts['claims the target'] = lastValueReplaced(stepsText(wrong), item.target);
  }
  if (knobs.answer === 'search') {
    const search = straightSearch(item, trace, knobs);
    Object.assign(texts, searchMisses(search, steps));
    texts['off by one'] = lastValueReplaced(right, item.target + 1);
    texts['last step dropped'] = `${search} , ${stepsText(trace.slice(0, -1))}`;
    texts['expression after the search'] = `${search} , ${renderExpression(expressionOf(item.numbers, trace))}`;
  }
  // Where the steps alone are judged, a false try before them is no mistake.
  const isMiss = (text: string): boolean =>
    knobs.judged !== 'steps' || verifyCountdownSearch(item, text, knobs).score !== 1;
  return Object.entries(texts).flatMap(([name, text]) => (isMiss(text) ? [{ name, text, maxScore: 0 }] : []));
}

function judge(item: CountdownItem, answer: string, knobs: CountdownKnobs, { finishReason }: VerifyContext): Verdict {
  const { answer: form, use, allow_equals: allowEquals, integer_steps: integerSteps } = knobs;
  if (finishReason === 'length') return truncated();
  if (form === 'search') return verifyCountdownSearch(item, answer, knobs);
  if (form === 'steps') return verifyCountdownSteps(item, answer);
  return verifyCountdownExpression(item, answer, { use, allowEquals, integerSteps });
}

function givesSteps({ answer }: CountdownKnobs): boolean {
  return answer !== 'expression';
}

/** Longest completion with EOS: n-1 steps of 5 tokens and their commas, or n numbers, n-1 operators, n-2 pairs. */
function completionTokens(knobs: CountdownKnobs): number {
  const { answer, numbers } = knobs;
  if (answer === 'search') return searchTokens(knobs);
  const longest = answer === 'steps' ? 6 * (numbers - 1) - 1 : numbers + (numbers - 1) + 2 * (numbers - 2);
  return longest + 1 + SLACK_TOKENS;
}

const VALUES = Array.from({ length: MAX_VALUE + 1 }, (_, value) => String(value));
function tokenizerOf(answer: CountdownKnobs['answer'], signs: readonly string[]): Tokenizer {
  const tokens = [...VALUES, ...OPERATORS, '=', ',', '?', ...signs];
  return wordTokenizer({ name: `countdown ${answer}`, furtherSpecials: ['<bos>'], tokens });
}
const TOKENIZERS: Readonly<Record<CountdownKnobs['answer'], Tokenizer>> = {
  steps: tokenizerOf('steps', []),
  expression: tokenizerOf('expression', ['(', ')']),
  search: tokenizerOf(
    'search',
    SEARCH_MARKS.filter((mark) => mark !== ','),
  ),
};

export const countdown: TaskDefinition<CountdownItem, CountdownKnobs> = {
  ...countdownCard,
  family: 'countdown',
  generate,
  frequency,
  trainKnobs: (knobs) => ({ ...knobs, max_number: knobs.train_max_number ?? knobs.max_number }),
  enumerate: (knobs) => (isEnumerable(knobs) ? enumerate(knobs) : undefined),
  key,
  prompt: ({ numbers, target }) => `${numbers.join(' ')} = ${target} ?`,
  question,
  twin: ({ numbers, target }) => (new Set(numbers).size > 1 ? { numbers: rotated(numbers), target } : null),
  parse,
  oracle(item, knobs) {
    const orderly = knobs.answer === 'search' ? orderlySearch(item, knobs) : undefined;
    return orderly ?? answerText(item, solution(item, 0), knobs);
  },
  hints,
  *solutions(item, knobs) {
    const count = tracesOf(item.numbers).count(item.target);
    for (let index = 0; index < count; index++) yield answerText(item, solution(item, index), knobs);
  },
  searchSpace: (item, knobs) => (knobs.answer === 'search' ? spaceOf(item, knobs) : undefined),
  demonstration(item, knobs, rng) {
    const table = tracesOf(item.numbers);
    const right = () => solution(item, rng.int(0, table.count(item.target) - 1));
    if (knobs.answer === 'search') return demonstratedSearch(item, knobs, rng) ?? answerText(item, right(), knobs);
    const trace = rng.float() < knobs.correct_share ? right() : table.trace(rng.int(0, table.numTraces - 1));
    return answerText(item, trace, knobs);
  },
  mutants,
  verify(item, answer, knobs, context) {
    const verdict = judge(item, answer, knobs, context);
    if (!context.wantsSteps || !givesSteps(knobs)) return verdict;
    const steps = knobs.answer === 'steps' ? judgeSteps(item, answer) : judgeSearch(item, answer, knobs);
    return { ...verdict, steps };
  },
  givesSteps,
  feedback(item, answer, knobs) {
    if (knobs.answer === 'search') return feedbackOnSearch(item, answer, knobs);
    return knobs.answer === 'steps' ? feedbackOnSteps(item, answer) : '';
  },
  chance,
  tokenizer: ({ answer }) => TOKENIZERS[answer],
  limits: (knobs) => ({
    promptTokens: knobs.numbers + 3,
    completionTokens: completionTokens(knobs),
    ...(knobs.answer === 'search' && { questionCharacters: SEARCH_QUESTION }),
  }),
};
