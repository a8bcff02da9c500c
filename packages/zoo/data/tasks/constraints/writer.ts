/** Writes a text that keeps to instructions: what each needs is put in, then words that say nothing where some are missing. */
import { type Instruction, keepsInstruction } from '../../../parsing/instruction.ts';
import { wordsOf } from '../../../parsing/visible_words.ts';
import type { Kind } from './instructions.ts';

type Of<K extends Kind> = Instruction & { readonly kind: K };

/** Words without a rare letter, none of which is made up of two syllables. */
const FILLERS = ['we', 'run', 'on', 'by', 'our', 'hut', 'and', 'see', 'it'] as const;

/** Whether a text keeps to all of them. */
export function keepsAll(text: string, instructions: readonly Instruction[]): boolean {
  return instructions.every((instruction) => keepsInstruction(text, instruction));
}

/** A text that keeps to all instructions; undefined where the writer finds none, as for those that contradict. */
export function writtenFor(instructions: readonly Instruction[]): string | undefined {
  const find = <K extends Kind>(kind: K): Of<K> | undefined =>
    instructions.find((one): one is Of<K> => one.kind === kind);
  const chosen = find('one_of');
  const most = atLeastOf(find('sentences')) || 1;
  // Marks at the end of lines count as ends of sentences, too: with fewer sentences the text may have the right number.
  for (let sentences = most; sentences > 0; sentences--) {
    const bare = chosen?.texts[0] ?? composed(find, sentences, 0);
    const missing = atLeastOf(find('words')) - wordsOf(bare).length;
    const tried = missing > 0 && chosen === undefined ? [composed(find, sentences, missing), bare] : [bare];
    const text = tried.find((one) => keepsAll(one, instructions));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** How many are put in: none where the count is a most. */
function atLeastOf(instruction: Instruction | undefined): number {
  if (instruction === undefined) return 0;
  return 'exactly' in instruction ? instruction.exactly : 'least' in instruction ? instruction.least : 0;
}

function composed(find: <K extends Kind>(kind: K) => Of<K> | undefined, sentences: number, numFillers: number): string {
  const times = (kind: Kind, piece: (index: number) => string): string[] =>
    Array.from({ length: atLeastOf(find(kind)) }, (_, index) => piece(index));
  const filler = (index: number): string => FILLERS[index % FILLERS.length] as string;
  const start = find('starts_with')?.text;
  const first = find('first_word');
  const letters = atLeastOf(find('letter'));

  const tokens = [
    ...(find('title') ? ['<<day>>'] : []),
    ...times('keyword', () => find('keyword')?.word ?? ''),
    ...(letters > 0 ? [(find('letter')?.letter ?? '').repeat(letters)] : []),
    ...times('capital_words', () => 'UP'),
    ...times('placeholders', () => '[name]'),
    ...times('highlights', () => '*this*'),
  ];
  const numTokens = Math.max(tokens.length, sentences) + numFillers;
  while (tokens.length < numTokens) tokens.push(filler(tokens.length));
  const ends = Array.from({ length: sentences }, (_, i) => Math.floor(((i + 1) * tokens.length) / sentences));
  const body = tokens.map((token, i) => (ends.slice(0, -1).includes(i + 1) ? `${token}.` : token)).join(' ');

  const numParagraphs = Math.max(1, atLeastOf(find('paragraphs')), first?.paragraph ?? 1);
  const paragraphs = Array.from({ length: numParagraphs }, (_, i) => (i === 0 ? body : filler(i)));
  if (first !== undefined) {
    const at = first.paragraph - 1;
    paragraphs[at] = `${first.word} ${paragraphs[at]}`;
  }
  const end = find('ends_with')?.text;
  const lines = [
    paragraphs.join('\n\n'),
    ...times('bullets', (index) => `- ${filler(index)}`),
    ...times('sections', (index) => `${find('sections')?.mark} ${index + 1}`),
  ];
  const postscript = find('postscript')?.text;
  if (postscript !== undefined) lines.push(`${postscript} ${filler(0)}`);
  const text = [start, lines.join('\n'), end].filter((part) => part !== undefined).join(' ');
  return finished(find, text);
}

/** Letters of one case, and what is around all of it. */
function finished(find: <K extends Kind>(kind: K) => Of<K> | undefined, text: string): string {
  const cased = find('uppercase') ? text.toUpperCase() : find('lowercase') ? text.toLowerCase() : text;
  const all = find('two_answers') ? `${cased}******${cased} ${find('uppercase') ? 'TOO' : 'too'}` : cased;
  if (find('quoted')) return `"${all}"`;
  return find('json') ? JSON.stringify({ a: all }) : all;
}
