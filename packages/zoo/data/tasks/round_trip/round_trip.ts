/**
 * A text in a code, right where the code's own decoder gives the text back: R = 1[decode(answer) = text].
 *
 *   code        no word begins another one, so there is one way to decode; a letter may have several words, any will do
 *   steps       each digit: whether what is decoded up to there, and what is begun, may still become the text
 *   split       by hash of code and text, whatever the order of the words
 *
 * @see CrossLoco: a translation is good where its inverse gives back what was translated
 */
import { correct } from '../../../../../src/data/judge.ts';
import { rotated } from '../../../../../src/data/rotated.ts';
import type { Rng } from '../../../../../src/kernels/philox.ts';
import { trimAscii } from '../../../../../src/parsing/trim_ascii.ts';
import { malformed, missing, wrongValue } from '../../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { stepsBetween } from '../../../rewards/verdict_steps.ts';
import { growingParts } from '../../judging/sequence_help.ts';
import { inOrder, LETTERS } from '../../letters.ts';
import { lineTask } from '../../line_task.ts';
import { onlyMisses, textMisses } from '../../near_misses.ts';
import { type RoundTripKnobs, roundTripCard } from './card.ts';

/** `code` of words and the letter that each stands for, such as 10b. */
export type RoundTripItem = { readonly code: readonly string[]; readonly text: string };

const MOST_DIGITS = 400;

interface Decoded {
  readonly text: string;
  /** Digits at the end that are no whole word. */
  readonly rest: string;
}

/** Word by word, from the left. */
function decode(code: readonly string[], digits: string): Decoded {
  const letterOf = new Map(code.map((entry) => [entry.slice(0, -1), entry.slice(-1)]));
  let [text, rest] = ['', ''];
  for (const digit of digits) {
    rest += digit;
    const letter = letterOf.get(rest);
    if (letter === undefined) continue;
    text += letter;
    rest = '';
  }
  return { text, rest };
}

/** How many characters two texts have in common before they part. */
function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const wordsOf = (code: readonly string[], letter: string): string[] =>
  code.filter((entry) => entry.endsWith(letter)).map((entry) => entry.slice(0, -1));

/** The first word of each letter. */
const firstWords = ({ code, text }: RoundTripItem): string[] =>
  text.split('').map((letter) => wordsOf(code, letter)[0]);

const encode = (item: RoundTripItem): string => firstWords(item).join('');

/** Words none of which begins another: a word is split in two, again and again. */
function drawWords(rng: Rng, count: number): string[] {
  const words = ['0', '1'];
  while (words.length < count) {
    const [word] = words.splice(rng.int(0, words.length - 1), 1);
    words.push(`${word}0`, `${word}1`);
  }
  return rng.shuffle(words);
}

function judge({ code, text }: RoundTripItem, answer: string): Verdict {
  const digits = trimAscii(answer);
  if (digits === '') return missing('the answer is empty');
  if (digits.length > MOST_DIGITS || !/^[01]+$/.test(digits)) return malformed('not a row of 0 and 1');
  const decoded = decode(code, digits);
  if (decoded.rest === '' && decoded.text === text) return correct('it decodes to the text', digits);
  return {
    ...wrongValue(decoded.rest === '' ? 'it decodes to another text' : 'its end is no word'),
    canonical: digits,
  };
}

export const roundTrip = lineTask<RoundTripItem, RoundTripKnobs>(roundTripCard, {
  characters: `code 01${LETTERS}|>`,
  answers: 'open',
  generate(rng, { length, letters, words }) {
    const known = rng.shuffle(LETTERS.split('')).slice(0, letters);
    const code = drawWords(rng, words).map((word, i) => word + (i < letters ? known[i] : rng.pick(known)));
    return { code: rng.shuffle(code), text: Array.from({ length }, () => rng.pick(known)).join('') };
  },
  key: ({ code, text }) => `round_trip|${inOrder(code).join(' ')}|${text}`,
  prompt: ({ code, text }) => `code ${code.join(' ')}|${text}>`,
  twin: ({ code, text }) => ({ code: rotated(code), text }),
  question: ({ code, text }) =>
    `In a code ${code.map((entry) => `${entry.slice(0, -1)} stands for ${entry.slice(-1)}`).join(', ')}. ` +
    `Write ${text} in the code: digits alone, one word after the other without spaces.`,
  oracle: encode,
  verify: judge,
  hints: (item) => growingParts(firstWords(item), ''),
  steps: ({ code, text }, answer) =>
    stepsBetween(answer, '', (_, place) => {
      const done = decode(code, answer.slice(0, place + 1));
      const next = text[done.text.length];
      if (!text.startsWith(done.text)) return false;
      return done.rest === '' || (next !== undefined && wordsOf(code, next).some((word) => word.startsWith(done.rest)));
    }),
  /** The letters that it has right up to its first mistake: to decode the rest is the policy's own work. */
  feedback: ({ code, text }, answer) => text.slice(0, sharedStart(decode(code, trimAscii(answer)).text, text)),
  mutants(item, _knobs, rng) {
    const right = encode(item);
    const texts = {
      ...textMisses(right, '01', rng),
      'the text itself': item.text,
      'a word more': right + item.code[0].slice(0, -1),
      'words apart': firstWords(item).join(' '),
      'a word begun': `${right}${item.code.reduce((a, b) => (a.length >= b.length ? a : b)).slice(0, -2)}`,
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: ({ length }) => (length <= 2 ? 0.5 : 0.2),
  longest: ({ length, words }) => ({
    prompt: 7 + length + words * (words + 1),
    answer: length * (words - 1),
    question: 130 + length + words * (words + 16),
  }),
});
