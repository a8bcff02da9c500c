/**
 * Stretches of whole numbers, both ends included: `3-7`, `3..7`, `[3, 7]` or `3 to 7`, and several of them with semicolons or
 * commas between.
 */
import { answerText } from '../../../src/rewards/answer_text.ts';
import type { TruthForm } from './truth.ts';

export type Span = readonly [from: number, to: number];

const SPAN = /^\[? *(-?[0-9]{1,9}(?:\.[0-9]{1,9})?) *(?:-|\.\.|,| to ) *(-?[0-9]{1,9}(?:\.[0-9]{1,9})?) *\]?$/;
const MOST_SPANS = 256;

/** One span of numbers, the smaller end first. */
export function readSpan(text: string): Span | undefined {
  const match = SPAN.exec(text.trim());
  if (match === null) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from <= to ? [from, to] : undefined;
}

export const spanForm: TruthForm<Span> = {
  form: 'a span such as 3-7',
  read(value) {
    if (Array.isArray(value)) return value.length === 2 ? readSpan(value.join('..')) : undefined;
    return typeof value === 'string' ? readSpan(answerText(value)) : undefined;
  },
};

export const spansForm: TruthForm<readonly Span[]> = {
  form: 'a list of spans such as 3-7;12-15',
  read(value) {
    const texts = Array.isArray(value)
      ? value.map((span) => (Array.isArray(span) ? span.join('..') : String(span)))
      : split(value);
    if (texts === undefined || texts.length === 0 || texts.length > MOST_SPANS) return undefined;
    const spans = texts.map(readSpan);
    return spans.every((span) => span?.every(Number.isInteger)) ? (spans as Span[]) : undefined;
  },
};

function split(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  const text = answerText(value);
  return text.split(text.includes(';') || text.includes('[') ? ';' : ',');
}
