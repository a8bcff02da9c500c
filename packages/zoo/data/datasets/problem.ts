/** A row as a problem: question, right answer, and demonstration. */
import type { Json } from '../../../../src/options/json.ts';
import { didYouMean } from '../../../../src/options/nearest_name.ts';
import type { Message, ToolSchema } from '../../../../src/text/codec.ts';
import { type AnswerReader, type Truth, writtenAnswer } from './answers.ts';
import type { DatasetKnobs } from './card.ts';
import { ANSWER_COLUMNS, conversationColumn, MESSAGES, TEMPLATE_KWARGS, TOOLS } from './columns.ts';
import { isAnsweredBySide, isPair, isPreference, type PreferenceSide, sidesOf } from './preferences.ts';
import type { ReadRow, Row } from './row.ts';

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

/** Members of a message, besides role and content, that chat templates read. */
const FIELDS: readonly string[] = ['tool_calls', 'tool_call_id', 'name', 'reasoning_content', 'reasoning', 'thinking'];
const ROLES: readonly string[] = ['system', 'user', 'assistant', 'tool'];
/** Who speaks in `{"from": …, "value": …}`, the form of ShareGPT. */
const SPEAKERS: Readonly<Record<string, Message['role']>> = {
  human: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  observation: 'tool',
};

class Flaw extends Error {
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Depth of nested lists and objects, beyond which a row is not data and could not be written again. */
const MOST_NESTED = 100;

/** The problem of a row, or its flaw: `flaw; remedy`. */
export function problemOf(read: ReadRow, knobs: DatasetKnobs, answers: AnswerReader): ProblemReading {
  if (isDeeper(read.row, MOST_NESTED)) return { flaw: `nested deeper than ${MOST_NESTED} lists and objects` };
  try {
    return { problem: withTemplateValues(readProblem(read, knobs, answers), read.row, knobs) };
  } catch (error) {
    if (error instanceof Flaw) return { flaw: error.message, remedy: error.remedy };
    throw error;
  }
}

function readProblem(read: ReadRow, knobs: DatasetKnobs, answers: AnswerReader): DatasetProblem {
  const { row } = read;
  const sides = answers.needsNone ? undefined : preferenceOf(row);
  const dialogue = conversationColumn(row, knobs, answers.needsNone || sides !== undefined);
  if (dialogue !== undefined) return conversation(read, dialogue, knobs, answers);
  const prompt = promptOf(read, knobs.prompt);
  if (sides !== undefined && isAnsweredBySide(row, knobs)) {
    const [{ text }] = sides;
    return { prompt, truth: truthOf(text, read, 'chosen', knobs, answers), completion: text };
  }
  const column = knobs.answer ?? ANSWER_COLUMNS.find((name) => name in row);
  if (row.label === false && 'completion' in row && answers.needsNone)
    throw new Flaw('column "label" is false: nobody wants this completion; leave the row out');
  if (column === undefined && answers.needsNone) {
    return { prompt, truth: null, completion: textOf(row, knobs.completion ?? 'completion', '') };
  }
  const given = lastTurn(writtenCell(read, column ?? 'answer'));
  const truth = truthOf(given, read, column ?? 'answer', knobs, answers);
  const completionColumn = knobs.completion ?? ('completion' in row ? 'completion' : undefined);
  const completion =
    completionColumn === undefined
      ? writtenAnswer(given, answers.shown(truth), knobs.extract)
      : textOf(row, completionColumn);
  return { prompt, truth, completion };
}

/** The sides of a row of preferences; undefined: it is none. @throws Flaw where there is nothing to prefer */
function preferenceOf(row: Row): readonly PreferenceSide[] | undefined {
  if (!isPreference(row)) return undefined;
  const sides = sidesOf(row);
  if (sides === undefined) {
    const columns = isPair(row) ? 'chosen and rejected' : 'completion';
    throw new Flaw(`${columns} must be texts that are not empty, or messages that end with one`);
  }
  if (sides.length === 2 && sides[0].text === sides[1].text) {
    throw new Flaw(`chosen and rejected are the same, ${shortened(sides[0].text)}; leave the row out`);
  }
  return sides;
}

/** The problem with what its row gives the chat template, or with a prompt that no template renders. */
function withTemplateValues(
  problem: DatasetProblem,
  row: Row,
  { prompt_format: format }: DatasetKnobs,
): DatasetProblem {
  const { prompt, dialogue } = problem;
  const asked = typeof prompt === 'string' ? [{ role: 'user' as const, content: prompt }] : prompt;
  if (format === 'raw') {
    if (typeof prompt !== 'string')
      throw new Flaw('prompt_format: raw takes texts, and this row has messages', 'leave it out');
    return { ...problem, prompt: [{ ...asked[0], isRendered: true }] };
  }
  const tools = jsonCell(row, TOOLS);
  const kwargs = jsonCell(row, TEMPLATE_KWARGS);
  if (tools === undefined && kwargs === undefined) return problem;
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isObject))) {
    throw new Flaw(
      `column "${TOOLS}": ${shortened(tools)} — must be a list of tools, as {"type": "function", "function": {…}}`,
    );
  }
  if (kwargs !== undefined && !isObject(kwargs)) {
    throw new Flaw(
      `column "${TEMPLATE_KWARGS}": ${shortened(kwargs)} — must be an object, as {"enable_thinking": false}`,
    );
  }
  const given = {
    ...(tools !== undefined && { tools: tools as readonly ToolSchema[] }),
    ...(kwargs !== undefined && { templateKwargs: kwargs as Message['templateKwargs'] }),
  };
  const begin = ([first, ...rest]: readonly Message[]): readonly Message[] => [{ ...first, ...given }, ...rest];
  return { ...problem, prompt: begin(asked), ...(dialogue && { dialogue: begin(dialogue) }) };
}

