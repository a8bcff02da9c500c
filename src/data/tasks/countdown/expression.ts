/** Judges one arithmetic expression as an answer to countdown. Exact rationals; nothing is run as code. */
import { evaluateExpression, rationalOf } from '../../../parsing/arithmetic.ts';
import { type ArithmeticToken, tokenizeArithmetic } from '../../../parsing/arithmetic_lexer.ts';
import { canonicalForm, literalsOf, parseExpression } from '../../../parsing/expression.ts';
import { trimAscii } from '../../../parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../../../rewards/reject.ts';
import type { Verdict } from '../../../rewards/verdict.ts';

/** Longest expression that is read, in UTF-16 units after trimming. */
export const MAX_EXPRESSION_LENGTH = 256;

/** What countdown asks; numbers are non-negative safe integers in any order. */
export interface CountdownProblem {
  readonly numbers: readonly number[];
  readonly target: number;
}

/** What counts as an answer of countdown. */
export interface ExpressionRules {
  /** `all`: each given number exactly once; `subset`: each at most once. */
  readonly use: 'all' | 'subset';
  /** Accept one trailing `=target`. */
  readonly allowEquals: boolean;
  /** Refuse quotients that are not integers. */
  readonly integerSteps: boolean;
}

/** Each number exactly once, without a trailing `=target`, quotients of any kind. */
export const STRICT_EXPRESSION_RULES: ExpressionRules = { use: 'all', allowEquals: false, integerSteps: false };

function withoutTrailingEquals(tokens: readonly ArithmeticToken[], target: number): readonly ArithmeticToken[] {
  const equals = tokens.at(-2);
  const last = tokens.at(-1);
  const claimsTarget = equals?.kind === 'symbol' && equals.symbol === '=' && last?.kind === 'number';
  return claimsTarget && last.value === target ? tokens.slice(0, -2) : tokens;
}

/** True if `used` takes each given number at most once, or exactly once for `all`. */
function respectsNumbers(used: readonly number[], given: readonly number[], use: ExpressionRules['use']): boolean {
  if (use === 'all' && used.length !== given.length) return false;
  const pool = [...given];
  return used.every((number) => {
    const index = pool.indexOf(number);
    if (index < 0) return false;
    pool.splice(index, 1);
    return true;
  });
}

/** Total and pure: any string in, a verdict out. */
export function verifyCountdownExpression(
  problem: CountdownProblem,
  answer: string,
  rules: ExpressionRules = STRICT_EXPRESSION_RULES,
): Verdict {
  const text = trimAscii(answer);
  if (text.length === 0) return missing('the answer is empty');
  if (text.length > MAX_EXPRESSION_LENGTH) return malformed(`longer than ${MAX_EXPRESSION_LENGTH} characters`);
  const lexed = tokenizeArithmetic(text);
  if (!lexed.ok) return malformed(lexed.reason);
  const tokens = rules.allowEquals ? withoutTrailingEquals(lexed.tokens, problem.target) : lexed.tokens;
  const parsed = parseExpression(tokens);
  if (!parsed.ok) return malformed(parsed.reason);
  if (!respectsNumbers(literalsOf(parsed.expression), problem.numbers, rules.use)) {
    return illegal('the numbers used are not the numbers given');
  }
  const result = evaluateExpression(parsed.expression, rules.integerSteps);
  if (!result.ok) return illegal(result.reason);
  if (!result.value.equals(rationalOf(problem.target))) return wrongValue('the value is not the target');
  return { score: 1, status: 'correct', reason: 'reaches the target', canonical: canonicalForm(parsed.expression) };
}
