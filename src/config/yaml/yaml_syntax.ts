/**
 * What is wrong with a line that is no YAML, in the words of the person who wrote it.
 *
 * A parser reports where it gave up, in the grammar's terms ("implicit keys need to be on a single line"). The mistakes
 * that people make are few: a colon or a dash without its space, `=` for `:`, a tab, a step of indentation, a bracket or a
 * quote left open. Those are looked for in the text itself; the parser's own words remain for the rest.
 */

/** Where and why, as `rule; remedy`. */
export interface SyntaxMistake {
  /** Counted from 1. */
  readonly line: number;
  readonly rule: string;
}

/** An error of the YAML parser; `line` is where it gave up, counted from 1. */
export interface ParserError {
  readonly code: string;
  readonly message: string;
  readonly line: number;
}

/** `rule; remedy`. */
export const NESTED_TOO_DEEP = 'nested too deep to be read; flatten it';
/** Longer lines are not looked at: no person wrote them. */
const LONGEST_LINE = 500;
/** Characters of the text that a message repeats. */
const LONGEST_QUOTE = 80;

/** Explains a parser's error on `text`. */
export function explainSyntax(text: string, error: ParserError): SyntaxMistake {
  const lines = text.split(/\r?\n/);
  const line = Math.min(error.line, lines.length);
  const at = (number: number): string => lines[number - 1] ?? '';
  const spelling = explainLine(at(line));
  if (error.code === 'TAB_AS_INDENT') return { line, rule: 'a tab indents this line; use spaces' };
  if (spelling !== undefined) return { line, rule: spelling };
  switch (error.code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { line, rule: explainNesting(lines, line) };
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
      return (
        unclosed(lines, line, error) ?? belowValue(lines, line) ?? { line, rule: explainIndentation(at(line), error) }
      );
    case 'UNEXPECTED_TOKEN':
      return { line, rule: `${/"[^"]+"$/.exec(error.message)?.[0] ?? 'this'} is where nothing may be; remove it` };
    case 'BAD_SCALAR_START':
      return { line, rule: `a text cannot begin with ${error.message.slice(-1)}; put it in quotes` };
    case 'BLOCK_IN_FLOW':
      return { line, rule: 'a comma is missing between two entries of { }; separate them by commas' };
    case 'MULTIPLE_DOCS':
      return { line, rule: '"---" begins a second document; keep one' };
    case 'RESOURCE_EXHAUSTION':
      return { line, rule: NESTED_TOO_DEEP };
    case 'TAG_RESOLVE_FAILED':
      return { line, rule: explainTag(error.message) };
    default:
      return { line, rule: `${shortened(error.message.replace(/;.*|\.$/s, ''))}; correct this line` };
  }
}

/** What is wrong with a line on its own; undefined where it looks like YAML. */
export function explainLine(text: string): string | undefined {
  const line = text.trim();
  if (line.length > LONGEST_LINE) return undefined;
  const [, colon] = /^(?:- )?([A-Za-z_]\w*:[^\s:/\\].*)$/.exec(line) ?? [];
  if (colon !== undefined && !colon.includes(': ')) {
    return `${JSON.stringify(colon)} has no space after its colon; write ${JSON.stringify(colon.replace(':', ': '))}`;
  }
  const [, dash] = /^-([A-Za-z_].*)$/.exec(line) ?? [];
  if (dash !== undefined) return `"-${dash}" has no space after its dash; write "- ${dash}"`;
  const [, key, value] = /^([A-Za-z_][\w.]*)\s*=\s*(.*)$/.exec(line) ?? [];
  if (key !== undefined) return `"${key} = ${value}" is not YAML; write "${key}: ${value}"`;
  return line.startsWith('//') ? 'a comment begins with #, not with //; write "# …"' : undefined;
}

const hasContent = (text: string): boolean => /\S/.test(text) && !/^\s*#/.test(text);

/** A line that is deeper than the one before it, comments apart, which has a value already. */
function belowValue(lines: readonly string[], line: number): SyntaxMistake | undefined {
  const before = lines.findLastIndex((text, index) => index < line - 1 && hasContent(text));
  const above = lines[before] ?? '';
  if (!/^\s*(?:- )?\w+: +\S/.test(above) || indentation(lines[line - 1] ?? '') <= indentation(above)) return undefined;
  return { line: before + 1, rule: explainNesting(lines, before + 1) };
}

/** A line with a value, and below it a deeper one; or two keys in one line. */
function explainNesting(lines: readonly string[], line: number): string {
  const here = lines[line - 1] ?? '';
  const next = lines.findIndex((text, index) => index >= line && hasContent(text));
  const [, key] = /^\s*(?:- )?([A-Za-z_]\w*):/.exec(here) ?? [];
  if (next >= 0 && indentation(lines[next] ?? '') > indentation(here)) {
    const rule = `line ${next + 1} is indented below ${JSON.stringify(shortened(here.trim()))}, which has a value already`;
    return key === 'task' || key === 'dynamic_sampling'
      ? `${rule}; write ${key}: {name: …, …}, or align the lines`
      : `${rule}; align the lines`;
  }
  return 'a second colon in one line; put the value in quotes';
}

/** A quote or bracket that is never closed: named at the line that opens it, not where the parser noticed. */
function unclosed(lines: readonly string[], line: number, { message }: ParserError): SyntaxMistake | undefined {
  const quote = /^Missing closing (['"])/.exec(message)?.[1];
  const close = /end with a ([}\]])$/.exec(message)?.[1];
  const open = close === '}' ? '{' : '[';
  const count = (text: string, character: string): number => text.split(character).length - 1;
  for (let number = line; number >= 1; number--) {
    const text = lines[number - 1] ?? '';
    if (quote !== undefined && count(text, quote) % 2 === 1) {
      return { line: number, rule: `a quote (${quote}) is not closed; close it in this line` };
    }
    if (close !== undefined && count(text, open) > count(text, close)) {
      return { line: number, rule: `"${open}" is not closed; add "${close}"` };
    }
  }
  return undefined;
}

function explainIndentation(text: string, { code, message }: ParserError): string {
  if (code === 'BAD_INDENT' || message.startsWith('Sequence item without')) {
    return 'indented like no line above it; align it with the keys that it belongs to';
  }
  if (message.startsWith('Implicit map keys'))
    return `${JSON.stringify(shortened(text.trim()))} has no colon; write "key: value"`;
  return `${shortened(message)}; correct this line`;
}

/** `!!binary` and its like would make values that no key takes. */
function explainTag(message: string): string {
  const tag = /^Unresolved tag: (.+)$/s.exec(message)?.[1]?.replace('tag:yaml.org,2002:', '!!');
  if (tag === undefined) return `${shortened(message)}; remove the tag`;
  return `the tag ${shortened(tag)} is not read; write the value without it`;
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text;
}

function indentation(text: string): number {
  return /^\s*(?:- )?/.exec(text)?.[0].length ?? 0;
}
