/**
 * The answers of a data set: reading the right one from its row, extracting one from a completion, and comparing them.
 */
import Fraction from 'fraction.js';
import { judgeNumber, judgeText } from '../../../../src/data/judge.ts';
import { tagged } from '../../../../src/data/prompts/style.ts';
import type { VerifyContext } from '../../../../src/data/task.ts';
import type { Json } from '../../../../src/options/json.ts';
import { extractAnswer } from '../../../../src/parsing/extract.ts';
import { canonicalNumber, readNumber } from '../../../../src/parsing/number.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { missing, truncated } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type Extraction, extractMarked } from '../../parsing/extract_marked.ts';
import type { DatasetExtraction } from './card.ts';
import type { Row } from './row.ts';

/** The right answer, as plain data for checkpoints. */
export type Truth = Json;

/** A comparison reads a right answer once and judges other answers by it. */
export interface AnswerReader {
  /** Rows need no right answer. */
  readonly needsNone: boolean;
  /** Sub-scores that every verdict has: 0 where no answer can be read. */
  readonly parts?: readonly string[];
  /** @param choices  of the row, where the config names their column */
  read(given: Json, choices: Json | undefined): { readonly truth: Truth } | { readonly reason: string };
  /** A text of the truth, for reports. */
  shown(truth: Truth): string;
  /** Total and pure. */
  judge(answer: string, truth: Truth, row: Row): Verdict;
}

/** A user's comparison of an extracted answer with the row. */
export type Verifier = (answer: string, row: Row) => Verdict;

/** The reader for a user's verifier; rows may have a right answer, for reports and supervised stages. */
export function ownReader(verifier: Verifier): AnswerReader {
  return {
    needsNone: true,
    read: (given) => ({ truth: given }),
    shown: (truth) => (typeof truth === 'string' ? truth : JSON.stringify(truth)),
    judge: (answer, _truth, row) => verifier(answer, row),
  };
}

/** Reads a right answer from a row: a text, a number, or marked in a worked solution; undefined for anything else. */
export type TextOf = (given: Json) => string | undefined;

/** The error for a right answer that is neither. */
export const NOT_TEXT = { reason: 'must be a text or a number' } as const;

/** Makes a comparison. @param textOf  reads a right answer as a text */
export type MakeReader = (textOf: TextOf) => AnswerReader;

const exact: MakeReader = (textOf) => ({
  needsNone: false,
  read: (given) => {
    const text = textOf(given);
    if (text === '') return { reason: 'empty; fill it in, or leave the row out' };
    return text === undefined ? NOT_TEXT : { truth: text };
  },
  shown: String,
  judge: (answer, truth) => judgeText(answer, String(truth)),
});

const number: MakeReader = (textOf) => ({
  needsNone: false,
  read: (given) => {
    const text = textOf(given);
    if (text === undefined) return NOT_TEXT;
    const reading = readNumber(text);
    return reading.ok ? { truth: canonicalNumber(reading.value) } : { reason: reading.reason };
  },
  shown: String,
  judge: (answer, truth) => judgeNumber(answer, new Fraction(String(truth)), {}),
});

/** Comparisons by the word that `verify` has for them. */
export const COMPARISONS: Readonly<Record<string, MakeReader>> = { exact, number };

/** @param extract  finds a marked right answer in a worked solution */
export function answerReader(comparison: MakeReader, extract: DatasetExtraction): AnswerReader {
  return comparison((given) => {
    if (typeof given === 'number' || typeof given === 'boolean') return String(given);
    if (typeof given !== 'string') return undefined;
    const isMarked = extract === 'hash' || extract === 'boxed';
    const marked = isMarked ? extractMarked(given, extract, true) : undefined;
    return marked?.ok ? marked.answer : trimAscii(given);
  });
}

/** A right completion for a row without one: the answer, marked as `extract` expects. */
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

/** Judges the answer in a completion. An answer that the token limit may have cut does not count. */
export function verifyExtracted(
  completion: string,
  { finishReason }: VerifyContext,
  extract: DatasetExtraction,
  judge: (answer: string) => Verdict,
): Verdict {
  const isCut = finishReason === 'length';
  const extraction: Extraction =
    extract === 'boxed' || extract === 'hash' || extract === 'line'
      ? extractMarked(completion, extract, !isCut)
      : extract === 'whole' && isCut
        ? { ok: false, reason: 'cut' }
        : extractAnswer(completion, extract);
  if (extraction.ok) return judge(extraction.answer);
  return isCut ? truncated() : missing(extraction.reason);
}
