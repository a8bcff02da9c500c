/**
 * For programs that use TensorFlow.js: the trainer's log-probs, advantages and objective as ops with gradients, its
 * policies on tfjs backends, and weights handed over as tensors.
 *
 * ```ts
 * import * as tf from '@tensorflow/tfjs';
 * import { clippedObjective, groupAdvantages, tokenLogProbs } from 'rlvr-train/tfjs';
 *
 * const advantages = groupAdvantages(rewards, 8); // groups of eight completions
 * const { grads } = tf.variableGrads(() => {
 *   const logprobs = tokenLogProbs(model(inputs), headWeight, targets, { temperature: 1 });
 *   return tf.mean(clippedObjective(logprobs, oldLogprobs, advantages)) as tf.Scalar;
 * });
 * ```
 *
 * examples/tfjs.mjs is a whole program. Needs @tensorflow/tfjs 4.22.0; wasm and webgpu are packages of their own.
 */
export { tfjsBackend } from './kernels/backend.ts';
export { takeRows } from './kernels/take_rows.ts';
export { clippedObjective, groupAdvantages, type ObjectiveOptions } from './objective.ts';
export { type PolicyTensors, policyFromTensors, policyToTensors } from './policy_tensors.ts';
export { type TokenScoreOptions, type TokenScores, tokenLogProbs, tokenScores } from './token_log_probs.ts';
