/** What the methods of a stage ask of verifiers and environments. */
import type { VerifyContext } from '../../data/task.ts';
import { feedback } from '../../methods/uses/feedback.ts';
import { guards } from '../../methods/uses/guards.ts';
import { solutionSteps } from '../../methods/uses/solution_steps.ts';
import type { StageUses } from '../../methods/uses/stage_uses.ts';
import { states } from '../../methods/uses/states.ts';

/** Optional contents of verdicts and environment steps that methods ask for. */
export type Wants = Omit<VerifyContext, 'finishReason'>;

export function wantsOf(uses: Pick<StageUses, 'has'>): Wants {
  return {
    ...(uses.has(solutionSteps) && { wantsSteps: true }),
    ...(uses.has(feedback()) && { wantsFeedback: true }),
    ...(uses.has(states()) && { wantsStates: true }),
    ...(uses.has(guards) && { guarded: true }),
  };
}
