/**
 * A palindrome of exactly the given letters. Any one is right.
 *
 *   split       by the sorted letters
 */
import { correct, illegal, LETTERS, lineTask, malformed, missing, trimAscii, wrongValue } from '../../kit.ts';
import { type PalindromeGenerationKnobs, palindromeGenerationCard } from './card.ts';

export type PalindromeGenerationItem = { readonly letters: string };

const sorted = (text: string): string => text.split('').sort().join('');
const reversed = (text: string): string => text.split('').reverse().join('');

/** The half of a palindrome in order, and the letter in its middle, if it has one. */
function partsOf(letters: string): { readonly half: string; readonly middle: string } {
  let half = '';
  let middle = '';
  for (const letter of [...new Set(sorted(letters))]) {
    const count = letters.split(letter).length - 1;
    half += letter.repeat(Math.floor(count / 2));
    if (count % 2 === 1) middle = letter;
  }
  return { half, middle };
}

function palindromeOf(letters: string): string {
  const { half, middle } = partsOf(letters);
  return half + middle + reversed(half);
}

export const palindromeGeneration = lineTask<PalindromeGenerationItem, PalindromeGenerationKnobs>(
  palindromeGenerationCard,
  {
    family: 'palindrome_generation',
    characters: `${LETTERS} >`,
    answers: 'open',
    generate(rng, { length, alphabet }) {
      const letters = rng.int(4, length);
      const half = Array.from({ length: Math.floor(letters / 2) }, () => LETTERS[rng.int(0, alphabet - 1)] as string);
      const middle = letters % 2 === 1 ? [LETTERS[rng.int(0, alphabet - 1)] as string] : [];
      const shuffled = rng.shuffle([...half, ...half, ...middle]).join('');
      return new Set(shuffled).size < 2 || shuffled === reversed(shuffled) ? null : { letters: shuffled };
    },
    key: ({ letters }) => `palindrome|${letters}`,
    splitKey: ({ letters }) => `palindrome|${sorted(letters)}`,
    prompt: ({ letters }) => `pal ${letters}>`,
    question: ({ letters }) => `Make a palindrome of the letters ${letters}, each used exactly once.`,
    oracle: ({ letters }) => palindromeOf(letters),
    verify({ letters }, answer) {
      const text = trimAscii(answer);
      if (text === '') return missing('the answer is empty');
      if (text.length !== letters.length) return malformed(`not ${letters.length} letters`);
      if (sorted(text) !== sorted(letters)) return illegal('the letters are not those that were given');
      return text === reversed(text) ? correct('a palindrome of the letters', text) : wrongValue('no palindrome');
    },
    mutants: ({ letters }) => {
      const right = palindromeOf(letters);
      return {
        'left as given': letters,
        'letter dropped': right.slice(1),
        'outer letters dropped': right.slice(1, -1),
        'given twice': right + right,
        'in order': sorted(letters),
        'one letter alone': (right[0] as string).repeat(right.length),
        'in capitals': right.toUpperCase(),
        'letter behind it': `${right}a`,
      };
    },
    /** Random letters hardly ever are a palindrome; one answer fits the problems of its letters alone. */
    chance: ({ length, alphabet }) => (length <= 5 || alphabet <= 4 ? 0.12 : 0.05),
    longest: ({ length }) => ({ prompt: length + 5, answer: length }),
  },
);
