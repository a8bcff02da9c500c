/**
 * `rlvr-train/methods`: what a method of your own is made of.
 *
 * ```ts
 * import { type CreditStep, key, mapAdvantages, method, number } from 'rlvr-train/methods';
 *
 * export default method({
 *   id: 'scaled',
 *   about: { does: 'Scales every advantage.', formula: 'A ← by·A', source: 'own', certainty: 'own' },
 *   options: { by: key('by', number({ above: 0, example: 2 }).default(1).describe('The factor. Default 1.')) },
 *   create: ({ by }): CreditStep => ({
 *     apply: (groups) => mapAdvantages(groups, (advantage) => by * advantage),
 *   }),
 * });
 * ```
 */

export type { TurnForm, Writing } from '../data/prompts/turn_forms.ts';
export { choice, flag, integer, key, number, optional, text } from '../options/keys.ts';
export { real, unset, whole } from '../options/old_spellings.ts';
export { TOKEN } from '../token_kinds.ts';
export type { Ledger, LedgerEntry } from './ledger.ts';
export {
  type About,
  type Member,
  type Method,
  method,
  type ParameterSet,
  type SameAs,
  type StepContext,
  type Telling,
} from './method.ts';
export type * from './points.ts';
export type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics, TokenStep, Turn } from './records.ts';
export type { GrpoStageConfig, SftStageConfig } from './stage.ts';
export type { Stateful } from './stateful.ts';
export { deviationOf, type Estimate, meanOf, meanOverProblems } from './statistics.ts';
export { counts, estimateByGroup, hasEqualRewards, rewardsOf } from './support/credit/baseline.ts';
export { mapAdvantages } from './support/credit/map_advantages.ts';
export { addTokenCredit, returnsToGo } from './support/credit/token_returns.ts';
export { withoutLoss } from './support/credit/without_loss.ts';
export { mapRollouts, readerOf, targetOf } from './support/rewards/reward_parts.ts';
export { LabelledTokens } from './support/rollouts/labelled_tokens.ts';
export { answerBeginnings, rightAnswers } from './uses/answers.ts';
export { distributions, refDistributions } from './uses/distributions.ts';
export { feedback } from './uses/feedback.ts';
export { type Figure, figure } from './uses/figure.ts';
export type * from './uses/figure_tools.ts';
export { greedyRewards } from './uses/greedy_rewards.ts';
export { ledger } from './uses/ledger.ts';
export { maskedKl, maskWord } from './uses/masked_kl.ts';
export { parameterSet, reference } from './uses/parameter_sets.ts';
export { proximalLogprobs } from './uses/proximal_logprobs.ts';
export { refLogprobs } from './uses/ref_logprobs.ts';
export { demonstrations, furtherGroups, furtherPrompts, replies, shownTexts, wordsBehind } from './uses/room.ts';
export { selfLogprob } from './uses/self_logprob.ts';
export { severalTurns } from './uses/several_turns.ts';
export { solutionSteps } from './uses/solution_steps.ts';
export { taskChoice } from './uses/task_choice.ts';
export { teacherLogprobs } from './uses/teacher_logprobs.ts';
export { turnForm } from './uses/turn_form.ts';
export { twinPrompts } from './uses/twin_prompts.ts';
export { uniformKl } from './uses/uniform_kl.ts';
export type { Refusal, Room, Use } from './uses/use.ts';
export { words, writtenText } from './uses/words.ts';
export type { TypicalLengths, Work } from './work.ts';
