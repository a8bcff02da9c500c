/** A teacher that is the reference, and sees more of a problem than the policy: what it is shown, and what that takes. */

import type { TeacherTools } from '../../../../../src/methods/support/rollouts/teacher.ts';
import { feedback } from '../../../../../src/methods/uses/feedback.ts';
import { reference } from '../../../../../src/methods/uses/parameter_sets.ts';
import type { Use } from '../../../../../src/methods/uses/use.ts';
import { choice, isRight, type Rollout, type RolloutGroup } from '../../kit.ts';
import { rightAnswers } from '../../uses/answers.ts';
import { furtherPrompts, shownTexts } from '../../uses/room.ts';

/** Schema of the option that says what it sees. */
export const TEACHER_SHOWS = choice(['any', 'sibling', 'feedback', 'solution'], 'nothing that a teacher may see')
  .default('any')
  .describe(
    'sibling: a right completion of the group, never its own; feedback: what the task says was wrong; any: the ' +
      'first, or else the second; solution: the right answer of the task.',
  );

type Shows = 'any' | 'sibling' | 'feedback' | 'solution';

export function teacherUses(shows: Shows, groupSize: number): Use[] {
  if (shows === 'solution') return [reference, shownTexts(1), furtherPrompts(1), rightAnswers];
  const read = shows === 'sibling' ? [] : [feedback({ required: shows === 'feedback' })];
  return [reference, shownTexts(1), furtherPrompts(groupSize - 1), ...read];
}

/** What the teacher of a rollout reads; undefined where it would not know more than the policy. */
export function knowingPrompt(
  group: RolloutGroup,
  rollout: Rollout,
  shows: Shows,
  tools: TeacherTools,
): Int32Array | undefined {
  if (shows === 'solution') {
    const { item } = group;
    return item.answer === '' ? undefined : prompted(group, tools.tokensOf(item.answer), tools);
  }
  const sibling = shows === 'feedback' ? undefined : rightSibling(group, rollout);
  if (sibling !== undefined) return prompted(group, sibling, tools);
  const { feedback } = rollout.verdict;
  if (shows === 'sibling' || feedback === undefined) return undefined;
  return prompted(group, tools.tokensOf(feedback), tools);
}

/** Another completion of the group that is right, and differs from this one. */
function rightSibling({ rollouts }: RolloutGroup, { tokens }: Rollout): Int32Array | undefined {
  const text = tokens.join();
  const other = rollouts.find((one) => isRight(one) && one.tokens.join() !== text);
  if (other === undefined) return undefined;
  return other.finishReason === 'eos' ? other.tokens.subarray(0, -1) : other.tokens;
}

/** A teacher that is shown nothing reads the problem as it is. */
function prompted({ item, prompt }: RolloutGroup, shown: Int32Array, tools: TeacherTools): Int32Array {
  return shown.length === 0 ? prompt : tools.shown(item, shown);
}
