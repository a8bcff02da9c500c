/** Rewards: verdicts, reward functions, composition, answer extraction and the countdown verifiers. */
export {
  accuracyReward,
  builtInRewards,
  getReward,
  type OwnRewards,
  partReward,
  type RewardFactory,
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
export { OptionReader, type RewardOptions } from './reward_options.ts';
export type { FinishReason, Verdict } from './verdict.ts';
