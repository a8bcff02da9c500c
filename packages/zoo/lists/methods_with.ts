/** The methods of the core, with those of the zoo that are loaded, and the names of all of them. */
import type { DemonstrationMethod, Method } from '../../../src/methods/method.ts';
import type { MethodList, PointMethods } from '../../../src/methods/method_list.ts';
import { eachPoint, type MethodPoint } from '../../../src/methods/stage.ts';
import { CORE_METHODS } from '../../../src/methods/usual_methods.ts';
import { METHODS } from '../made/names.ts';

const names: MethodList['names'] = {
  ...eachPoint((point) => [...CORE_METHODS.names[point], ...METHODS[point].names]),
  demonstrations: METHODS.demonstrations.names,
};

export function methodsWith(
  loaded: Readonly<Partial<Record<MethodPoint, readonly Method<unknown>[]>>>,
  demonstrations: readonly DemonstrationMethod[],
): MethodList {
  const at = eachPoint((point) => [...CORE_METHODS.at[point], ...(loaded[point] ?? [])]) as unknown as PointMethods; // each point has its own
  return { at, demonstrations, names, own: {} };
}
