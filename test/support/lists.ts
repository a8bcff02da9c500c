/** The lists that a test looks names up in: those of the core, or of the whole package; each folder of tests has a setup file that gives them. */
import type { Registries } from '../../src/config/registries.ts';

let given: Registries | undefined;

/** To be called by a setup file. */
export function useLists(registries: Registries): void {
  given = registries;
}

export function lists(): Registries {
  if (given === undefined) throw new RangeError('no setup file has given the lists');
  return given;
}
