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

export { choice, flag, integer, key, number, optional, text } from '../options/keys.ts';
export { real, unset, whole } from '../options/old_spellings.ts';
export type { Ledger, LedgerEntry } from './ledger.ts';
export {
  type About,
  type Method,
  method,
  type Needs,
  type ParameterSet,
  type SampledFigure,
  type StepContext,
} from './method.ts';
export type * from './points.ts';
export type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics, TokenStep } from './records.ts';
export type { GrpoStageConfig } from './stage.ts';
export type { Stateful } from './stateful.ts';
export { deviationOf, type Estimate, meanOf, meanOverProblems } from './statistics.ts';
export { counts, estimateByGroup, hasEqualRewards, rewardsOf } from './support/credit/baseline.ts';
export { mapAdvantages } from './support/credit/map_advantages.ts';
export { addTokenCredit, returnsToGo } from './support/credit/token_returns.ts';
export { withoutLoss } from './support/credit/without_loss.ts';
export { mapRollouts, readerOf, targetOf } from './support/rewards/reward_parts.ts';
