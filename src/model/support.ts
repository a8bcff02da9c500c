/**
 * Supports: the tokens that could be sampled at a position. If that is less than the vocabulary, the policy means its
 * distribution restricted to them, in every use: log-prob and entropy of a token, old, new or under the reference, and
 * derivatives by them.
 *
 *   log π_A(o) = u_o − log Σ_{v∈A} e^{u_v}              ∂/∂u_v = 1[v = o] − π_A(v)           for v in A, else 0
 *   H_A = −Σ_{v∈A} π_A(v) log π_A(v)                    ∂/∂u_v = −π_A(v)·(log π_A(v) + H_A)
 *
 * u: tempered log-probs of the whole vocabulary, as `distributions` gives them to the host, which is float64 inside.
 * Sampler and scorer call the same function with the same numbers, so that they agree in every bit.
 *
 * A support has ⌈vocabulary/8⌉ bytes a token, the lowest bit of the first byte for token 0; bytes of 255 throughout
 * mean that nothing was left out, and the engine's own numbers are used.
 */
/** Bytes of a token's support. */
export function supportBytes(vocabSize: number): number {
  return Math.ceil(vocabSize / 8);
}

/** Whether it leaves nothing out. */
export function isWhole(support: Uint8Array): boolean {
  return support.every((byte) => byte === 255);
}

/** Whether a token is in it. */
export function holds(support: Uint8Array, token: number): boolean {
  return (support[token >> 3] & (1 << (token & 7))) !== 0;
}

/** The support of the tokens that `isIn` accepts. */
export function supportOf(vocabSize: number, isIn: (token: number) => boolean): Uint8Array {
  const support = new Uint8Array(supportBytes(vocabSize));
  for (let token = 0; token < vocabSize; token++) if (isIn(token)) support[token >> 3] |= 1 << (token & 7);
  return support;
}

/** Log-prob of a token and entropy of the distribution among those of a support. @param logprobs  of the whole vocabulary */
export function narrowed(
  logprobs: Float32Array,
  support: Uint8Array,
  token: number,
): { readonly logprob: number; readonly entropy: number } {
  const { logSum, entropy } = measured(logprobs, support);
  return { logprob: logprobs[token] - logSum, entropy };
}

/** Log of the mass of a support, and the entropy among it. @param logprobs  of the whole vocabulary */
export function measured(
  logprobs: Float32Array,
  support: Uint8Array,
): { readonly logSum: number; readonly entropy: number } {
  let highest = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < logprobs.length; v++) if (logprobs[v] > highest && holds(support, v)) highest = logprobs[v];
  let [sum, weighed] = [0, 0];
  for (let v = 0; v < logprobs.length; v++) {
    if (!holds(support, v)) continue;
    const mass = Math.exp(logprobs[v] - highest);
    sum += mass;
    weighed += mass * (logprobs[v] - highest);
  }
  return { logSum: highest + Math.log(sum), entropy: Math.log(sum) - weighed / sum };
}
