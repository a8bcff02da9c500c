/** Verdicts of words, truth values, lists and grids. */
import Fraction from 'fraction.js';
import { correct, judgeNumber, unreadable } from '../../../../src/data/judge.ts';
import { canonicalNumber, isNumber, readNumber } from '../../../../src/parsing/number.ts';
import { malformed, missing, wrongValue } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { readTruth } from '../../parsing/choice.ts';
import { type GridShape, readGrid } from '../../parsing/grid.ts';
import { readList } from '../../parsing/list.ts';
import { readWord } from '../../parsing/words.ts';

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