/** A cell, or the JSON that it has as a text; undefined where it is missing or empty. */
function jsonCell(row: Row, column: string): Json | undefined {
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value !== 'string') return value;
  try {
    return (JSON.parse(value) as Json) ?? undefined;
  } catch {
    return value;
  }
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function conversation(read: ReadRow, column: string, knobs: DatasetKnobs, answers: AnswerReader): DatasetProblem {
  const { row } = read;
  const turns = messagesOf(cellOf(row, column), column, writtenCell(read, column));
  const { system } = row;
  const isPreceded = column !== MESSAGES && typeof system === 'string' && system !== '' && turns[0].role !== 'system';
  const dialogue = isPreceded ? [{ role: 'system' as const, content: system }, ...turns] : turns;
  const last = dialogue[dialogue.length - 1];
  if (last.role !== 'assistant')
    throw new Flaw(`column "${column}" ends with a turn of ${last.role}; end it with the assistant's`);
  const prompt = dialogue.slice(0, -1);
  if (!prompt.some(({ role }) => role === 'user'))
    throw new Flaw(`column "${column}" asks nothing; begin with a turn of user`);
  const given = knobs.answer === undefined ? last.content : writtenCell(read, knobs.answer);
  return {
    prompt,
    truth: truthOf(given, read, knobs.answer ?? column, knobs, answers),
    completion: last.content,
    dialogue,
  };
}

function truthOf(given: Json, read: ReadRow, column: string, knobs: DatasetKnobs, answers: AnswerReader): Truth {
  const choices = knobs.choices === undefined ? undefined : writtenCell(read, knobs.choices);
  const reading = answers.read(given, choices);
  if ('truth' in reading) return reading.truth;
  throw new Flaw(`column "${column}": ${shortened(given)} — ${reading.reason}`);
}

function isDeeper(value: Json | Row, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** A cell, or by `column.member` a member of one. */
function memberAt(row: Row, path: string): Json | undefined {
  if (Object.hasOwn(row, path)) return row[path];
  return path.split('.').reduce<Json | undefined>((value, name) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, name) ? (value as Row)[name] : undefined;
  }, row);
}

/** A cell whose numbers, where they are written otherwise than JavaScript writes them, are texts. */
function writtenCell({ row, written }: ReadRow, column: string): Json {
  const cell = cellOf(row, column);
  return (written && memberAt(written, column)) ?? cell;
}

/** @throws Flaw if it is missing or null */
function cellOf(row: Row, column: string): Json {
  const value = memberAt(row, column);
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

/** A text, or messages; of several columns their texts, where they are not empty. */
function promptOf(read: ReadRow, columns: string | readonly string[]): string | readonly Message[] {
  const { row } = read;
  const [column, ...others] = [columns].flat();
  const value = cellOf(row, column);
  if (others.length > 0) {
    const further = others.filter((name) => row[name] !== null && row[name] !== '').map((name) => textOf(row, name));
    return [textOf(row, column), ...further].join('\n\n');
  }
  if (Array.isArray(value)) return messagesOf(value, column, writtenCell(read, column));
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

/** @param written  the same, with its numbers as the file has them */
function messagesOf(value: Json, column: string, written: Json): readonly Message[] {
  const wrong = new Flaw(
    `column "${column}": ${shortened(value)} — must be a list of messages; write [{"role": "user", "content": "…"}]`,
  );
  if (!Array.isArray(value) || value.length === 0) throw wrong;
  return value.map((entry: Json, i): Message => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw wrong;
    const { role, content, ...others } = spokenAs(entry as Row);
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
    const asWritten = (name: string): Json | undefined => memberAt((written as readonly Row[])[i], name);
    const members = given.map(([name, member]) => [name, withFloats(member, asWritten(name))]);
    const fields = { ...Object.fromEntries(members), ...(hasNoText && { content: null }) };
    const message = { role: role as Message['role'], content: text }; // one of them
    return given.length > 0 ? { ...message, fields } : message;
  });
}

/** A value whose numbers with a point or an exponent are floats: a chat template writes 1.0 as Python does, not as 1. */
function withFloats(value: Json, written: Json | undefined): unknown {
  if (typeof value === 'number') return typeof written === 'string' && /[.eE]/.test(written) ? Object(value) : value;
  if (typeof value !== 'object' || value === null || typeof written !== 'object' || written === null) return value;
  if (Array.isArray(value)) return value.map((inner, i) => withFloats(inner, (written as readonly Json[])[i]));
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, inner]) => [name, withFloats(inner, (written as Row)[name])]),
  );
}

/** A turn of ShareGPT as a message. */
function spokenAs(turn: Row): Row {
  const { from, value, ...others } = turn;
  if (typeof from !== 'string' || 'role' in turn) return turn;
  return { ...others, role: SPEAKERS[from] ?? from, content: value };
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
