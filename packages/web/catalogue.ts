/** What a config can name, for the controls of a page. */
import type { Catalogue } from '../zoo/catalogue/catalogue.ts';

/**
 * Everything that a config can name, with its options. In the package it is data in a file of its own, which is loaded at
 * the first call: tools/build_dist.mjs puts it in the place of what is imported here.
 */
export async function loadCatalogue(): Promise<Catalogue> {
  const { catalogue } = await import('../zoo/catalogue/whole_catalogue.ts');
  return catalogue();
}
