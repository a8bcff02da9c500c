/** The pages that `npm run docs` writes into docs/reference, from dist/: tasks, rewards, methods, keys, metrics, commands, exports. */
import { readFileSync } from 'node:fs';
import { apiPages } from './api_pages.mjs';

/** Where they go, from the root. */
export const GENERATED_FOLDER = 'docs/reference';

/** By path from the root, the text of each page. @param made  of the sources or of dist/ */
export function generatedPages({ madePages, commandsPage, COMMANDS }) {
  const trl = JSON.parse(readFileSync(new URL('../test/golden/trl_keys.json', import.meta.url), 'utf8'));
  const exported = [...apiPages()].map(([file, page]) => [`api/${file}`, page]);
  return new Map(
    [...madePages(trl), ['commands.md', commandsPage(COMMANDS)], ...exported].map(([path, page]) => [
      `${GENERATED_FOLDER}/${path}`,
      page,
    ]),
  );
}
