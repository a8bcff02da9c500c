/** Answers of a data set that are lists, options, or mathematics. */

import { correct, unreadable } from '../../../../src/data/judge.ts';
import type { Json } from '../../../../src/options/json.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { wrongValue } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { readChoice } from '../../parsing/choice.ts';
import { readList } from '../../parsing/list.ts';
import { isSameMath, readMathAnswer } from '../../parsing/math_answer.ts';
import { judgeList } from '../judging/judge.ts';
import type { MakeReader, TextOf, Truth } from './answers.ts';
import { NOT_TEXT } from './answers.ts';

export const list: MakeReader = (textOf) => ({
  needsNone: false,
  read: (given) => {
    if (Array.isArray(given)) return { truth: given.map(String) };
    const reading = readList(textOf(given) ?? '');
    return reading.ok ? { truth: reading.elements } : { reason: reading.reason };
  },
  shown: (truth) => (truth as readonly string[]).join(', '),
  judge: (answer, truth) => judgeList(answer, truth as readonly string[]),
});

export const math: MakeReader = (textOf) => ({
  needsNone: false,
  read: (given) => {
    const text = textOf(given);
    if (text === undefined) return NOT_TEXT;
    const reading = readMathAnswer(text);
    return reading.ok ? { truth: text } : { reason: reading.reason };
  },
  shown: String,
  judge: (answer, truth) => judgeMath(answer, String(truth)),
});

/** The same value, however it is written; what votes count of another one is its text. */
function judgeMath(answer: string, truth: string): Verdict {
  const [given, right] = [readMathAnswer(answer), readMathAnswer(truth)];
  if (!given.ok) return unreadable(answer, given.reason);
  if (right.ok && isSameMath(given.value, right.value)) return correct('the same value', truth);
  return { ...wrongValue('another value'), canonical: trimAscii(answer) };
}

interface ChoiceTruth {
  readonly index: number;
  readonly options: readonly string[];
}

export const choice: MakeReader = (textOf) => ({
  needsNone: false,
  read: (given, choices) => readChosen(given, choices, textOf),
  shown: (truth) => letter((truth as unknown as ChoiceTruth).index),
  judge: (answer, truth) => judgeChoice(answer, truth as unknown as ChoiceTruth),
});

/** Letters alone, where a row has no options: no text is one of them. */
const LETTERS = Array.from({ length: 26 }, () => '');

const letter = (index: number): string => String.fromCharCode(65 + index);

function readChosen(
  given: Json,
  choices: Json | undefined,
  textOf: TextOf,
): { readonly truth: Truth } | { readonly reason: string } {
  if (choices !== undefined && !(Array.isArray(choices) && choices.length <= LETTERS.length)) {
    return { reason: `its options must be a list of at most ${LETTERS.length}` };
  }
  const options = choices === undefined ? LETTERS : (choices as readonly Json[]).map(String);
  if (typeof given === 'number') {
    const isOne = Number.isInteger(given) && given >= 0 && given < options.length;
    return isOne ? { truth: { index: given, options } } : { reason: 'not the number of an option, counted from 0' };
  }
  const reading = readChoice(textOf(given) ?? '', options);
  return reading.ok ? { truth: { index: reading.index, options } } : { reason: reading.reason };
}

function judgeChoice(answer: string, { index, options }: ChoiceTruth): Verdict {
  const reading = readChoice(answer, options);
  if (!reading.ok) return unreadable(answer, reading.reason);
  if (reading.index === index) return correct('the right option', letter(index));
  return { ...wrongValue('another option'), canonical: letter(reading.index) };
}
