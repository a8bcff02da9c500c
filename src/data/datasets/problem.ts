/** A row as a problem: question, right answer, and demonstration. */
import type { Json } from '../../options/json.ts';
import { didYouMean } from '../../options/nearest_name.ts';
import type { Message } from '../../text/codec.ts';
import { type AnswerReader, type Truth, writtenAnswer } from './answers.ts';
import type { DatasetKnobs } from './card.ts';
import type { Row } from './row.ts';

export interface DatasetProblem {
  readonly prompt: string | readonly Message[];
  readonly truth: Truth;
  /** A right completion. */
  readonly completion: string;
  /** The whole conversation, if the row is one: a supervised stage learns each assistant turn. */
  readonly dialogue?: readonly Message[];
}

/** `remedy`: given if the fault is not in the row. */
export type ProblemReading =
  | { readonly problem: DatasetProblem }
  | { readonly flaw: string; readonly remedy?: string | undefined };

const ANSWER_COLUMNS = ['answer', 'solution', 'completion'];
const MESSAGES = 'messages';
/** Members of a message, besides role and content, that chat templates read. */
const FIELDS: readonly string[] = ['tool_calls', 'tool_call_id', 'name', 'reasoning_content', 'reasoning', 'thinking'];
const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool'];

class Flaw extends Error {
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Depth of nested lists and objects, beyond which a row is not data and could not be written again. */
const MOST_NESTED = 100;

/** The columns that problems are made of, as far as a config names them. */
function namedColumns({ prompt, answer, completion, choices }: DatasetKnobs): string[] {
  return [prompt, answer ?? [], completion ?? [], choices ?? []].flat();
}

/** All columns that problems may be read from, whatever the rows look like. */
export function readColumns(knobs: DatasetKnobs): string[] {
  return [...new Set([...namedColumns(knobs), ...ANSWER_COLUMNS, MESSAGES])];
}

/** The problem of a row, or its flaw: `flaw; remedy`. */
export function problemOf(row: Row, knobs: DatasetKnobs, answers: AnswerReader): ProblemReading {
  if (isDeeper(row, MOST_NESTED)) return { flaw: `nested deeper than ${MOST_NESTED} lists and objects` };
  try {
    return { problem: readProblem(row, knobs, answers) };
  } catch (error) {
    if (error instanceof Flaw) return { flaw: error.message, remedy: error.remedy };
    throw error;
  }
}

function readProblem(row: Row, knobs: DatasetKnobs, answers: AnswerReader): DatasetProblem {
  if (!(knobs.prompt in row) && MESSAGES in row) return conversation(row, knobs, answers);
  const prompt = promptOf(cellOf(row, knobs.prompt), knobs.prompt);
  const column = knobs.answer ?? ANSWER_COLUMNS.find((name) => name in row);
  if (column === undefined && answers.needsNone) {
    return { prompt, truth: null, completion: textOf(row, knobs.completion ?? 'completion', '') };
  }
  const given = lastTurn(cellOf(row, column ?? 'answer'));
  const truth = truthOf(given, row, column ?? 'answer', knobs, answers);
  const completionColumn = knobs.completion ?? ('completion' in row ? 'completion' : undefined);
  const completion =
    completionColumn === undefined
      ? writtenAnswer(given, answers.shown(truth), knobs.extract)
      : textOf(row, completionColumn);
  return { prompt, truth, completion };
}

function conversation(row: Row, knobs: DatasetKnobs, answers: AnswerReader): DatasetProblem {
  const dialogue = messagesOf(cellOf(row, MESSAGES), MESSAGES);
  const last = dialogue[dialogue.length - 1];
  if (last.role !== 'assistant')
    throw new Flaw(`column "${MESSAGES}" ends with a turn of ${last.role}; end it with the assistant's`);
  const prompt = dialogue.slice(0, -1);
  if (!prompt.some(({ role }) => role === 'user'))
    throw new Flaw(`column "${MESSAGES}" asks nothing; begin with a turn of user`);
  const given = knobs.answer === undefined ? last.content : cellOf(row, knobs.answer);
  return {
    prompt,
    truth: truthOf(given, row, knobs.answer ?? MESSAGES, knobs, answers),
    completion: last.content,
    dialogue,
  };
}

function truthOf(given: Json, row: Row, column: string, knobs: DatasetKnobs, answers: AnswerReader): Truth {
  const choices = knobs.choices === undefined ? undefined : cellOf(row, knobs.choices);
  const reading = answers.read(given, choices);
  if ('truth' in reading) return reading.truth;
  throw new Flaw(`column "${column}": ${shortened(given)} — ${reading.reason}`);
}

function isDeeper(value: Json | Row, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** @throws Flaw if it is missing or null */
function cellOf(row: Row, column: string): Json {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === undefined) {
    const names = Object.keys(row);
    throw new Flaw(
      `no column "${column}"${didYouMean(column, names)} (there are ${names.join(', ') || 'none'})`,
      'name the columns of the file by prompt and answer',
    );
  }
  if (typeof value === 'string' && /\p{Cs}/u.test(value)) {
    throw new Flaw(`column "${column}" has half of a surrogate pair, which no encoding can write; remove it`);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new Flaw(`column "${column}" has a number that is not finite, or too large; write it as a text`);
  }
  if (value === null) throw new Flaw(`column "${column}" is null; fill it in, or leave the row out`);
  return value;
}

function textOf(row: Row, column: string, fallback?: string): string {
  if (fallback !== undefined && !Object.hasOwn(row, column)) return fallback;
  const value = lastTurn(cellOf(row, column));
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Flaw(`column "${column}": ${shortened(value)} — must be a text that is not empty`);
}

function promptOf(value: Json, column: string): string | readonly Message[] {
  if (Array.isArray(value)) return messagesOf(value, column);
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new Flaw(`column "${column}": ${shortened(value)} — must be a text that is not empty, or a list of messages`);
}

/** A completion may be a list of one message, as in TRL. */
function lastTurn(value: Json): Json {
  if (!Array.isArray(value) || value.length !== 1) return value;
  const [message] = value as readonly Json[];
  if (typeof message !== 'object' || message === null || !('content' in message)) return value;
  const { role: _, content, ...others } = message as Readonly<Record<string, Json>>;
  const more = Object.keys(others).find((name) => others[name] !== null);
  if (more === undefined) return content ?? value;
  throw new Flaw(
    `a completion has ${JSON.stringify(more)}, of which only the text is read; write all turns as messages`,
  );
}

function messagesOf(value: Json, column: string): readonly Message[] {
  const wrong = new Flaw(
    `column "${column}": ${shortened(value)} — must be a list of messages; write [{"role": "user", "content": "…"}]`,
  );
  if (!Array.isArray(value) || value.length === 0) throw wrong;
  return value.map((entry: Json): Message => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw wrong;
    const { role, content, ...others } = entry as Readonly<Record<string, Json>>;
    // Parquet and Arrow give every message the members of all, as null.
    const given = Object.entries(others).filter(([, member]) => member !== null);
    const unread = given.find(([name]) => !FIELDS.includes(name))?.[0];
    if (unread !== undefined) {
      const names = ['role', 'content', ...FIELDS];
      const near = didYouMean(unread, names);
      throw new Flaw(`column "${column}": a message has ${JSON.stringify(unread)}${near} — use ${names.join(', ')}`);
    }
    const hasNoText = content === null && given.length > 0;
    const text = hasNoText ? '' : textOfContent(content, column);
    if (text === undefined || typeof role !== 'string') throw wrong;
    if (!ROLES.includes(role))
      throw new Flaw(`column "${column}": role ${JSON.stringify(role)} — use ${ROLES.join(', ')}`);
    const fields = { ...Object.fromEntries(given), ...(hasNoText && { content: null }) };
    const message = { role: role as Message['role'], content: text }; // one of them
    return given.length > 0 ? { ...message, fields } : message;
  });
}

/** A text, or parts of one; undefined: neither. @throws Flaw where a part is not of text */
function textOfContent(content: Json | undefined, column: string): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const texts = content.map((part: Json) => {
    const { type, text } = (part ?? {}) as Readonly<Record<string, Json>>;
    if (type === 'text' && typeof text === 'string') return text;
    throw new Flaw(
      `column "${column}": ${shortened(part)} — a part of a message must be {"type": "text", "text": "…"}`,
    );
  });
  return texts.join('');
}

const LONGEST = 60;

function shortened(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
