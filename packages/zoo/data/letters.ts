/** Made-up words: random letters, so that no list of words is learned by heart. */
import type { Rng } from '../../../src/kernels/philox.ts';

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** A word of exactly `length` of the first letters of the alphabet. */
export function drawWord(rng: Rng, length: number, alphabet = LETTERS.length): string {
  let word = '';
  for (let i = 0; i < length; i++) word += LETTERS[rng.int(0, alphabet - 1)];
  return word;
}

const CONSONANTS = 'bdgkmn';
const VOWELS = 'aeo';

/** What words of syllables are made of. */
export const SYLLABLE_LETTERS = CONSONANTS + VOWELS;

/** A word of exactly `length` letters, of a consonant and a vowel in turn: few letters, so that words have much in common. */
export function drawSyllables(rng: Rng, length: number): string {
  let word = '';
  for (let i = 0; i < length; i++) word += rng.pick((i % 2 === 0 ? CONSONANTS : VOWELS).split(''));
  return word;
}

/** Different words, each of at least two letters and at most `longest`; null where a draw repeats one. */
export function drawWords(rng: Rng, count: number, longest: number): string[] | null {
  const words = Array.from({ length: count }, () => drawWord(rng, rng.int(2, longest)));
  return new Set(words).size < count ? null : words;
}

/** By code unit, in ascending order: what no language decides. */
export function inOrder(words: readonly string[]): string[] {
  return [...words].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
