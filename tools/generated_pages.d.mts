import type { TrlKeys } from '../src/catalogue/trl_table.ts';

/** Where the generated pages go, from the root. */
export const GENERATED_FOLDER: string;

/** By path from the root, the text of each page. */
export function generatedPages(madePages: (trl: TrlKeys) => ReadonlyMap<string, string>): Map<string, string>;
