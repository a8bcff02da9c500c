/** The bytes of UTF-8 as letters that can be seen, as GPT-2 writes them in its vocabulary: a space is `Ġ`. */
import { byteCharacters } from '../../../../src/text/byte_tokenizer.ts';

const LETTERS = byteCharacters();
const BYTES: ReadonlyMap<string, number> = new Map(LETTERS.map((letter, byte) => [letter, byte]));
const utf8 = new TextEncoder();

export function bytesAsLetters(text: string): string {
  let letters = '';
  for (const byte of utf8.encode(text)) letters += LETTERS[byte];
  return letters;
}

/** The bytes that a token is letters of; the bytes of its own text where it has other letters, as a special token may. */
export function bytesOfLetters(token: string): Iterable<number> {
  const bytes: number[] = [];
  for (const letter of token) {
    const byte = BYTES.get(letter);
    if (byte === undefined) return utf8.encode(token);
    bytes.push(byte);
  }
  return bytes;
}
