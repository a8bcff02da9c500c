/** Verdicts of the commonest kinds of answers: what verifiers of single tasks are made of. */
import Fraction from 'fraction.js';
import type { Rational } from '../parsing/arithmetic.ts';
import { readTruth } from '../parsing/choice.ts';
import { type GridShape, readGrid } from '../parsing/grid.ts';
import { readList } from '../parsing/list.ts';
import { canonicalNumber, isNumber, type NumberRules, readNumber, type Tolerance } from '../parsing/number.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';
import { readWord } from '../parsing/words.ts';
import { malformed, missing, wrongValue } from '../rewards/reject.ts';
import type { Verdict } from '../rewards/verdict.ts';

/** A right answer; `canonical` is the same for all its notations. */
export function correct(reason: string, canonical: string): Verdict {
  return { score: 1, status: 'correct', reason, canonical };
}

/** No answer, or one that cannot be read. */
function unreadable(answer: string, reason: string): Verdict {
  return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reason);
}

/** Exactly this number. By default in plain decimals: an expression that was to be computed is no answer. */
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

/** This whole number, or `none` where there is none: `truth` is one of both as a text. */
export function judgeNumberOrNone(answer: string, truth: string): Verdict {
  const isNone = readWord(answer, ['none']) === 'none';
  if (!isNone && truth !== 'none') return judgeNumber(answer, BigInt(truth));
  if (isNone) {
    return truth === 'none' ? correct('there is none', 'none') : { ...wrongValue('there is one'), canonical: 'none' };
  }
  const reading = readNumber(answer, { plain: true });
  if (!reading.ok) return unreadable(answer, reading.reason);
  return { ...wrongValue('there is none'), canonical: canonicalNumber(reading.value) };
}

/** Exactly this text, but for white space around it. */
export function judgeText(answer: string, truth: string): Verdict {
  const text = trimAscii(answer);
  if (text === truth) return correct('the right text', truth);
  return text === '' ? missing('the answer is empty') : { ...wrongValue('not the right text'), canonical: text };
}

/** What a verdict on a word says. */
interface WordReasons {
  readonly unread: string;
  readonly right: string;
  readonly wrong: string;
}

/** One of some words, and nothing else; `truth` is the right one. */
export function judgeWord(answer: string, truth: string, words: readonly string[], reasons: WordReasons): Verdict {
  const said = readWord(answer, words);
  if (said === undefined) return answer.trim() === '' ? missing('the answer is empty') : malformed(reasons.unread);
  return said === truth ? correct(reasons.right, said) : { ...wrongValue(reasons.wrong), canonical: said };
}

/** `true` or `false`, or the two words that the task has for them. */
export function judgeTruth(answer: string, truth: boolean, words?: readonly [yes: string, no: string]): Verdict {
  const read = readTruth(answer, words);
  if (read === undefined) return unreadable(answer, 'not a truth value');
  return read === truth
    ? correct('the right truth value', String(truth))
    : { ...wrongValue('the other truth value'), canonical: String(read) };
}

/** These elements in their order, each as `isSame` has it; default: the same text. */
export function judgeList(
  answer: string,
  truth: readonly string[],
  isSame: (element: string, expected: string) => boolean = (element, expected) => element === expected,
): Verdict {
  const list = readList(answer);
  if (!list.ok) return unreadable(answer, list.reason);
  const { elements } = list;
  if (elements.length !== truth.length) return wrongValue('a list of another length');
  const isRight = truth.every((expected, index) => isSame(elements[index] as string, expected));
  return isRight
    ? correct('the right list', truth.join(' '))
    : { ...wrongValue('not the right list'), canonical: elements.join(' ') };
}

/** These numbers in their order, each in plain decimals. */
export function judgeNumbers(answer: string, truth: readonly number[]): Verdict {
  const isSame = (element: string, expected: string): boolean =>
    element === expected || isNumber(readNumber(element, { plain: true }), new Fraction(expected));
  return judgeList(answer, truth.map(String), isSame);
}

/** Exactly these cells. */
export function judgeGrid(answer: string, truth: readonly (readonly string[])[], shape: GridShape): Verdict {
  const grid = readGrid(answer, shape);
  if (!grid.ok) return unreadable(answer, grid.reason);
  const flat = (cells: readonly (readonly string[])[]): string => cells.map((row) => row.join(' ')).join('/');
  return flat(grid.cells) === flat(truth)
    ? correct('the right grid', flat(truth))
    : { ...wrongValue('not the right grid'), canonical: flat(grid.cells) };
}
