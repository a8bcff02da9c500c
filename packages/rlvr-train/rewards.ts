/** Rewards: verdicts, reward functions, composition, answer extraction and the countdown verifiers. */

export {
  type CountdownProblem,
  type ExpressionRules,
  STRICT_EXPRESSION_RULES,
  verifyCountdownExpression,
} from '../../src/data/tasks/countdown/expression.ts';
export { verifyCountdownSteps } from '../../src/data/tasks/countdown/steps.ts';
export {
  choice,
  flag,
  integer,
  type KeyTable,
  key,
  number,
  options,
  text,
  type Values,
} from '../../src/options/keys.ts';
export type { BrokenRule } from '../../src/options/read.ts';
export { type AnswerPolicy, type Extraction, extractAnswer, hasThinkFormat } from '../../src/parsing/extract.ts';
export {
  defineReward,
  type RewardDefinition,
  type RewardFactory,
  type RewardOptions,
} from '../../src/rewards/definition.ts';
export { illegal, malformed, missing, truncated, wrongValue } from '../../src/rewards/reject.ts';
export {
  combineRewards,
  type RewardBatch,
  type RewardFailure,
  type RewardFunction,
  type RewardItem,
  type RewardValues,
  type ScoredRewards,
  scoreRewards,
} from '../../src/rewards/reward_function.ts';
export type { OwnRewards } from '../../src/rewards/reward_list.ts';
export type { ExtraValue, RewardLogs } from '../../src/rewards/reward_log.ts';
export { accuracyReward, partReward, softOverlongReward } from '../../src/rewards/usual_rewards.ts';
export type { FinishReason, Verdict, VerdictStep } from '../../src/rewards/verdict.ts';
export { builtInRewards, getReward } from '../zoo/api/rewards.ts';
export { real, whole } from '../zoo/options/old_spellings.ts';
