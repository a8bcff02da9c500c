/** Verdicts on expressions in x: by identity, and by the form that is asked. */
import { correct } from '../../../../src/data/judge.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type Algebra, readAlgebra, termsOf } from '../../parsing/algebra.ts';
import { firstSample, isSame, type Meant } from '../../parsing/identity.ts';

/** What is asked of an answer. */
export interface AlgebraRules {
  /** What of the answer is compared: itself, or its derivative. */
  readonly compares: Meant['as'];
  /** Whether it must be a sum of terms without brackets, one of each power. */
  readonly isExpanded?: boolean;
  /** Whether `+C` may be its end. */
  readonly hasConstant?: boolean;
}

/** A text of a task's own. @throws RangeError where it cannot be read */
export function readOwn(text: string): Algebra {
  const reading = readAlgebra(text);
  if (!reading.ok) throw new RangeError(`${text} is no expression in x`);
  return reading.expression;
}

/** Exactly the function that is the truth, in the form that the rules ask. */
export function judgeAlgebra(answer: string, truth: Meant, rules: AlgebraRules): Verdict {
  const trimmed = trimAscii(answer);
  if (trimmed === '') return missing('the answer is empty');
  const text = rules.hasConstant ? trimmed.replace(/ ?\+ ?C$/, '') : trimmed;
  const reading = readAlgebra(text);
  if (!reading.ok) return malformed(reading.reason);
  const given: Meant = { expression: reading.expression, as: rules.compares };
  const canonical = firstSample(given)?.toString(36);
  if (canonical === undefined) return illegal('it divides by zero');
  if (!isSame(given, truth)) return { ...wrongValue('another function'), canonical };
  const isInForm = !rules.isExpanded || (!text.includes('(') && termsOf(reading.expression) !== undefined);
  return isInForm ? correct('the right function', canonical) : illegal('the right function, not as a sum of terms');
}

/** Near misses of an expression that was right, by name; those that are right after all are left out by who asks. */
export function algebraMisses(right: string): Record<string, string> {
  return {
    'one more': `${right}+1`,
    'x more': `${right}+x`,
    negated: `-(${right})`,
    doubled: `2(${right})`,
    'another exponent': right.includes('^')
      ? right.replace(/\^([0-9]+)/, (_, n: string) => `^${Number(n) + 1}`)
      : `${right}x`,
    'first term left out': right.replace(/^-?[^-+]+/, ''),
    'last term left out': right.replace(/[-+][^-+]+$/, ''),
    'signs exchanged': right.replace(/[-+]/g, (sign) => (sign === '+' ? '-' : '+')),
    'given twice': `${right} ${right}`,
    'a bracket that stays open': `(${right}`,
    'another variable': right.replaceAll('x', 'y'),
    'an equation': `${right}=${right}`,
    'an operator of Python': `${right}**1`,
    'a function that nobody runs': `expand(${right})`,
    'something after it': `${right},`,
  };
}
