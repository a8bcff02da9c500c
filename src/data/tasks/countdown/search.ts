/**
 * Countdown answered by a search (`search_text.ts`) and the steps that it found:
 *
 *   two numbers    : 10 4 21 y , 7 * 3 = 21
 *   three          7 - 3 = 4 2 : 6 2 8 2 n , 3 * 2 = 6 7 : 13 y , 3 * 2 = 6 , 7 + 6 = 13
 *   four           9 - 2 = 7 8 3 ( 8 + 3 = 11 7 : 18 4 77 y , 9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77
 *
 * A step has the larger number on the left, and its result is an integer in 1..99; after it come the other numbers that
 * are left. Where two are left, what they give is listed in the order + - * /, up to the target.
 */
import type { Rng } from '../../../kernels/philox.ts';
import type { Verdict, VerdictStep } from '../../../rewards/verdict.ts';
import {
  drawAnswer,
  readSearch,
  type SearchMove,
  type SearchSpace,
  type SearchTail,
  type SearchTeacher,
  writeAnswer,
  writeSearch,
} from '../../search_text.ts';
import { type CountdownKnobs, searchTokens } from './card.ts';
import type { CountdownProblem } from './expression.ts';
import { type CountdownStep, forEachResult, OPERATORS, stepsText } from './solver.ts';
import { feedbackOnSteps, judgeSteps, verifyCountdownSteps } from './steps.ts';

/** The numbers that are left: the last result first, then those of the prompt in its order. */
type Pool = readonly number[];
type Move = SearchMove<Pool>;

function expand(pool: Pool): readonly Move[] {
  const moves = new Map<string, Move>();
  for (let i = 0; i < pool.length - 1; i++) {
    for (let j = i + 1; j < pool.length; j++) {
      const [left, right] = pool[i] < pool[j] ? [pool[j], pool[i]] : [pool[i], pool[j]];
      const rest = pool.filter((_, k) => k !== i && k !== j);
      forEachResult(left, right, (operator, result) => {
        const text = stepsText([{ left, operator: OPERATORS[operator], right, result }]);
        if (!moves.has(text)) moves.set(text, { text, result: String(result), to: [result, ...rest] });
      });
    }
  }
  return [...moves.values()];
}

export function spaceOf(
  { numbers, target }: CountdownProblem,
  { listed, restate = true }: CountdownKnobs,
): SearchSpace<Pool> {
  const isLast = ({ length }: Pool): boolean => length === 1 || (listed === 'nothing' && length === 2);
  const isHit = (pool: Pool): boolean =>
    pool.length === 1 ? pool[0] === target : expand(pool).some(({ to }) => isHit(to));
  return {
    start: numbers,
    expand: listed === 'steps' ? (pool) => expand(pool).map(({ text, to }) => ({ text, to })) : expand,
    isSolved: (pool) => isLast(pool) && isHit(pool),
    isDead: (pool) => isLast(pool) && !isHit(pool),
    isListed: ({ length }) => length === 2 && listed !== 'nothing',
    distance: ([result]) => Math.abs(result - target),
    ...(restate && { left: ([, ...others]: Pool) => others.join(' ') }),
  };
}

/** The steps of moves, with a last one where nothing was listed. */
const stepsTo =
  (target: number): SearchTail<Pool> =>
  (path) => {
    const end = path[path.length - 1].to;
    const lasts = end.length === 2 ? expand(end) : [];
    const last = lasts.find(({ to }) => to[0] === target) ?? lasts[0];
    return [...path, ...(last ? [last] : [])].map(({ text }) => text).join(' , ');
  };

/** What a teacher without a mistake writes who tries everything in order; undefined where it is too long. */
export function orderlySearch(problem: CountdownProblem, knobs: CountdownKnobs): string | undefined {
  const longest = searchTokens(knobs) - 1; // and EOS
  return writeAnswer(spaceOf(problem, knobs), stepsTo(problem.target), { order: (moves) => moves, longest });
}

/** The search that tries the steps of a trace alone. */
export function straightSearch(
  problem: CountdownProblem,
  trace: readonly CountdownStep[],
  knobs: CountdownKnobs,
): string {
  const steps = trace.map((step) => stepsText([step]));
  const order: SearchTeacher<Pool>['order'] = (moves, depth) => moves.filter(({ text }) => text === steps[depth]);
  return writeSearch(spaceOf(problem, knobs), { order, longest: Number.POSITIVE_INFINITY })?.text ?? '';
}

/** A teacher's search; undefined where none of those that were begun is within the limit. */
export function demonstratedSearch(problem: CountdownProblem, knobs: CountdownKnobs, rng: Rng): string | undefined {
  const { random_order: randomOrder = 0.1, right_marks: rightMarks = 1, repeats = 0, gives_up: givesUp = 0 } = knobs;
  const teacher = { rng, randomOrder, rightMarks, repeats, givesUp, longest: searchTokens(knobs) - 1 };
  return drawAnswer(spaceOf(problem, knobs), stepsTo(problem.target), teacher);
}

/** What ends the tries. */
const HIT = ' y , ';

/** By the rules alone: a search without a false word, then steps that reach the target. Total and pure. */
export function verifyCountdownSearch(problem: CountdownProblem, answer: string, knobs: CountdownKnobs): Verdict {
  const { rest, flaw } = readSearch(spaceOf(problem, knobs), answer);
  if (rest !== undefined) return verifyCountdownSteps(problem, rest.text);
  const end = knobs.judged === 'steps' ? answer.lastIndexOf(HIT) : -1;
  return end < 0
    ? (flaw as { verdict: Verdict }).verdict
    : verifyCountdownSteps(problem, answer.slice(end + HIT.length));
}

/** Each try up to the first that breaks a rule, then each step. Total and pure. */
export function judgeSearch(problem: CountdownProblem, answer: string, knobs: CountdownKnobs): VerdictStep[] {
  const { steps, rest } = readSearch(spaceOf(problem, knobs), answer);
  if (rest === undefined) return [...steps];
  const after = judgeSteps(problem, rest.text);
  return [...steps, ...after.map(({ from, to, score }) => ({ from: from + rest.from, to: to + rest.from, score }))];
}

/** Feedback in the notation of searches: the first wrong try up to its first wrong word, `7 - 3 = 4 : 6 ?`; else as on steps. */
export function feedbackOnSearch(problem: CountdownProblem, answer: string, knobs: CountdownKnobs): string {
  const { rest, flaw } = readSearch(spaceOf(problem, knobs), answer);
  if (flaw === undefined) return feedbackOnSteps(problem, rest?.text ?? '');
  const { right, state, wrong } = flaw;
  return right === '' ? feedbackOnSteps({ numbers: state, target: problem.target }, wrong) : `${right} ?`;
}
