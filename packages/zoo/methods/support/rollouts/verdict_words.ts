/**
 * Verdicts of the policy on answers: the words of one, how it is judged and what it said; and how it is asked for, to pay by it or to
 * learn from it.
 */
import type { TaskItem } from '../../../../../src/data/task.ts';
import type { TrainedText } from '../../../../../src/methods/loss_points.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import type { DemonstratedProblem, GroupRequest, RollOut, Rollout, RolloutGroup, RolloutTools } from '../../kit.ts';
import { choice, isRight } from '../../kit.ts';
import { answerTokens, type SampledAnswer } from './answers.ts';

/** Asks for a verdict on an answer, and the two that there are. */
export const [VERIFY, YES, NO] = ['<verify>', '<yes>', '<no>'] as const;

/** What these say to a pretrained model. */
export const VERDICT_WORDS = { [VERIFY]: 'Is this answer right? Reply yes or no.', [YES]: 'yes', [NO]: 'no' };

/** Says that a right answer precedes the one that is judged. */
export const REFERENCE = '<reference>';

/** What it says to a pretrained model. */
export const REFERENCE_WORD = { [REFERENCE]: 'This is a right answer. Now answer the problem in your own way.' };

/** A demonstration of a verdict: on the attempt, as the verifier says. */
export function demonstratedVerdict({
  attempt,
  isAttemptRight,
  followUp,
  word,
  ended,
}: DemonstratedProblem): TrainedText {
  return { prompt: followUp([attempt, VERIFY]), tokens: ended(word(isAttemptRight ? YES : NO)) };
}

/** The same, after a right answer where the demonstration is one. */
export function demonstratedReferenceVerdict(problem: DemonstratedProblem): TrainedText {
  const { answer, isAnswerRight, attempt, isAttemptRight, followUp, word, ended } = problem;
  if (!isAnswerRight) return demonstratedVerdict(problem);
  const prompt = followUp([answer, REFERENCE], [attempt, VERIFY]);
  return { prompt, tokens: ended(word(isAttemptRight ? YES : NO)) };
}

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

type Tools = Pick<RolloutTools, 'followUp' | 'said'>;

/** The right answer to a problem, where verdicts are to see one. */
export type ReferenceOf = (item: TaskItem) => Int32Array | undefined;

const noReference: ReferenceOf = () => undefined;

/** A problem with an answer that a verdict is asked on. */
function asking({ followUp }: Tools, item: TaskItem, tokens: Int32Array, referenceOf: ReferenceOf): Int32Array {
  const reference = referenceOf(item);
  const shown = reference === undefined ? [] : [[reference, REFERENCE] as const];
  return followUp(item, ...shown, [tokens, VERIFY]);
}

/** Tokens of an answer, without an end, and what it answers. */
export interface Claim {
  readonly item: TaskItem;
  readonly tokens: Int32Array;
}

/**
 * A group of verdicts on each answer, paid where they are true.
 *
 * @param isTrue  whether an answer is to be called right; default: as its verifier says
 * @param referenceOf  what a verdict sees besides; default: nothing
 */
export function verdictGroups(
  answers: readonly SampledAnswer[],
  samples: number,
  next: RollOut,
  tools: Tools,
  isTrue: (rollout: Rollout) => boolean = isRight,
  referenceOf: ReferenceOf = noReference,
): Promise<readonly RolloutGroup[]> {
  const spoken = [tools.said(YES), tools.said(NO)] as const;
  return next(
    answers.map(({ group: { item }, rollout }): GroupRequest => {
      const due = spoken[isTrue(rollout) ? 0 : 1];
      return {
        item,
        samples,
        prompt: asking(tools, item, answerTokens(rollout), referenceOf),
        kind: 'verify',
        judge: (text) => judgeWord(text, spoken, due),
      };
    }),
  );
}

/** [claims] whether one sampled verdict calls it right; it is not to be trained on. */
export async function sampledVerdicts(
  claims: readonly Claim[],
  next: RollOut,
  tools: Tools,
  referenceOf: ReferenceOf = noReference,
): Promise<boolean[]> {
  if (claims.length === 0) return [];
  const spoken = [tools.said(YES), tools.said(NO)] as const;
  const verdicts = await next(
    claims.map(({ item, tokens }): GroupRequest => {
      const prompt = asking(tools, item, tokens, referenceOf);
      return { item, samples: 1, prompt, kind: 'verify', judge: (text) => judgeWord(text, spoken, spoken[0]) };
    }),
  );
  return claims.map((_, i) => shareSaying(verdicts[i].rollouts, spoken, spoken[0]) === 1);
}

/** Schema of the option that says what a verifier is asked about. */
export const JUDGED_PARTS = choice(['answers', 'steps'])
  .default('answers')
  .describe('answers: the verifier is asked about whole ones; steps: after each step of a solution.');
export type JudgedParts = 'answers' | 'steps';

/** What a verifier is asked about, without an end: the answer up to the end of each of its steps, or all of it. */
export function beginningsOf(rollout: Rollout, judged: JudgedParts): Int32Array[] {
  const whole = answerTokens(rollout);
  const steps = judged === 'steps' ? (rollout.steps ?? []) : [];
  return steps.length === 0 ? [whole] : steps.map(({ to }) => whole.subarray(0, to));
}
