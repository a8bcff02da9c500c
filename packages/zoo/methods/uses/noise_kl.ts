/**
 * [tokens] nats: ½·(KL(p‖q) + KL(q‖p)) between the distribution p that each was sampled from and q with a few operands of the
 * problem masked, at random: how unsure the policy is under a disturbed prompt. 0 where a token was put in.
 */
import type { Figure } from './figure.ts';
import { maskedFigure } from './masked_kl.ts';

/** @param share  of the operands that are masked; of several of a stage the largest */
export function noiseKl(share: number): Figure<Float32Array> {
  return maskedFigure('noiseKl', 'disturbed', share, symmetric);
}

/** [rows] ½·Σ_v (p − q)·(ln p − ln q). @param logP, logQ  [rows × vocabSize] */
export function symmetric(logP: Float32Array, logQ: Float32Array, vocabSize: number): Float32Array {
  return Float32Array.from({ length: logP.length / vocabSize }, (_, row) => {
    let sum = 0;
    for (let i = row * vocabSize; i < (row + 1) * vocabSize; i++) {
      sum += (Math.exp(logP[i]) - Math.exp(logQ[i])) * (logP[i] - logQ[i]);
    }
    return sum / 2;
  });
}
