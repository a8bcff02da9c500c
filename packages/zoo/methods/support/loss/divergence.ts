/**
 * Divergences of a policy p from another distribution q over the whole vocabulary, and their derivatives by the policy's
 * tempered logits:
 *
 *   reverse   Σ_v p_v (ln p_v − ln q_v)                     p_v (ln p_v − ln q_v − KL)
 *   forward   Σ_v q_v (ln q_v − ln p_v)                     p_v − q_v
 *   JSD_α     α·KL(p‖m) + (1 − α)·KL(q‖m), m = α·p + (1 − α)·q      α·p_v (ln p_v − ln m_v − KL(p‖m))
 */
type Reals = Float32Array | Float64Array;

/** The divergence at a token, in nats, and its derivatives times `weight`, added to `dLogits`. [vocabulary] all */
export type Divergence = (logP: Reals, logQ: Reals, weight: number, dLogits: Float64Array | undefined) => number;

/** KL(p‖q) of log-probs, in nats. */
export function klOfLogs(logP: Reals, logQ: Reals): number {
  let sum = 0;
  for (let v = 0; v < logP.length; v++) sum += Math.exp(logP[v]) * (logP[v] - logQ[v]);
  return sum;
}

export const reverseKl: Divergence = (logP, logQ, weight, dLogits) => {
  const kl = klOfLogs(logP, logQ);
  if (dLogits === undefined) return kl;
  for (let v = 0; v < logP.length; v++) dLogits[v] += weight * (Math.exp(logP[v]) * (logP[v] - logQ[v] - kl));
  return kl;
};

export const forwardKl: Divergence = (logP, logQ, weight, dLogits) => {
  if (dLogits !== undefined) {
    for (let v = 0; v < logP.length; v++) dLogits[v] += weight * (Math.exp(logP[v]) - Math.exp(logQ[v]));
  }
  return klOfLogs(logQ, logP);
};

/** @param alpha  share of the policy in the middle that both are compared with, in (0, 1) */
export function jensenShannon(alpha: number): Divergence {
  return (logP, logQ, weight, dLogits) => {
    let [fromP, fromQ] = [0, 0];
    const logRatios = new Float64Array(logP.length);
    for (let v = 0; v < logP.length; v++) {
      const [p, q] = [Math.exp(logP[v]), Math.exp(logQ[v])];
      const middle = alpha * p + (1 - alpha) * q;
      if (logP[v] === logQ[v] || middle === 0) continue;
      const logM = Math.log(middle);
      logRatios[v] = logP[v] - logM;
      fromP += p * logRatios[v];
      fromQ += q * (logQ[v] - logM);
    }
    if (dLogits !== undefined) {
      for (let v = 0; v < logP.length; v++) {
        dLogits[v] += weight * alpha * Math.exp(logP[v]) * (logRatios[v] - fromP);
      }
    }
    return alpha * fromP + (1 - alpha) * fromQ;
  };
}

/** The divergence that TRL's `beta` names: 0 forward, 1 reverse, between the JSD whose middle has 1 − beta of the policy. */
export function divergenceByBeta(beta: number): Divergence {
  if (beta === 0) return forwardKl;
  return beta === 1 ? reverseKl : jensenShannon(1 - beta);
}

/** The part of a [tokens × width] array that is a token's. */
export function rowOf<Values extends Float32Array | Float64Array>(
  values: Values,
  token: number,
  width: number,
): Values {
  return values.subarray(token * width, (token + 1) * width) as Values; // a part is of the same kind
}
