/** The outputs that are asked for by name, beside log-probs and entropies, which every scoring gives. */
export const OUTPUT_NAMES = ['distributions', 'hidden'] as const;

/** An output that a policy gives where its capacity has room for it. */
export type OutputName = (typeof OUTPUT_NAMES)[number];
