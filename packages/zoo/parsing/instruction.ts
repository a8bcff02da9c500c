/**
 * Instructions about the form of a text, each of which it keeps or does not.
 *
 * A text without a visible letter or digit keeps none: "no commas" is not kept by saying nothing. White space is
 * Unicode's here, as a text is for people; a word is what it separates, and has a letter or a digit.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';
import { readJson } from './json_value.ts';
import { isVisible, paragraphsOf, tokensOf, wordsOf } from './visible_words.ts';

const MAX_TEXT_LENGTH = 16_384;

/** How often something is asked for. */
export type Count = { readonly exactly: number } | { readonly least: number } | { readonly most: number };

/** One instruction: its kind, with what it asks for. `keepsInstruction` says whether a text keeps it. */
export type Instruction =
  | { readonly kind: 'no_commas' | 'lowercase' | 'uppercase' | 'quoted' | 'title' | 'json' | 'two_answers' }
  | ({
      readonly kind: 'words' | 'sentences' | 'paragraphs' | 'bullets' | 'placeholders' | 'highlights' | 'capital_words';
    } & Count)
  | ({ readonly kind: 'keyword'; readonly word: string } & Count)
  | ({ readonly kind: 'letter'; readonly letter: string } & Count)
  | { readonly kind: 'ends_with' | 'starts_with' | 'postscript'; readonly text: string }
  | ({ readonly kind: 'sections'; readonly mark: string } & Count)
  | { readonly kind: 'one_of'; readonly texts: readonly string[] }
  | { readonly kind: 'first_word'; readonly paragraph: number; readonly word: string };

const SEPARATOR = '******';

function isCount(count: number, asked: Count): boolean {
  if ('exactly' in asked) return count === asked.exactly;
  return 'least' in asked ? count >= asked.least : count <= asked.most;
}

/** Bodies between a mark and its counterpart, visible and in one line. Linear: no body holds either mark. */
function enclosed(text: string, open: string, close: string): number {
  let count = 0;
  for (let start = text.indexOf(open); start >= 0; ) {
    const end = text.indexOf(close, start + open.length);
    if (end < 0) return count;
    const body = text.slice(start + open.length, end);
    if (isVisible(body) && !body.includes('\n') && !body.includes(open)) count++;
    start = text.indexOf(open, open === close ? end + close.length : start + open.length);
  }
  return count;
}

/** Whether a text keeps an instruction. Total and pure; longer texts than `MAX_TEXT_LENGTH` keep none. */
export function keepsInstruction(text: string, instruction: Instruction): boolean {
  if (text.length > MAX_TEXT_LENGTH || !isVisible(text)) return false;
  switch (instruction.kind) {
    case 'no_commas':
      return !/[,\uff0c\u060c\u3001]/.test(text);
    case 'lowercase':
      return /\p{L}/u.test(text) && text === text.toLowerCase();
    case 'uppercase':
      return /\p{L}/u.test(text) && text === text.toUpperCase();
    case 'quoted': {
      const trimmed = trimAscii(text);
      return trimmed.length > 2 && trimmed.startsWith('"') && trimmed.endsWith('"');
    }
    case 'title':
      return enclosed(text, '<<', '>>') > 0;
    case 'json':
      return readJson(text).ok;
    case 'two_answers': {
      const parts = text.split(SEPARATOR).map(trimAscii);
      return parts.length === 2 && parts.every(isVisible) && parts[0] !== parts[1];
    }
    case 'words':
      return isCount(wordsOf(text).length, instruction);
    case 'sentences':
      return isCount(text.split(/[.!?]+(?=\s|$)/u).filter(isVisible).length, instruction);
    case 'paragraphs':
      return isCount(paragraphsOf(text).length, instruction);
    case 'bullets':
      return isCount(text.split('\n').filter((line) => /^[*-] /.test(line) && isVisible(line)).length, instruction);
    case 'placeholders':
      return isCount(enclosed(text, '[', ']'), instruction);
    case 'highlights':
      return isCount(enclosed(text, '*', '*'), instruction);
    case 'capital_words':
      return isCount(
        wordsOf(text).filter((word) => /\p{L}/u.test(word) && word === word.toUpperCase()).length,
        instruction,
      );
    case 'keyword': {
      const wanted = instruction.word.toLowerCase();
      return isCount(tokensOf(text).filter((token) => token === wanted).length, instruction);
    }
    case 'letter':
      return isCount(text.toLowerCase().split(instruction.letter.toLowerCase()).length - 1, instruction);
    case 'ends_with': {
      const trimmed = trimAscii(text);
      return trimmed.endsWith(instruction.text) && isVisible(trimmed.slice(0, -instruction.text.length));
    }
    case 'starts_with': {
      const trimmed = trimAscii(text);
      return trimmed.startsWith(instruction.text) && isVisible(trimmed.slice(instruction.text.length));
    }
    case 'postscript': {
      const lines = trimAscii(text).split('\n');
      const last = lines[lines.length - 1] as string;
      return lines.length > 1 && last.startsWith(instruction.text) && isVisible(last.slice(instruction.text.length));
    }
    case 'sections':
      return isCount(
        text
          .split('\n')
          .filter((line) => line.startsWith(`${instruction.mark} `) && isVisible(line.slice(instruction.mark.length)))
          .length,
        instruction,
      );
    case 'one_of':
      return instruction.texts.includes(trimAscii(text));
    case 'first_word': {
      const paragraph = paragraphsOf(text)[instruction.paragraph - 1];
      return paragraph !== undefined && tokensOf(paragraph)[0] === instruction.word.toLowerCase();
    }
    default:
      return instruction satisfies never;
  }
}
