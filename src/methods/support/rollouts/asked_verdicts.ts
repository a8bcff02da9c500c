/** Verdicts of the policy on answers: asked for to pay them by, and in groups that it learns from. */
import type { TaskItem } from '../../../data/task.ts';
import { choice } from '../../../options/keys.ts';
import type { GroupRequest, RollOut, RolloutTools } from '../../points.ts';
import type { Rollout, RolloutGroup } from '../../records.ts';
import { answerTokens, type SampledAnswer } from './answers.ts';
import { isRight } from './right.ts';
import { judgeWord, NO, shareSaying, VERIFY, YES } from './verdict_words.ts';

type Tools = Pick<RolloutTools, 'followUp' | 'said'>;

/** Tokens of an answer, without an end, and what it answers. */
export interface Claim {
  readonly item: TaskItem;
  readonly tokens: Int32Array;
}

/**
 * A group of verdicts on each answer, paid where they are true.
 *
 * @param isTrue  whether an answer is to be called right; default: as its verifier says
 */
export function verdictGroups(
  answers: readonly SampledAnswer[],
  samples: number,
  next: RollOut,
  { followUp, said }: Tools,
  isTrue: (rollout: Rollout) => boolean = isRight,
): Promise<readonly RolloutGroup[]> {
  const spoken = [said(YES), said(NO)] as const;
  return next(
    answers.map(({ group: { item }, rollout }): GroupRequest => {
      const due = spoken[isTrue(rollout) ? 0 : 1];
      return {
        item,
        samples,
        prompt: followUp(item, [answerTokens(rollout), VERIFY]),
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
  { followUp, said }: Tools,
): Promise<boolean[]> {
  if (claims.length === 0) return [];
  const spoken = [said(YES), said(NO)] as const;
  const verdicts = await next(
    claims.map(({ item, tokens }): GroupRequest => {
      const prompt = followUp(item, [tokens, VERIFY]);
      return { item, samples: 1, prompt, kind: 'verify', judge: (text) => judgeWord(text, spoken, spoken[0]) };
    }),
  );
  return claims.map((_, i) => shareSaying(verdicts[i].rollouts, spoken, spoken[0]) === 1);
}

/** Schema of the option that says what a verifier is asked about. */
export const JUDGED_PARTS = choice(['answers', 'steps'])
  .default('answers')
  .describe('answers: the verifier is asked about whole ones; steps: after each step of a solution. Default answers.');
export type JudgedParts = 'answers' | 'steps';

/** What a verifier is asked about, without an end: the answer up to the end of each of its steps, or all of it. */
export function beginningsOf(rollout: Rollout, judged: JudgedParts): Int32Array[] {
  const whole = answerTokens(rollout);
  const steps = judged === 'steps' ? (rollout.steps ?? []) : [];
  return steps.length === 0 ? [whole] : steps.map(({ to }) => whole.subarray(0, to));
}
