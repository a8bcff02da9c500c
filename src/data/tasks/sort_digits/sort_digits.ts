/**
 * Sort digits, ascending.
 *
 *   prompt      3142>       completion  1234: exactly as many tokens as digits, no EOS
 *   key         the digits as given: every order is a problem of its own
 *   split       by the *sorted* digits. All orders of one multiset share their answer, so a split by the sequence
 *               would hold out 2130 while 1230 is trained on, and a policy that remembers answers by the bag of
 *               digits would pass. Now a held-out answer was never an answer in training.
 */
import { malformed, missing } from '../../../rewards/reject.ts';
import { characterTokenizer } from '../../../text/vocabulary_tokenizer.ts';
import type { Mutant, TaskDefinition } from '../../task.ts';
import { type SortDigitsKnobs, sortDigitsCard } from './card.ts';

/** The digits of the prompt, as text. */
export type SortDigitsItem = { readonly digits: string };

/** Spaces up to 10^4 are listed whole. */
const MAX_ENUMERATED_DIGITS = 4;
const TOKENIZER = characterTokenizer({ name: 'sort_digits', tokens: [...'0123456789>'] });

function sorted(digits: string): string {
  return digits.split('').sort().join('');
}

function* enumerate(numDigits: number): Generator<SortDigitsItem> {
  for (let value = 0; value < 10 ** numDigits; value++) yield { digits: String(value).padStart(numDigits, '0') };
}

/** Share of the positions that hold the right digit; 0 unless the length is right. */
function rightPositions(answer: string, expected: string): number {
  if (answer.length !== expected.length) return 0;
  let right = 0;
  for (let i = 0; i < expected.length; i++) if (answer[i] === expected[i]) right++;
  return right / expected.length;
}

function mutants(item: SortDigitsItem): Mutant[] {
  const right = sorted(item.digits);
  const lastDigit = Number(right.at(-1));
  const texts: Record<string, string> = {
    'last digit dropped': right.slice(0, -1),
    'last digit repeated': right + right.at(-1),
    'off by one': right.slice(0, -1) + ((lastDigit + 1) % 10),
    'oracle twice': right + right,
    'trailing junk': `${right}>`,
    'trailing space': `${right} `,
    spaced: right.split('').join(' '),
    'prompt echoed': `${item.digits}>`,
  };
  const descending = right.split('').reverse().join('');
  if (descending !== right) texts.descending = descending;
  if (item.digits !== right) texts['left as given'] = item.digits;
  return Object.entries(texts).map(([name, text]) => ({ name, text, maxScore: 0 }));
}

export const sortDigits: TaskDefinition<SortDigitsItem, SortDigitsKnobs> = {
  ...sortDigitsCard,
  family: 'sort_digits',
  generate: (rng, knobs) => ({ digits: Array.from({ length: knobs.digits }, () => rng.int(0, 9)).join('') }),
  enumerate: (knobs) => (knobs.digits <= MAX_ENUMERATED_DIGITS ? enumerate(knobs.digits) : undefined),
  key: (item) => `sort|${item.digits}`,
  splitKey: (item) => `sort|${sorted(item.digits)}`,
  prompt: (item) => `${item.digits}>`,
  question: (item) => `Sort the digits of ${item.digits} in ascending order, without spaces.`,
  parse(prompt, knobs) {
    const digits = prompt.slice(0, -1);
    return prompt.endsWith('>') && digits.length === knobs.digits && /^[0-9]*$/.test(digits) ? { digits } : null;
  },
  oracle: (item) => sorted(item.digits),
  /** The task needs no warm start; if a config asks for one, the teacher is right. */
  demonstration: (item) => sorted(item.digits),
  mutants,
  /** Exact. `parts.positions` is the dense reward of the recipe; evaluation never reads it. */
  verify(item, answer) {
    const expected = sorted(item.digits);
    if (answer === expected)
      return { score: 1, status: 'correct', reason: 'sorted', canonical: answer, parts: { positions: 1 } };
    const parts = { positions: rightPositions(answer, expected) };
    if (answer.length === 0) return { ...missing('the answer is empty'), parts };
    if (answer.length !== expected.length) return { ...malformed(`not ${expected.length} characters`), parts };
    return { score: 0, status: 'incorrect', failure: 'wrong_value', reason: 'not the sorted digits', parts };
  },
  /** A constant answer of different digits is right for n! of 10^n prompts; its orders all fall on one side of the
   *  split, in the worst case among the held-out fifth. Random digits are right once in 10^n. */
  chance(knobs) {
    let orders = 1;
    for (let i = 2; i <= knobs.digits; i++) orders *= i;
    return Math.min(1, orders / (10 ** knobs.digits * 0.2));
  },
  tokenizer: () => TOKENIZER,
  limits: (knobs) => ({ promptTokens: knobs.digits + 1, completionTokens: knobs.digits }),
  fixedCompletionTokens: (knobs) => knobs.digits,
};
