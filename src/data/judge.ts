/** Verdicts on the commonest kinds of answers, for tasks' verifiers. */
import Fraction from 'fraction.js';
import type { Rational } from '../parsing/arithmetic.ts';
import { canonicalNumber, isNumber, type NumberRules, readNumber, type Tolerance } from '../parsing/number.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';
import { malformed, missing, wrongValue } from '../rewards/reject.ts';
import type { Verdict } from '../rewards/verdict.ts';

/** A right answer; `canonical` is the same for all its notations. */
export function correct(reason: string, canonical: string): Verdict {
  return { score: 1, status: 'correct', reason, canonical };
}

/** No answer, or one that cannot be read. */
export function unreadable(answer: string, reason: string): Verdict {
  return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reason);
}

/** Judges an exact number, by default in plain decimals: an unevaluated expression is not an answer. */
export function judgeNumber(
  answer: string,
  truth: number | bigint | Rational,
  rules: NumberRules & Tolerance = { plain: true },
): Verdict {
  const reading = readNumber(answer, rules);
  if (!reading.ok) return unreadable(answer, reading.reason);
  const value = truth instanceof Fraction ? truth : new Fraction(truth);
  return isNumber(reading, value, rules)
    ? correct('the right number', canonicalNumber(value))
    : { ...wrongValue('not the right number'), canonical: canonicalNumber(reading.value) };
}

/** Judges an exact text, ignoring surrounding white space. */
export function judgeText(answer: string, truth: string): Verdict {
  const text = trimAscii(answer);
  if (text === truth) return correct('the right text', truth);
  return text === '' ? missing('the answer is empty') : { ...wrongValue('not the right text'), canonical: text };
}
