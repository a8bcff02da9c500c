/** Generalised advantage estimation (arXiv:1506.02438) over the tokens that a policy wrote, in float64. */

/**
 * δ_t = r_t + γ·v_{t+1} − v_t, A_t = δ_t + γλ·A_{t+1}; v and A are 0 behind the last token.
 * @param rewards  [tokens] @param values  [tokens] before each
 */
export function advantagesOf(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  { gamma, lambda }: { readonly gamma: number; readonly lambda: number },
): Float64Array {
  const advantages = new Float64Array(rewards.length);
  let [later, next] = [0, 0];
  for (let t = rewards.length - 1; t >= 0; t--) {
    later = rewards[t] + gamma * next - values[t] + gamma * lambda * later;
    advantages[t] = later;
    next = values[t];
  }
  return advantages;
}

/** λ of a completion by its length: 1 − 1/(α·length), at least 0 (VAPO, arXiv:2504.05118). */
export function lengthAdaptiveLambda(alpha: number, length: number): number {
  return Math.max(0, 1 - 1 / (alpha * length));
}

/** 1 − Var(target − value)/Var(target); undefined where all targets are equal. */
export function explainedVariance(values: readonly number[], targets: readonly number[]): number | undefined {
  const variance = (of: readonly number[]): number => {
    const mean = of.reduce((sum, value) => sum + value, 0) / of.length;
    return of.reduce((sum, value) => sum + (value - mean) ** 2, 0) / of.length;
  };
  const all = variance(targets);
  return all > 0 ? 1 - variance(targets.map((target, i) => target - values[i])) / all : undefined;
}
