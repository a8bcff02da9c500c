/**
 * Text that is data, in which nothing is a control token: what an environment, a tool or a person says may hold the letters
 * `<|im_end|>`, and must not end a turn by them.
 *
 * Control tokens are those that a tokenizer.json calls special, and those that end an answer. transformers reads them in any
 * text, also in the messages of a chat template (`split_special_tokens=False` is its default); what comes from outside
 * could so write turns of the system or of the policy. Here the texts of messages are marked as data before a template
 * writes its own control tokens around them.
 */

import type { Message, ToolSchema } from '../../../src/text/codec.ts';
import { patternOfText } from './pattern_of_text.ts';

type Json = Readonly<Record<string, unknown>>;

/** Before what would be a control token: noncharacters, which Unicode keeps for uses like this one. */
const DATA = '\uFDD0';
const CONTROL = '\uFDD1';
const MARKS = new RegExp(`[${DATA}${CONTROL}]`, 'g');

/** Texts of control tokens in a tokenizer.json. @param ends  ids that end an answer */
export function controlTexts({ added_tokens: added }: Json, ends: readonly number[]): string[] {
  const tokens = Array.isArray(added) ? (added as readonly Json[]) : [];
  return tokens.flatMap(({ content, special, id }) =>
    typeof content === 'string' && content !== '' && (special === true || ends.includes(Number(id))) ? [content] : [],
  );
}

/** How texts with data in them are written and encoded. */
export interface LiteralText {
  /** The text, of which nothing is a control token when it is encoded. */
  literal(text: string): string;
  /** Tokens of a text with literal parts. */
  encode(text: string): Int32Array;
}

/**
 * @param tokenizer  tokenizer.json
 * @param encode  tokens of a text without literal parts
 * @param open  opens a tokenizer.json, to encode by it; called where a text has literal parts
 */
export function literalText(
  tokenizer: Json,
  ends: readonly number[],
  encode: (text: string) => Int32Array,
  open: (tokenizer: Json) => (text: string) => Int32Array,
): LiteralText {
  const controls = controlTexts(tokenizer, ends);
  const longestFirst = [...controls].sort((a, b) => b.length - a.length);
  const pattern = longestFirst.map(patternOfText).join('|');
  const any = new RegExp(`${DATA}?(?:${pattern})`, 'g');
  let renamed: ((text: string) => Int32Array) | undefined;
  return {
    literal: (text) => {
      if (controls.length === 0) return text;
      // What is there of the marks would hide a control token, or be one.
      return text.replace(MARKS, '').replace(any, (found) => `${DATA}${found}`);
    },
    encode(text) {
      if (controls.length === 0 || !text.includes(DATA)) return encode(text);
      renamed ??= open(withRenamed(tokenizer, new Set(controls)));
      return renamed(
        text.replace(any, (found) => (found.startsWith(DATA) ? found.slice(DATA.length) : `${CONTROL}${found}`)),
      );
    },
  };
}

/** The texts of messages and the cards of tools as data. */
export function literalMessages(messages: readonly Message[], literal: (text: string) => string): readonly Message[] {
  return messages.map(({ fields, ...message }) => ({
    ...message,
    content: literal(message.content),
    ...(message.templateKwargs && {
      templateKwargs: literalJson(message.templateKwargs, literal) as Message['templateKwargs'],
    }),
    ...(message.tools && { tools: message.tools.map((tool) => literalJson(tool, literal) as ToolSchema) }),
    ...(literalJson(fields, literal) as object | undefined),
  }));
}

function literalJson(value: unknown, literal: (text: string) => string): unknown {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map((inner) => literalJson(inner, literal));
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [literal(key), literalJson(inner, literal)]));
}

/** The same tokenizer, whose control tokens are written otherwise: as themselves their texts are like any other. */
function withRenamed(tokenizer: Json, controls: ReadonlySet<string>): Json {
  const renamed = <T>(text: T): T | string =>
    typeof text === 'string' && controls.has(text) ? `${CONTROL}${text}` : text;
  const { added_tokens: added, model } = tokenizer;
  const { vocab, unk_token: unknown } = model as Json;
  const pieces = Array.isArray(vocab)
    ? (vocab as readonly (readonly [string, number])[]).map(([piece, score]) => [renamed(piece), score])
    : Object.fromEntries(Object.entries(vocab as Json).map(([piece, id]) => [renamed(piece), id]));
  return {
    ...tokenizer,
    added_tokens: (added as readonly Json[]).map((token) => ({ ...token, content: renamed(token.content) })),
    model: { ...(model as Json), vocab: pieces, ...(unknown !== undefined && { unk_token: renamed(unknown) }) },
  };
}
