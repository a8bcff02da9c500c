/**
 * A sequence of numbers that follows a rule: the next one is asked.
 *
 *   split       by hash of the first five numbers, so that a sequence is not held out in one length and trained in another
 *
 * Where rules of the list, with whatever parameters, fit and disagree about the next number, there is no problem.
 */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type NumberSequenceKnobs, numberSequenceCard } from './card.ts';
import { predictions, RULES } from './rules.ts';

export type NumberSequenceItem = { readonly terms: readonly number[]; readonly next: number };

const FEWEST_TERMS = 5;
const LARGEST = 99_999;

export const numberSequence = lineTask<NumberSequenceItem, NumberSequenceKnobs>(numberSequenceCard, {
  characters: 'seq 0123456789->',
  generate(rng, { complexity, terms: most, max }) {
    const rule = rng.pick(RULES.filter((one) => one.complexity <= complexity));
    const drawn = rule.draw(rng, rng.int(FEWEST_TERMS, most) + 1, max);
    const terms = drawn.slice(0, -1);
    const next = drawn.at(-1) as number;
    if (drawn.some((term) => term < -LARGEST || term > LARGEST)) return null;
    // A number that is there again and again is no sequence to learn from.
    if (new Set(drawn).size < 3) return null;
    return predictions(terms).size === 1 ? { terms, next } : null;
  },
  key: ({ terms }) => `sequence|${terms.join(' ')}`,
  splitKey: ({ terms }) => `sequence|${terms.slice(0, FEWEST_TERMS).join(' ')}`,
  prompt: ({ terms }) => `seq ${terms.join(' ')}>`,
  question: ({ terms }) => `What is the next number of this sequence: ${terms.join(', ')}?`,
  oracle: ({ next }) => String(next),
  verify: ({ next }, answer) => judgeNumber(answer, next),
  mutants: ({ terms, next }) => ({
    ...numberMisses(next),
    ...(terms.at(-1) !== next && { 'the last one again': String(terms.at(-1)) }),
    'the sequence': terms.join(' '),
    'the sequence and what follows': [...terms, next].join(' '),
  }),
  chance: ({ max }) => (max <= 10 ? 0.05 : 0.03),
  longest: ({ terms }) => ({ prompt: 7 * terms + 5, answer: 6, question: 60 + 8 * terms }),
});
