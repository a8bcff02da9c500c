/** A made-up word whose letters were shifted forwards: shift them back, around the end of the alphabet. */
import { drawWord, judgeText, LETTERS, lineTask, textMisses } from '../../kit.ts';
import { type CaesarCipherKnobs, caesarCipherCard } from './card.ts';

export type CaesarCipherItem = { readonly shift: number; readonly word: string };

function shifted(word: string, by: number): string {
  return word.replace(/[a-z]/g, (letter) => LETTERS[(LETTERS.indexOf(letter) + by) % 26] as string);
}

export const caesarCipher = lineTask<CaesarCipherItem, CaesarCipherKnobs>(caesarCipherCard, {
  characters: `${LETTERS} 0123456789>`,
  generate: (rng, { length, shift }) => ({ shift: rng.int(1, shift), word: drawWord(rng, rng.int(3, length)) }),
  key: ({ shift, word }) => `caesar|${shift}|${word}`,
  prompt: ({ shift, word }) => `rot ${shift} ${word}>`,
  question: ({ shift, word }) =>
    `Each letter of a word was moved ${shift} places forwards in the alphabet, from z on to a, which gave ${word}. What was the word?`,
  separator: '',
  oracle: ({ shift, word }) => shifted(word, 26 - shift),
  verify: ({ shift, word }, answer) => judgeText(answer, shifted(word, 26 - shift)),
  mutants: ({ shift, word }, _knobs, rng) => ({
    ...textMisses(shifted(word, 26 - shift), LETTERS, rng),
    'left as given': word,
    'one place too far': shifted(word, 25 - shift),
    ...(shift !== 13 && { 'the other way': shifted(word, shift) }),
  }),
  chance: () => 1 / 256,
  longest: ({ length }) => ({ prompt: length + 8, answer: length }),
});
