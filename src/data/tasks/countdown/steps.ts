/**
 * Judges a sequence of steps as an answer to countdown: `5 + 3 = 8 , 8 * 7 = 56`.
 *
 *   answer = step {"," step}      step = number operator number "=" number
 *
 * Exactly one step fewer than there are numbers. Each operand is taken out of a pool that starts with the given
 * numbers; each result is exact and goes into the pool. The last result is the target.
 */
import { applyOperator, rationalOf } from '../../../parsing/arithmetic.ts';
import { type ArithmeticToken, tokenizeArithmetic } from '../../../parsing/arithmetic_lexer.ts';
import { type ArithmeticOperator, canonicalForm, type Expression } from '../../../parsing/expression.ts';
import { trimAscii } from '../../../parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../../../rewards/reject.ts';
import type { Verdict, VerdictStep } from '../../../rewards/verdict.ts';
import type { CountdownProblem } from './expression.ts';
import { MAX_EXPRESSION_LENGTH } from './expression.ts';

/** Tokens of one step: two operands, an operator, `=`, a result. */
const STEP_TOKENS = 5;

interface Step {
  readonly left: number;
  readonly operator: ArithmeticOperator;
  readonly right: number;
  readonly result: number;
}

type StepsResult =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly reason: string };

function isSymbol(token: ArithmeticToken | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.symbol === symbol;
}

function readOperator(token: ArithmeticToken | undefined): ArithmeticOperator | undefined {
  if (token?.kind !== 'symbol') return undefined;
  const { symbol } = token;
  return symbol === '+' || symbol === '-' || symbol === '*' || symbol === '/' ? symbol : undefined;
}

function readStep(tokens: readonly ArithmeticToken[], start: number): Step | undefined {
  const left = tokens[start];
  const operator = readOperator(tokens[start + 1]);
  const right = tokens[start + 2];
  const result = tokens[start + 4];
  if (left?.kind !== 'number' || right?.kind !== 'number' || result?.kind !== 'number') return undefined;
  if (operator === undefined || !isSymbol(tokens[start + 3], '=')) return undefined;
  return { left: left.value, operator, right: right.value, result: result.value };
}

function parseSteps(tokens: readonly ArithmeticToken[]): StepsResult {
  const steps: Step[] = [];
  for (let start = 0; ; start += STEP_TOKENS + 1) {
    const step = readStep(tokens, start);
    if (step === undefined)
      return { ok: false, reason: `step ${steps.length + 1} is not "number operator number = number"` };
    steps.push(step);
    const end = start + STEP_TOKENS;
    if (end === tokens.length) return { ok: true, steps };
    if (!isSymbol(tokens[end], ',')) return { ok: false, reason: `step ${steps.length} is not followed by a comma` };
  }
}

/** Takes one tree of this value out of the pool. */
function takeFromPool(pool: Map<number, Expression[]>, value: number): Expression | undefined {
  return pool.get(value)?.pop();
}

function putIntoPool(pool: Map<number, Expression[]>, value: number, expression: Expression): void {
  const sameValue = pool.get(value);
  if (sameValue) sameValue.push(expression);
  else pool.set(value, [expression]);
}

/** Carries out one step on the pool; returns the rejection if a rule is broken. */
function playStep(pool: Map<number, Expression[]>, step: Step, label: string): Verdict | undefined {
  const left = takeFromPool(pool, step.left);
  const right = takeFromPool(pool, step.right);
  if (!left || !right) return illegal(`${label} uses a number that is not there, or twice`);
  const exact = applyOperator(step.operator, rationalOf(step.left), rationalOf(step.right));
  if (exact === undefined) return illegal(`${label} divides by zero`);
  if (!exact.equals(rationalOf(step.result))) return illegal(`${label} is not true`);
  putIntoPool(pool, step.result, { kind: 'operation', operator: step.operator, left, right });
  return undefined;
}

