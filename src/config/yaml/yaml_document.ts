/** A YAML text as a parsed document, within limits that keep any text, however made, a matter of a moment. */
import { type Document, Lexer, LineCounter, parseDocument } from 'yaml';
import { thousands } from '../../format.ts';
import { Nesting } from './nesting.ts';
import { explainSyntax, NESTED_TOO_DEEP, type SyntaxMistake } from './yaml_syntax.ts';

/** Most characters of a config; a long one has a few thousand. */
export const MOST_CHARACTERS = 1_000_000;
/** Most words and signs of a config, some 4,000 keys. The parser takes up to 20 µs for each. */
const MOST_LEXEMES = 20_000;
/** Most backslashes in quoted texts. The parser takes some 10 µs for each escape that it does not know. */
const MOST_ESCAPES = 10_000;
/**
 * Levels of a config, which has five or six. The parser recurses, and a stack that ends while V8 compiles a regular
 * expression ends the process: nothing can be caught.
 */
const MOST_LEVELS = 100;

export interface YamlDocument {
  readonly document: Document.Parsed;
  /** Places of the text as lines. */
  readonly lines: LineCounter;
}

/**
 * Parses a text as YAML 1.2 with the tags of its core schema alone. Aliases are left in the document.
 *
 * @returns the document, or its first mistake
 */
export function parseYaml(text: string): YamlDocument | { readonly mistake: SyntaxMistake } {
  const tooMuch = beyondLimits(text);
  if (tooMuch !== undefined) return { mistake: tooMuch };
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (document === undefined) return { mistake: { line: lines.lineStarts.length, rule: NESTED_TOO_DEEP } };
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    return { mistake: explainSyntax(text, { code: broken.code, message: broken.message, line }) };
  }
  const directive = oddDirective(document, text);
  return directive === undefined ? { document, lines } : { mistake: directive };
}

/** Undefined where it nests deeper than the parser's own recursion goes. */
function parsed(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, resolveKnownTags: false });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function beyondLimits(text: string): SyntaxMistake | undefined {
  let lexemes = 0;
  let escapes = 0;
  let line = 1;
  const nesting = new Nesting();
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '\n' || lexeme === '\r\n') line++;
    if (++lexemes > MOST_LEXEMES) {
      const rule = `more than ${thousands(MOST_LEXEMES)} words and signs up to here; keep data in a file of the task's`;
      return { line, rule };
    }
    nesting.add(lexeme);
    if (nesting.depth > MOST_LEVELS) return { line, rule: NESTED_TOO_DEEP };
    if (lexeme.startsWith('"')) escapes += lexeme.split('\\').length - 1;
    if (escapes > MOST_ESCAPES) {
      const rule = `more than ${thousands(MOST_ESCAPES)} escapes in quoted texts up to here; keep data in a file of the task's`;
      return { line, rule };
    }
  }
  return undefined;
}

/** `%YAML 1.1` would make other values of the same text (`yes` is true, `5:00` is 300); `%TAG` would rename tags. */
function oddDirective({ directives }: Document.Parsed, text: string): SyntaxMistake | undefined {
  const { version } = directives.yaml;
  const names = Object.keys(directives.tags).filter((handle) => handle !== '!!');
  if (version === '1.2' && names.length === 0) return undefined;
  const name = version === '1.2' ? '%TAG' : `%YAML ${version}`;
  const line = text.split(/\r?\n/).findIndex((written) => written.startsWith(name.slice(0, 4))) + 1;
  return { line, rule: `${name} is not read, as configs are YAML 1.2; remove this line` };
}
