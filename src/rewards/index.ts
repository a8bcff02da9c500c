/** Rewards: verdicts, reward functions, composition, answer extraction and the countdown verifiers. */
export { choice, flag, type KeyTable, key, options, real, text, type Values, whole } from '../options/keys.ts';
export type { BrokenRule } from '../options/read.ts';
export {
  accuracyReward,
  builtInRewards,
  defineReward,
  getReward,
  type OwnRewards,
  partReward,
  type RewardDefinition,
  type RewardFactory,
  type RewardOptions,
  softOverlongReward,
} from './built_in.ts';
export {
  type CountdownProblem,
  type ExpressionRules,
  STRICT_EXPRESSION_RULES,
  verifyCountdownExpression,
} from './countdown_expression.ts';
export { verifyCountdownSteps } from './countdown_steps.ts';
export { type AnswerPolicy, type Extraction, extractAnswer, hasThinkFormat } from './extract.ts';
export { illegal, malformed, missing, truncated, wrongValue } from './reject.ts';
export {
  combineRewards,
  type RewardBatch,
  type RewardFailure,
  type RewardFunction,
  type RewardItem,
  type RewardValues,
  type ScoredRewards,
  scoreRewards,
} from './reward_function.ts';
export type { FinishReason, Verdict } from './verdict.ts';
