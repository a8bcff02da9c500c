/** Metric, read by diagnostics: the share of a batch that a source filled with repeated problems, or others than it looks for. */
export const STARVED = 'starved';
