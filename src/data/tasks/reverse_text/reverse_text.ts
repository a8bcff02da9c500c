/**
 * Reverse a made-up word.
 *
 *   prompt      salor>      completion  rolas, then EOS
 *   split       by hash of the word
 */
import type { Rng } from '../../../kernels/philox.ts';
import { longestCommonSubsequence } from '../../../parsing/common_subsequence.ts';
import { missing, truncated } from '../../../rewards/reject.ts';
import { characterTokenizer } from '../../../text/vocabulary_tokenizer.ts';
import type { Mutant, TaskDefinition } from '../../task.ts';
import { type ReverseTextKnobs, reverseTextCard } from './card.ts';

export type ReverseTextItem = { readonly word: string };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const TOKENIZER = characterTokenizer({ name: 'reverse_text', tokens: [...LETTERS, '>'] });
/** Tokens beyond the longest right answer, so that an overlong answer is seen as one. */
const SLACK_TOKENS = 2;
/** Answers beyond this have no LCS: its cost is quadratic. */
const MAX_LCS_LENGTH = 64;

function reversed(word: string): string {
  return word.split('').reverse().join('');
}

function randomLetter(rng: Rng): string {
  return LETTERS[rng.int(0, LETTERS.length - 1)];
}

function otherLetter(letter: string, rng: Rng): string {
  return LETTERS[(LETTERS.indexOf(letter) + rng.int(1, LETTERS.length - 1)) % LETTERS.length];
}

/** 2·LCS/(m + n), in [0, 1]. */
function commonRatio(answer: string, expected: string): number {
  if (answer.length === 0 || answer.length > MAX_LCS_LENGTH) return 0;
  return (2 * longestCommonSubsequence(answer, expected)) / (answer.length + expected.length);
}

function mutants(item: ReverseTextItem, _knobs: ReverseTextKnobs, rng: Rng): Mutant[] {
  const right = reversed(item.word);
  const at = rng.int(0, right.length - 1);
  const texts: Record<string, string> = {
    'wrong letter': right.slice(0, at) + otherLetter(right[at], rng) + right.slice(at + 1),
    'letter dropped': right.slice(0, at) + right.slice(at + 1),
    'letter doubled': right.slice(0, at) + right[at] + right.slice(at),
    'oracle twice': right + right,
    'oracle twice, spaced': `${right} ${right}`,
    'upper case': right.toUpperCase(),
    'trailing junk': `${right}>`,
    'trailing space': `${right} `,
    'prompt echoed': `${item.word}>`,
  };
  if (item.word !== right) texts['left as given'] = item.word;
  return Object.entries(texts).map(([name, text]) => ({ name, text, maxScore: 0 }));
}

export const reverseText: TaskDefinition<ReverseTextItem, ReverseTextKnobs> = {
  ...reverseTextCard,
  family: 'reverse_text',
  generate(rng, knobs) {
    const length = rng.int(knobs.min_length, knobs.max_length);
    return { word: Array.from({ length }, () => randomLetter(rng)).join('') };
  },
  key: (item) => `rev|${item.word}`,
  prompt: (item) => `${item.word}>`,
  question: (item) => `Spell the word ${item.word} backwards.`,
  /** Words shorter than the asked ones can be judged as well. */
  parse(prompt, knobs) {
    const word = prompt.slice(0, -1);
    return prompt.endsWith('>') && word.length <= knobs.max_length && /^[a-z]+$/.test(word) ? { word } : null;
  },
  oracle: (item) => reversed(item.word),
  demonstration(item, knobs, rng) {
    let text = '';
    for (const letter of reversed(item.word)) {
      text += rng.float() < knobs.letter_noise ? otherLetter(letter, rng) : letter;
    }
    return text;
  },
  mutants,
  /**
   * Exact. `parts.lcs` is 2·LCS/(m + n) of answer and truth; as a training reward it can be hacked (it rose while
   * greedy accuracy fell from 0.65 to 0.39 in the prototype), so it exists to show that, and is never the default.
   */
  verify(item, answer, _knobs, context) {
    const expected = reversed(item.word);
    const parts = { lcs: commonRatio(answer, expected) };
    if (context.finishReason === 'length') return { ...truncated(), parts };
    if (answer === expected) return { score: 1, status: 'correct', reason: 'reversed', canonical: answer, parts };
    if (answer.length === 0) return { ...missing('the answer is empty'), parts };
    return { score: 0, status: 'incorrect', failure: 'wrong_value', reason: 'not the word reversed', parts };
  },
  /** A constant answer is right for one of the words of its length; a random one at most as often. With the fixed
   *  sample of held-out words no answer is right twice: 1 in 26^min_length, or once in the sample. */
  chance: (knobs) => Math.max(1 / 512, 1 / 26 ** knobs.min_length),
  tokenizer: () => TOKENIZER,
  limits: (knobs) => ({ promptTokens: knobs.max_length + 1, completionTokens: knobs.max_length + 1 + SLACK_TOKENS }),
};
