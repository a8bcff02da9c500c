/** The bytes of UTF-8 as letters that can be seen, as GPT-2 writes them in its vocabulary: a space is `Ġ`. */

const isSeen = (byte: number): boolean => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte < 0xad) || byte > 0xad;

const LETTERS: readonly string[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : next++));
})();

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
