/** Sets of weights besides the trained one. */
import { PARAMETER_SETS, type ParameterSet } from '../parameter_sets.ts';
import type { Use } from './use.ts';

/** The set of this name. The reference is scored before the update. */
export function parameterSet(name: ParameterSet): Use {
  const { says } = PARAMETER_SETS[name];
  return { id: `set:${name}`, says, set: name, ...(name === 'reference' && { scoresBeforeUpdate: true }) };
}

/**
 * Averaged sets. An adapter is a product of two factors, and the product of their averages is not the average of their
 * products.
 */
export function averagedWeights(remedy: string): Use {
  return {
    id: `averaged-weights:${remedy}`,
    refusesAdapter: {
      code: 'averaged-adapter',
      rule: 'averages weights, and an adapter is a product of two factors, whose averages are another adapter',
      remedy,
    },
  };
}

/** The policy at the start of the stage, until a controller moves it. */
export const reference: Use = parameterSet('reference');
