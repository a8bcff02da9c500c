/** What a token of a sequence is to the loss. The sampler says it and methods decide by it, so it belongs to no room. */

/**
 * sampled: drawn by the policy; it has a loss.
 * given: forced, observed or inherited from another sequence; it has none.
 * reference: trained on although the policy did not draw it; it has a loss.
 */
export const TOKEN = { sampled: 0, given: 1, reference: 2 } as const;
