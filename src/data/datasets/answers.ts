/** The answers of a data set: how a right one is read from its row, taken out of a completion, and compared. */
import Fraction from 'fraction.js';
import type { Json } from '../../options/json.ts';
import { readChoice } from '../../parsing/choice.ts';
import { extractAnswer } from '../../parsing/extract.ts';
import { type Extraction, extractMarked } from '../../parsing/extract_marked.ts';
import { readList } from '../../parsing/list.ts';
import { isSameMath, readMathAnswer } from '../../parsing/math_answer.ts';
import { canonicalNumber, readNumber } from '../../parsing/number.ts';
import { trimAscii } from '../../parsing/trim_ascii.ts';
import { malformed, missing, truncated, wrongValue } from '../../rewards/reject.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import { correct, judgeList, judgeNumber, judgeText } from '../judge.ts';
import { tagged } from '../prompts/style.ts';
import type { VerifyContext } from '../task.ts';
import type { Comparison, DatasetExtraction } from './card.ts';
import type { Row } from './read_rows.ts';

/** What is right, as plain data that a checkpoint holds. */
export type Truth = Json;

/** A comparison: how a right answer is read once, and how others are judged by it. */
export interface AnswerReader {
  /** Rows need no right answer. */
  readonly needsNone: boolean;
  /** @param choices  of the row, where the config names their column */
  read(given: Json, choices: Json | undefined): { readonly truth: Truth } | { readonly reason: string };
  /** A text of the truth, for reports. */
  shown(truth: Truth): string;
  /** Total and pure. */
  judge(answer: string, truth: Truth, row: Row): Verdict;
}

/** A comparison of the user's: of the answer that was taken out, by the row. */
export type Verifier = (answer: string, row: Row) => Verdict;

/** For a file of the user's; rows may have a right answer, for reports and for supervised stages. */
export function ownReader(verifier: Verifier): AnswerReader {
  return {
    needsNone: true,
    read: (given) => ({ truth: given }),
    shown: (truth) => (typeof truth === 'string' ? truth : JSON.stringify(truth)),
    judge: (answer, _truth, row) => verifier(answer, row),
  };
}

/** Letters alone, where a row has no options: no text is one of them. */
const LETTERS = Array.from({ length: 26 }, () => '');

interface ChoiceTruth {
  readonly index: number;
  readonly options: readonly string[];
}

/** @param extract  finds a right answer in a worked solution, where it is marked */
export function answerReader(comparison: Comparison, extract: DatasetExtraction): AnswerReader {
  const textOf = (given: Json): string | undefined => {
    if (typeof given === 'number' || typeof given === 'boolean') return String(given);
    if (typeof given !== 'string') return undefined;
    const isMarked = extract === 'hash' || extract === 'boxed';
    const marked = isMarked ? extractMarked(given, extract, true) : undefined;
    return marked?.ok ? marked.answer : trimAscii(given);
  };
  const notText = { reason: 'must be a text or a number' };
  const empty = { reason: 'empty; fill it in, or leave the row out' };
  switch (comparison) {
    case 'exact':
      return {
        needsNone: false,
        read: (given) => {
          const text = textOf(given);
          return text === undefined ? notText : text === '' ? empty : { truth: text };
        },
        shown: String,
        judge: (answer, truth) => judgeText(answer, String(truth)),
      };
    case 'number':
      return {
        needsNone: false,
        read: (given) => {
          const text = textOf(given);
          if (text === undefined) return notText;
          const reading = readNumber(text);
          return reading.ok ? { truth: canonicalNumber(reading.value) } : { reason: reading.reason };
        },
        shown: String,
        judge: (answer, truth) => judgeNumber(answer, new Fraction(String(truth)), {}),
      };
    case 'list':
      return {
        needsNone: false,
        read: (given) => {
          if (Array.isArray(given)) return { truth: given.map(String) };
          const reading = readList(textOf(given) ?? '');
          return reading.ok ? { truth: reading.elements } : { reason: reading.reason };
        },
        shown: (truth) => (truth as readonly string[]).join(', '),
        judge: (answer, truth) => judgeList(answer, truth as readonly string[]),
      };
    case 'math':
      return {
        needsNone: false,
        read: (given) => {
          const text = textOf(given);
          if (text === undefined) return notText;
          const reading = readMathAnswer(text);
          return reading.ok ? { truth: text } : { reason: reading.reason };
        },
        shown: String,
        judge: (answer, truth) => judgeMath(answer, String(truth)),
      };
    case 'choice':
      return {
        needsNone: false,
        read: (given, choices) => readChosen(given, choices, textOf),
        shown: (truth) => letter((truth as unknown as ChoiceTruth).index),
        judge: (answer, truth) => judgeChoice(answer, truth as unknown as ChoiceTruth),
      };
  }
}

/** The same value, however it is written; what votes count of another one is its text. */
function judgeMath(answer: string, truth: string): Verdict {
  const [given, right] = [readMathAnswer(answer), readMathAnswer(truth)];
  if (!given.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(given.reason);
  if (right.ok && isSameMath(given.value, right.value)) return correct('the same value', truth);
  return { ...wrongValue('another value'), canonical: trimAscii(answer) };
}

const letter = (index: number): string => String.fromCharCode(65 + index);

function readChosen(
  given: Json,
  choices: Json | undefined,
  textOf: (given: Json) => string | undefined,
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
  if (!reading.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reading.reason);
  if (reading.index === index) return correct('the right option', letter(index));
  return { ...wrongValue('another option'), canonical: letter(reading.index) };
}

/** A right completion where a row shows none: the answer, marked as it is looked for. */
export function writtenAnswer(given: Json, shown: string, extract: DatasetExtraction): string {
  const text = typeof given === 'string' ? given : shown;
  switch (extract) {
    case 'only':
    case 'last':
    case 'first':
      return tagged(text);
    case 'boxed':
      return extractMarked(text, extract, true).ok ? text : `\\boxed{${text}}`;
    case 'hash':
      return extractMarked(text, extract, true).ok ? text : `#### ${text}`;
    default:
      return text;
  }
}

/** Judges the answer that a completion has. What the token limit may have cut is none. */
export function verifyExtracted(
  completion: string,
  { finishReason }: VerifyContext,
  extract: DatasetExtraction,
  judge: (answer: string) => Verdict,
): Verdict {
  const isCut = finishReason === 'length';
  const found: Extraction =
    extract === 'boxed' || extract === 'hash' || extract === 'line'
      ? extractMarked(completion, extract, !isCut)
      : extract === 'whole' && isCut
        ? { ok: false, reason: 'cut' }
        : extractAnswer(completion, extract);
  if (found.ok) return judge(found.answer);
  return isCut ? truncated() : missing(found.reason);
}
