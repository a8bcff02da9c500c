/**
 * The tokens of a Jinja template, as Jinja2 3.1 reads them with `trim_blocks` and `lstrip_blocks`, which is how transformers
 * compiles chat templates.
 */
import { stripped, unescaped } from './python_text.ts';

/** What is wrong with a template, or with what it does; `line` counts from 1 and is 0 where none applies. */
export class TemplateError extends Error {
  readonly line: number;

  constructor(message: string, line = 0) {
    super(message);
    this.line = line;
  }
}

export interface Token {
  readonly kind: 'text' | 'print' | 'block' | 'end' | 'name' | 'string' | 'integer' | 'float' | 'operator';
  readonly text: string;
  readonly line: number;
}

const TAG = /\{\{|\{%|\{#/g;
const RAW = /\{%[-+]?[\s]*raw[\s]*(?:-%\}\s*|%\})/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const END_COMMENT = /-#\}\s*|\+#\}|#\}\n?/g;
const END_BLOCK = /-%\}\s*|\+%\}|%\}\n?/y;
const END_PRINT = /-\}\}\s*|\}\}/y;
const SPACE = /\s+/y;
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?[eE][+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/y;
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y;
const NAME = /[\p{L}\p{N}_\p{M}]+/uy;
const STRING = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;]/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** @throws TemplateError */
export function tokensOf(template: string): Token[] {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const advance = (to: number): void => {
    for (let i = at; i < to; i++) if (source.charCodeAt(i) === 10) line++;
    at = to;
  };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  /** Text before a tag that begins at `end`: a minus takes the white space away, a block the blanks of its line. */
  const pushText = (end: number, sign: string, ofBlock: boolean): void => {
    let text = source.slice(at, end);
    if (sign === '-') text = stripped(text, 'right');
    else if (ofBlock && sign !== '+') {
      const begin = text.lastIndexOf('\n') + 1;
      const isLineStart = begin > 0 || at === 0 || source[at - 1] === '\n';
      if (isLineStart && text.slice(begin).trim() === '') text = text.slice(0, begin);
    }
    if (text !== '') tokens.push({ kind: 'text', text, line });
    advance(end);
  };
  const readTag = (kind: 'print' | 'block', closing: RegExp): void => {
    const first = line;
    tokens.push({ kind, text: '', line });
    const open: string[] = [];
    for (;;) {
      const end = open.length === 0 ? match(closing) : null;
      if (end !== null) {
        tokens.push({ kind: 'end', text: end[0].trim(), line });
        advance(closing.lastIndex);
        return;
      }
      if (at >= source.length) throw new TemplateError(`the tag of line ${first} is not closed`, first);
      const token = readToken(open);
      if (token !== undefined) tokens.push(token);
    }
  };
  const readToken = (open: string[]): Token | undefined => {
    const began = line;
    const taken = (kind: Token['kind'], pattern: RegExp): Token | undefined => {
      const found = match(pattern);
      if (found === null) return undefined;
      advance(pattern.lastIndex);
      return { kind, text: found[0], line: began };
    };
    if (taken('text', SPACE) !== undefined) return undefined;
    const token =
      taken('float', FLOAT) ??
      taken('integer', INTEGER) ??
      taken('name', NAME) ??
      taken('string', STRING) ??
      taken('operator', OPERATOR);
    if (token === undefined) throw new TemplateError(`unexpected character ${JSON.stringify(source[at])}`, line);
    if (token.kind === 'string') return { ...token, text: unescaped(token.text.slice(1, -1)) };
    if (token.kind !== 'operator') return token;
    if (CLOSING[token.text] !== undefined) open.push(CLOSING[token.text]);
    else if (')]}'.includes(token.text) && open.pop() !== token.text) {
      throw new TemplateError(`unexpected '${token.text}'`, began);
    }
    return token;
  };
  while (at < source.length) {
    const tag = match(TAG);
    if (tag === null) {
      pushText(source.length, '+', false);
      break;
    }
    const sign = source[tag.index + 2];
    pushText(tag.index, sign, tag[0] !== '{{');
    const raw = match(RAW);
    if (raw !== null) {
      advance(RAW.lastIndex);
      const end = match(END_RAW);
      if (end === null) throw new TemplateError('a raw block is not closed', line);
      pushText(end.index, end[1], true);
      advance(END_RAW.lastIndex);
    } else if (tag[0] === '{#') {
      const end = match(END_COMMENT);
      if (end === null) throw new TemplateError('a comment is not closed', line);
      advance(END_COMMENT.lastIndex);
    } else {
      advance(at + (sign === '-' || sign === '+' ? 3 : 2));
      if (tag[0] === '{{') readTag('print', END_PRINT);
      else readTag('block', END_BLOCK);
    }
  }
  return tokens;
}
