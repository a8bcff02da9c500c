/**
 * How a call of a tool is written: a table with a row for each notation that models are taught.
 *
 * | notation | a call | who writes it |
 * |---|---|---|
 * | tags   | `<call>add 2 40</call>` | closed vocabularies, and models whose template knows no tools |
 * | coder  | `<tool_call><function=add><parameter=a>2</parameter> …</function></tool_call>`, a line each | Qwen3-Coder |
 * | hermes | `<tool_call>{"name": "add", "arguments": {"a": 2, "b": 40}}</tool_call>` | Qwen, Hermes, SmolLM3 |
 * | llama  | `{"name": "add", "parameters": {"a": 2, "b": 40}}`, and nothing else | Llama 3.1 and later |
 */
import type { Json } from '../../../../src/options/json.ts';
import { type Tool, type ToolParameters, type ToolValues, wordOf } from './tool.ts';

/** A call as a teacher makes it. */
export interface ToolCall {
  /** The tool's name. */
  readonly call: string;
  readonly arguments: ToolValues;
}

/** A call as a policy wrote it: the name, and its arguments as an object or a text; or why it cannot be read. */
export type ReadCall =
  | {
      readonly name: string;
      readonly given: unknown;
      /** The values of `given` are texts, whatever the types of the parameters. */
      readonly areTexts?: true;
      readonly flaw?: undefined;
    }
  | { readonly flaw: string };

/** A notation of calls: how a policy writes them, and what answers are written in. */
export interface CallFormat {
  readonly name: 'tags' | 'coder' | 'hermes' | 'llama';
  /** Whether a chat template asks for calls in this notation. */
  isOf(template: string): boolean;
  /** The calls of an action, in order; none: it is a final answer. Total. */
  read(action: string): readonly ReadCall[];
  write(call: ToolCall, parameters: ToolParameters): string;
}

const NO_END = { flaw: 'the call has no end' } as const;

const TAGS: CallFormat = {
  name: 'tags',
  isOf: () => false,
  read: (action) =>
    between(action, '<call>', '</call>').map((inside) => {
      if (inside === undefined) return NO_END;
      const text = inside.trim();
      const space = text.indexOf(' ');
      return space < 0 ? { name: text, given: '' } : { name: text.slice(0, space), given: text.slice(space + 1) };
    }),
  write: ({ call, arguments: given }, parameters) => {
    const words = Object.keys(parameters).flatMap((key) => (given[key] === undefined ? [] : [wordOf(given[key])]));
    return `<call>${[call, ...words].join(' ')}</call>`;
  },
};

/** What a call of a function begins with. */
const FUNCTION = '<function=';
const PARAMETER = '<parameter=';

const CODER: CallFormat = {
  name: 'coder',
  isOf: (template) => template.includes('<tool_call>') && template.includes(FUNCTION),
  read(action) {
    const calls = between(action, '<tool_call>', '</tool_call>');
    // The model often leaves out what is around a function.
    return calls.length > 0 ? calls.map(functionCall) : between(action, FUNCTION, '</function>').map(namedCall);
  },
  write({ call, arguments: given }) {
    const values = Object.entries(given).map(([key, value]) => `${PARAMETER}${key}>\n${wordOf(value)}\n</parameter>\n`);
    return `<tool_call>\n${FUNCTION}${call}>\n${values.join('')}</function>\n</tool_call>`;
  },
};

function functionCall(inside: string | undefined): ReadCall {
  if (inside === undefined) return NO_END;
  const [call] = between(inside, FUNCTION, '</function>');
  return inside.includes(FUNCTION) ? namedCall(call) : { flaw: 'the call names no function' };
}

/** A function, after what it begins with: `add>`, and its parameters. */
function namedCall(inside: string | undefined): ReadCall {
  const end = inside?.indexOf('>') ?? -1;
  if (inside === undefined || end < 0) return NO_END;
  const given: Record<string, string> = {};
  for (const written of between(inside.slice(end), PARAMETER, '</parameter>')) {
    const nameEnd = written?.indexOf('>') ?? -1;
    if (written === undefined || nameEnd < 0) return { flaw: 'a parameter has no end' };
    // A line break of its own is around a value.
    given[written.slice(0, nameEnd)] = written
      .slice(nameEnd + 1)
      .replace(/^\n/, '')
      .replace(/\n$/, '');
  }
  return { name: inside.slice(0, end).trim(), given, areTexts: true };
}

const HERMES: CallFormat = {
  name: 'hermes',
  isOf: (template) => template.includes('<tool_call>'),
  read: (action) =>
    between(action, '<tool_call>', '</tool_call>').map((inside) =>
      inside === undefined ? NO_END : jsonCall(inside, 'arguments'),
    ),
  write: ({ call, arguments: given }) =>
    `<tool_call>\n{"name": ${JSON.stringify(call)}, "arguments": ${spaced(given)}}\n</tool_call>`,
};

/** What a call may begin with: the token by which Llama says that it is for a machine. */
const PYTHON_TAG = '<|python_tag|>';

const LLAMA: CallFormat = {
  name: 'llama',
  isOf: (template) => template.includes('tools') && template.includes('"parameters":'),
  read(action) {
    const text = action.trim();
    const body = text.startsWith(PYTHON_TAG) ? text.slice(PYTHON_TAG.length).trim() : text;
    return /^\{\s*"name"\s*:/.test(body) ? [jsonCall(body, 'parameters')] : [];
  },
  write: ({ call, arguments: given }) => `{"name": ${JSON.stringify(call)}, "parameters": ${spaced(given)}}`,
};

/** The notations; the first is that of a closed vocabulary. */
export const CALL_FORMATS: readonly CallFormat[] = [TAGS, CODER, HERMES, LLAMA];

/** The notation that a chat template asks for. @param template  undefined: there is none */
export function callFormatOf(template: string | undefined): CallFormat {
  return (template !== undefined && CALL_FORMATS.find((format) => format.isOf(template))) || TAGS;
}

/** Whether a chat template shows tools itself. */
export function showsTools(template: string | undefined): boolean {
  return callFormatOf(template) !== TAGS;
}

/** What a model reads of its tools where its chat template has no place for them. */
export function toolsInWords(tools: readonly Tool[]): string {
  const lines = tools.map(({ name, description, parameters }) => {
    const values = Object.keys(parameters).map((key) => key.toUpperCase());
    return `<call>${[name, ...values].join(' ')}</call>: ${description}`;
  });
  return `You can use tools: write a call alone, and you read what it gives before you answer.\n${lines.join('\n')}`;
}

/** What is between each opening and its closing; undefined for one that is not closed. */
function between(text: string, open: string, close: string): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  for (let at = text.indexOf(open); at >= 0; ) {
    const begin = at + open.length;
    const end = text.indexOf(close, begin);
    if (end < 0) return [...found, undefined];
    found.push(text.slice(begin, end));
    at = text.indexOf(open, end + close.length);
  }
  return found;
}

function jsonCall(text: string, key: 'arguments' | 'parameters'): ReadCall {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { flaw: 'the call is no JSON' };
  }
  if (typeof value !== 'object' || value === null) return { flaw: 'the call is no JSON object' };
  const { name, ...rest } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string') return { flaw: 'the call has no name' };
  const { [key]: given = {} } = rest;
  // A text would be read by position, which is for calls in tags.
  return typeof given === 'string' ? { flaw: `its ${key} are no object` } : { name, given };
}

/** JSON with blanks as Python writes it, which is how models have seen it. */
function spaced(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`;
}
