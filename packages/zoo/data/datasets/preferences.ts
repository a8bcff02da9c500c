/** Rows of preferences: `chosen` and `rejected`, or one `completion` with a `label`. */
import type { Json } from '../../../../src/options/json.ts';
import type { DatasetKnobs } from './card.ts';
import type { Row } from './row.ts';

/** A completion of a row, and whether it is the better one, or wanted. */
export interface PreferenceSide {
  readonly text: string;
  readonly isChosen: boolean;
}

const PAIR = ['chosen', 'rejected'] as const;

/** By its columns; `label` is a truth value, or 0 or 1. */
export function isPreference(row: Row): boolean {
  return isPair(row) || ('completion' in row && isLabel(row.label));
}

export function isPair(row: Row): boolean {
  return PAIR.every((column) => column in row);
}

/** Whether no column but the preferred completion has a right answer. @param knobs  as given, or with what was guessed */
export function isAnsweredBySide(row: Row, { answer }: Pick<DatasetKnobs, 'answer'>): boolean {
  if (!isPreference(row)) return false;
  if (answer !== undefined) return answer === (isPair(row) ? 'chosen' : 'completion');
  return !('answer' in row || 'solution' in row || (isPair(row) && 'completion' in row));
}

function isLabel(value: Json | undefined): boolean {
  return typeof value === 'boolean' || value === 0 || value === 1;
}

/** Both sides of a pair, the chosen one first, or the only one; undefined: not a row of preferences, or an empty side. */
export function sidesOf(row: Row): readonly PreferenceSide[] | undefined {
  const columns = isPair(row) ? PAIR : (['completion'] as const);
  if (!isPreference(row)) return undefined;
  const texts = columns.map((column) => lastText(row[column]));
  if (!texts.every((text) => text !== undefined)) return undefined;
  return texts.map((text, i) => ({ text, isChosen: columns.length === 2 ? i === 0 : Boolean(row.label) }));
}

/** A text, or that of the last of some messages. */
function lastText(value: Json | undefined): string | undefined {
  const last = Array.isArray(value) ? (value as readonly Json[]).at(-1) : value;
  const text = typeof last === 'object' && last !== null && 'content' in last ? (last.content as Json) : last;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
