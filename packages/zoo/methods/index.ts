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

export type { TurnForm, Writing } from '../../../src/data/prompts/turn_forms.ts';
export type { Ledger, LedgerEntry } from '../../../src/methods/ledger.ts';
export {
  type About,
  type Member,
  type Method,
  method,
  type ParameterSet,
  type SameAs,
  type StepContext,
  type Telling,
} from '../../../src/methods/method.ts';
export type * from '../../../src/methods/points.ts';
export type {
  CreditedGroup,
  Evaluation,
  Rollout,
  RolloutGroup,
  StepMetrics,
  TokenStep,
  Turn,
} from '../../../src/methods/records.ts';
export type { GrpoStageConfig, SftStageConfig } from '../../../src/methods/stage.ts';
export type { Stateful } from '../../../src/methods/stateful.ts';
export { deviationOf, type Estimate, meanOf, meanOverProblems } from '../../../src/methods/statistics.ts';
export { counts, estimateByGroup, hasEqualRewards, rewardsOf } from '../../../src/methods/support/credit/baseline.ts';
export { addTokenCredit, returnsToGo } from '../../../src/methods/support/credit/token_returns.ts';
export { withoutLoss } from '../../../src/methods/support/credit/without_loss.ts';
export { distributions, refDistributions } from '../../../src/methods/uses/distributions.ts';
export { feedback } from '../../../src/methods/uses/feedback.ts';
export type * from '../../../src/methods/uses/figure_tools.ts';
export { greedyRewards } from '../../../src/methods/uses/greedy_rewards.ts';
export { hiddenGradients, hiddenRows } from '../../../src/methods/uses/hidden_rows.ts';
export { ledger } from '../../../src/methods/uses/ledger.ts';
export { parameterSet, reference } from '../../../src/methods/uses/parameter_sets.ts';
export { proximalLogprobs } from '../../../src/methods/uses/proximal_logprobs.ts';
export { severalTurns } from '../../../src/methods/uses/several_turns.ts';
export { solutionSteps } from '../../../src/methods/uses/solution_steps.ts';
export type { Refusal, Room, Use } from '../../../src/methods/uses/use.ts';
export type { TypicalLengths, Work } from '../../../src/methods/work.ts';
export { choice, flag, integer, key, number, optional, text } from '../../../src/options/keys.ts';
export { TOKEN } from '../../../src/token_kinds.ts';
export { real, unset, whole } from '../options/old_spellings.ts';
export { mapAdvantages } from './support/credit/map_advantages.ts';
export { mapRollouts, readerOf, targetOf } from './support/rewards/reward_parts.ts';
export { LabelledTokens } from './support/rollouts/labelled_tokens.ts';
export { answerBeginnings, rightAnswers } from './uses/answers.ts';
export { type Figure, figure } from './uses/figure.ts';
export { lastHidden } from './uses/last_hidden.ts';
export { maskedKl, maskWord } from './uses/masked_kl.ts';
export { refLogprobs } from './uses/ref_logprobs.ts';
export { demonstrations, furtherGroups, furtherPrompts, replies, shownTexts, wordsBehind } from './uses/room.ts';
export { selfLogprob } from './uses/self_logprob.ts';
export { taskChoice } from './uses/task_choice.ts';
export { teacherLogprobs } from './uses/teacher_logprobs.ts';
export { turnForm } from './uses/turn_form.ts';
export { twinPrompts } from './uses/twin_prompts.ts';
export { uniformKl } from './uses/uniform_kl.ts';
export { words, writtenText } from './uses/words.ts';
