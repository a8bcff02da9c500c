/** Rewards: verdicts, reward functions, composition, answer extraction and the countdown verifiers. */

export {
  type CountdownProblem,
  type ExpressionRules,
  STRICT_EXPRESSION_RULES,
  verifyCountdownExpression,
} from './data/tasks/countdown/expression.ts';
export { verifyCountdownSteps } from './data/tasks/countdown/steps.ts';
export { choice, flag, integer, type KeyTable, key, number, options, text, type Values } from './options/keys.ts';
export { real, whole } from './options/old_spellings.ts';
export type { BrokenRule } from './options/read.ts';
export { type AnswerPolicy, type Extraction, extractAnswer, hasThinkFormat } from './parsing/extract.ts';
export { defineReward, type RewardDefinition, type RewardFactory, type RewardOptions } from './rewards/definition.ts';
export { illegal, malformed, missing, truncated, wrongValue } from './rewards/reject.ts';
export {
  combineRewards,
  type RewardBatch,
  type RewardFailure,
  type RewardFunction,
  type RewardItem,
  type RewardValues,
  type ScoredRewards,
  scoreRewards,
} from './rewards/reward_function.ts';
export type { OwnRewards } from './rewards/reward_list.ts';
export type { ExtraValue, RewardLogs } from './rewards/reward_log.ts';
export { accuracyReward, partReward, softOverlongReward } from './rewards/usual_rewards.ts';
export type { FinishReason, Verdict, VerdictStep } from './rewards/verdict.ts';
export { builtInRewards, getReward } from './zoo/api.ts';
