/**
 * Words by which a method speaks to the policy, as `<verify>`: runs of that method alone have them.
 *
 * A closed vocabulary takes each as one further token after its own, whose ids stay as they are. A pretrained model reads
 * and writes what the word says, as text.
 */
import { DataError } from '../errors.ts';
import type { Codec } from './codec.ts';
import { addedToken } from './tokenizer_json.ts';

/** Words, and what each of them says to a pretrained model. */
export type ControlWords = Readonly<Record<string, string>>;

/** The codec with these words. @throws DataError where one of them is a token of the vocabulary already */
export function withWords(codec: Codec, words: ControlWords): Codec {
  const { joint } = codec;
  const names = Object.keys(words);
  const missing = names.filter((name) => !codec.words?.has(name));
  if (missing.length === 0) return codec;
  if (joint === undefined) {
    const wordTexts = missing.map((name) => [name, codec.encode(words[name])] as const);
    return { ...codec, words: new Map([...(codec.words ?? []), ...wordTexts]) };
  }
  const pieces = Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id));
  const taken = missing.find((name) => pieces.includes(name));
  if (taken !== undefined) {
    throw new DataError('duplicate-token', `${taken} — a token of the task's own vocabulary; rename it there.`, {
      taken,
    });
  }
  const first = codec.vocabSize;
  const tokenText = (id: number): string => missing[id - first] ?? codec.tokenText(id);
  const ids = missing.map((name, i) => [name, Int32Array.of(first + i)] as const);
  return {
    ...codec,
    vocabSize: first + missing.length,
    words: new Map([...(codec.words ?? []), ...ids]),
    tokenText,
    decode: (tokens) => partsOf(codec, tokens, first, tokenText).join(joint),
    toJSON: () => {
      const json = codec.toJSON();
      const added = json.added_tokens as readonly unknown[]; // every closed tokenizer has them
      return { ...json, added_tokens: [...added, ...missing.map((name, i) => addedToken(name, first + i))] };
    },
  };
}

/**
 * The codec with these marks in its texts, written and read: a closed vocabulary gets a token for each that it lacks. A
 * pretrained model writes them as any other text.
 */
export function withMarks(codec: Codec, marks: readonly string[]): Codec {
  const { joint } = codec;
  if (joint === undefined) return codec;
  const pieces = new Set(Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id)));
  // Between words there are blanks in any case.
  const needed = marks.filter((mark) => joint === '' || mark.trim() !== '');
  const added = needed.filter((mark) => !pieces.has(mark) || codec.words?.has(mark));
  if (added.length === 0) return codec;
  const marked = withWords(codec, Object.fromEntries(added.map((mark) => [mark, mark])));
  return { ...marked, encode: (text) => Int32Array.from(encodedParts(codec, text, added, marked)) };
}

/** Tokens of a text in which marks are tokens of their own. */
function encodedParts(codec: Codec, text: string, marks: readonly string[], marked: Codec): number[] {
  const [mark, ...others] = marks;
  if (mark === undefined) return [...codec.encode(codec.joint === '' ? text : text.trim())];
  const parts = text.split(mark).map((part) => encodedParts(codec, part, others, marked));
  return parts.flatMap((part, i) => (i === 0 ? part : [...wordTokens(marked, mark), ...part]));
}

/** What is between the words, as the codec decodes it. */
function partsOf(codec: Codec, tokens: ArrayLike<number>, first: number, tokenText: (id: number) => string): string[] {
  const parts: string[] = [];
  let run: number[] = [];
  const flush = (): void => {
    if (run.length > 0) parts.push(codec.decode(run));
    run = [];
  };
  for (const id of Array.from(tokens)) {
    if (id < first) run.push(id);
    else {
      flush();
      parts.push(tokenText(id));
    }
  }
  flush();
  return parts;
}

/** The tokens of a word. @throws RangeError where the codec has none of that name */
export function wordTokens({ words }: Codec, name: string): Int32Array {
  const tokens = words?.get(name);
  if (tokens === undefined) throw new RangeError(`${name} is no word of this run: a method declares it in \`needs\``);
  return tokens;
}
