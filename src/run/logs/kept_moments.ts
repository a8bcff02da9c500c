/** The evaluations whose records are kept, each in a file of `evaluations/`. */
export const KEPT_MOMENTS = ['baseline', 'best', 'final'] as const;
export type KeptMoment = (typeof KEPT_MOMENTS)[number];
