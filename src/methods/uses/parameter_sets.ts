/** Sets of weights beside the one that is trained. */
import { PARAMETER_SETS, type ParameterSet } from '../parameter_sets.ts';
import type { Use } from './use.ts';

/** The set of this name. The reference is scored before the update. */
export function parameterSet(name: ParameterSet): Use {
  const { says } = PARAMETER_SETS[name];
  return { id: `set:${name}`, says, set: name, ...(name === 'reference' && { scoresBeforeUpdate: true }) };
}

/** The policy at the start of the stage, until a controller moves it. */
export const reference: Use = parameterSet('reference');