/** Total and pure: any string in, a verdict out. Exact rationals; nothing is run as code. */
export function verifyCountdownSteps(problem: CountdownProblem, answer: string): Verdict {
  const text = trimAscii(answer);
  if (text.length === 0) return missing('the answer is empty');
  if (text.length > MAX_EXPRESSION_LENGTH) return malformed(`longer than ${MAX_EXPRESSION_LENGTH} characters`);
  const lexed = tokenizeArithmetic(text);
  if (!lexed.ok) return malformed(lexed.reason);
  const parsed = parseSteps(lexed.tokens);
  if (!parsed.ok) return malformed(parsed.reason);
  const numSteps = problem.numbers.length - 1;
  if (parsed.steps.length !== numSteps) return illegal(`${parsed.steps.length} steps instead of ${numSteps}`);

  const pool = new Map<number, Expression[]>();
  for (const value of problem.numbers) putIntoPool(pool, value, { kind: 'number', value });
  for (const [index, step] of parsed.steps.entries()) {
    const rejection = playStep(pool, step, `step ${index + 1}`);
    if (rejection) return rejection;
  }
  const { result } = parsed.steps[parsed.steps.length - 1];
  if (result !== problem.target) return wrongValue('the last step does not reach the target');
  // n - 1 steps on n numbers leave exactly one value, the last result.
  const [whole] = pool.get(result) as [Expression];
  return { score: 1, status: 'correct', reason: 'reaches the target', canonical: canonicalForm(whole) };
}

/**
 * Judges each piece between commas: 1 if it is a step, its operands are in the pool, and it is true; else 0. A false
 * step still puts its claimed result into the pool, so that the next is judged on its own merit. Total and pure.
 */
export function judgeSteps({ numbers }: CountdownProblem, answer: string): VerdictStep[] {
  if (answer.length > MAX_EXPRESSION_LENGTH) return [];
  const pool = [...numbers];
  let begin = 0;
  return answer.split(',').flatMap((piece) => {
    const text = trimAscii(piece);
    const start = begin + piece.indexOf(text);
    begin += piece.length + 1; // the comma
    return text === '' ? [] : [{ from: start, to: start + text.length, score: playAlone(pool, text) ? 1 : 0 }];
  });
}

/** Applies a written step to the pool as far as possible; false if it breaks a rule. */
function playAlone(pool: number[], text: string): boolean {
  const lexed = tokenizeArithmetic(text);
  const step = lexed.ok && lexed.tokens.length === STEP_TOKENS ? readStep(lexed.tokens, 0) : undefined;
  if (step === undefined) return false;
  const { left, operator, right, result } = step;
  const areThere = [left, right].map((value) => {
    const place = pool.indexOf(value);
    if (place >= 0) pool.splice(place, 1);
    return place >= 0;
  });
  pool.push(result);
  const exact = applyOperator(operator, rationalOf(left), rationalOf(right));
  return areThere.every(Boolean) && exact?.equals(rationalOf(result)) === true;
}

/**
 * Feedback on steps, in their own notation: a false step without its result, `3 * 2 = ?`, or the numbers in the pool
 * where it went wrong, `6 7 ?`. It calculates nothing for its reader. Total and pure.
 */
export function feedbackOnSteps({ numbers, target }: CountdownProblem, answer: string): string {
  const pool = [...numbers];
  if (answer.length > MAX_EXPRESSION_LENGTH) return `${pool.join(' ')} ?`;
  for (const piece of answer.split(',')) {
    const lexed = tokenizeArithmetic(trimAscii(piece));
    const step = lexed.ok && lexed.tokens.length === STEP_TOKENS ? readStep(lexed.tokens, 0) : undefined;
    if (step === undefined || pool.length < 2) break;
    const { left, operator, right, result } = step;
    const rest = without(without(pool, left), right);
    const exact = applyOperator(operator, rationalOf(left), rationalOf(right));
    if (rest.length !== pool.length - 2 || exact === undefined) break;
    if (!exact.equals(rationalOf(result))) return `${left} ${operator} ${right} = ?`;
    pool.splice(0, pool.length, ...rest, result);
  }
  return pool.length === 1 && pool[0] === target ? '' : `${pool.join(' ')} ?`;
}

/** The numbers without one of this value, if there is one. */
function without(numbers: readonly number[], value: number): number[] {
  const place = numbers.indexOf(value);
  return place < 0 ? [...numbers] : numbers.filter((_, i) => i !== place);
}
