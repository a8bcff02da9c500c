/** The pages of docs/reference that are made of the declarations: by path in that folder, as Markdown that ends in a newline. */

import { cataloguePage } from './catalogue_page.ts';
import { keysPage } from './keys_page.ts';
import { methodFacts } from './method_facts.ts';
import { type BesideDeclaration, methodPage } from './method_page.ts';
import { metricsPage } from './metrics_page.ts';
import type { TrlKeys } from './trl_table.ts';
import { catalogue } from './whole_catalogue.ts';

/**
 * @param trl  TRL's keys with their defaults, for the table of keys.md
 * @param besideOf  what the page of a method has that is not in its declaration
 */
export function madePages(trl: TrlKeys, besideOf?: (id: string) => BesideDeclaration): Map<string, string> {
  const all = catalogue();
  const facts = methodFacts();
  const pages = new Map([
    ['catalogue.md', cataloguePage(all)],
    ['keys.md', keysPage(trl)],
    ['metrics.md', metricsPage()],
  ]);
  for (const method of all.methods) {
    const does = all.points.find(({ name }) => name === method.point)?.does ?? '';
    pages.set(`methods/${method.name}.md`, methodPage(method, facts(method.name), does, besideOf?.(method.name)));
  }
  return pages;
}
