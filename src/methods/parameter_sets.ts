/** The parameter sets that a run may hold besides the weights it trains. */

interface ParameterSetFacts {
  /** What a method gets from it, in words. */
  readonly says: string;
  /** scored: texts are scored under it; mixed: controllers only copy and mix it. */
  readonly use: 'scored' | 'mixed';
  /** It begins as a copy of the weights: at the start of each grpo stage that needs it, or of the run's first one. */
  readonly begins: 'each stage' | 'first stage';
}

/**
 * By name, in the order in which memory is planned and checkpoints are written: `reference`, the policy at the start of
 * the stage until something moves it; `first`, the policy at the start of the run's first grpo stage, which nothing
 * moves; `average`, which begins as `reference` does, and which controllers change.
 */
export const PARAMETER_SETS = {
  reference: { says: 'a reference policy: a second set of weights', use: 'scored', begins: 'each stage' },
  first: { says: 'the policy that the run began with: a set of weights', use: 'scored', begins: 'first stage' },
  average: { says: 'an average of policies: a set of weights', use: 'mixed', begins: 'each stage' },
} as const satisfies Record<string, ParameterSetFacts>;

/** A parameter set besides the trained one: `reference`, `first` or `average`. */
export type ParameterSet = keyof typeof PARAMETER_SETS;

/** Those that texts can be scored under. */
export type ScoredSet = {
  [Name in ParameterSet]: (typeof PARAMETER_SETS)[Name]['use'] extends 'scored' ? Name : never;
}[ParameterSet];

/** Every name, in the order of the table. */
export const PARAMETER_SET_NAMES = Object.keys(PARAMETER_SETS) as readonly ParameterSet[]; // its keys are the names
