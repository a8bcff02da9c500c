/**
 * Multiply-adds of a step's matrix products, from the shapes alone, each counted as two operations.
 *
 * Counted is the algorithm as written: roll out, score, go back; each prompt once for its group; the output layer on
 * rows that predict a completion's token. An engine that keeps the rollout's activations computes one forward pass less.
 * Element-wise passes and the optimizer are left out.
 */

/** Rows of tokens, rows of the output layer, and pairs of (row, key it attends to), for one batch. */
export function rowsOf({ promptTokens, completionTokens, prompts, groupSize }) {
  const own = completionTokens - 1; // a completion's last token is never an input
  const promptPairs = (promptTokens * (promptTokens + 1)) / 2;
  const ownPairs = own * promptTokens + (own * (own + 1)) / 2;
  return {
    tokens: prompts * (promptTokens + groupSize * own),
    predicted: prompts * groupSize * completionTokens,
    pairs: prompts * (promptPairs + groupSize * ownPairs),
  };
}

/** Operations of one pass forward over the batch: products with weights, and those of attention. */
function forward(workload, vocabulary) {
  const { hiddenSize, numLayers, intermediateSize } = workload;
  const { tokens, predicted, pairs } = rowsOf(workload);
  const layer = 4 * hiddenSize * hiddenSize + 3 * hiddenSize * intermediateSize;
  return {
    weights: 2 * (tokens * numLayers * layer + predicted * hiddenSize * vocabulary),
    attention: 4 * pairs * numLayers * hiddenSize,
  };
}

/** Backward: twice the products with weights; in attention five products where forward has two. */
export function trainingFlop(workload, vocabulary) {
  const { weights, attention } = forward(workload, vocabulary);
  return 3 * weights + 3.5 * attention;
}

/** Rollout, scoring and backward: `asWritten`, and `computed` by an engine whose rollout is the scoring's forward pass. */
export function stepFlop(workload, vocabulary) {
  const { weights, attention } = forward(workload, vocabulary);
  const computed = trainingFlop(workload, vocabulary);
  return { asWritten: weights + attention + computed, computed };
}
