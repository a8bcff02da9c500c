/** Whole distributions from a head's logits, on the host. */

/**
 * Log-probs of every token, row by row: the log-softmax of logits/temperature, in float64 and rounded once.
 *
 * @param logits  [rows × vocabSize]
 */
export function logSoftmaxRows(logits: ArrayLike<number>, vocabSize: number, temperature: number): Float32Array {
  const out = new Float32Array(logits.length);
  for (let begin = 0; begin < logits.length; begin += vocabSize) {
    const end = begin + vocabSize;
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = begin; i < end; i++) if (logits[i] > highest) highest = logits[i];
    let sum = 0;
    for (let i = begin; i < end; i++) sum += Math.exp((logits[i] - highest) / temperature);
    const logSum = Math.log(sum);
    for (let i = begin; i < end; i++) out[i] = (logits[i] - highest) / temperature - logSum;
  }
  return out;
}

/** The index of the largest value; of equal ones the first. */
export function likeliest(logprobs: ArrayLike<number>): number {
  let best = 0;
  for (let v = 1; v < logprobs.length; v++) if (logprobs[v] > logprobs[best]) best = v;
  return best;
}
