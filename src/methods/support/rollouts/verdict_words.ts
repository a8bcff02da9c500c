/** A completion that is to be one of two words: the words of a verdict, how it is judged, and what it said. */
import type { Verdict } from '../../../rewards/verdict.ts';
import type { Rollout } from '../../records.ts';

/** Asks for a verdict on an answer, and the two that there are. */
export const [VERIFY, YES, NO] = ['<verify>', '<yes>', '<no>'] as const;

/** What these say to a pretrained model. */
export const VERDICT_WORDS = { [VERIFY]: 'Is this answer right? Reply yes or no.', [YES]: 'yes', [NO]: 'no' };

/** The word that was said, if it is one of these. Case does not count, nor do blanks around it. */
function wordSaid<Word extends string>(text: string, words: readonly Word[]): Word | undefined {
  const said = text.trim().toLowerCase();
  return words.find((word) => word.toLowerCase() === said);
}

/** @param words  that may be said, as text @param due  the one that is right */
export function judgeWord(text: string, words: readonly string[], due: string): Verdict {
  const said = wordSaid(text, words);
  if (said === undefined) {
    return { score: 0, status: 'invalid', failure: 'bad_format', reason: `neither ${words.join(' nor ')}` };
  }
  return said === due
    ? { score: 1, status: 'correct', reason: 'the verdict', canonical: said }
    : { score: 0, status: 'incorrect', failure: 'wrong_value', reason: 'another verdict', canonical: said };
}

/** The share of some completions that said a word; 0 of none. */
export function shareSaying(rollouts: readonly Rollout[], words: readonly string[], word: string): number {
  const count = rollouts.filter(({ text }) => wordSaid(text, words) === word).length;
  return count / Math.max(1, rollouts.length);
}
