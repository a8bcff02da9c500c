/**
 * The pages that `npm run docs` writes, from build/: into docs/reference tasks, rewards, methods, keys, metrics, commands and
 * exports; beside it, docs/systems.md.
 */
import { readFileSync } from 'node:fs';
import { apiPages } from './api_pages.mjs';
import { arenaLines, arenaWords } from './arena_lines.mjs';
import { methodReasoning } from './method_reasoning.mjs';

/** Where most of them go, from the root. */
export const GENERATED_FOLDER = 'docs/reference';

/** By path from the root, the text of each page. @param made  of the sources or of build/ */
export function generatedPages({ madePages, commandsPage, COMMANDS, systemsPage }) {
  const trl = JSON.parse(readFileSync(new URL('../test/golden/trl_keys.json', import.meta.url), 'utf8'));
  const exported = [...apiPages()].map(([file, page]) => [`api/${file}`, page]);
  const [reasoningOf, arenaOf] = [methodReasoning(), arenaLines()];
  const besideOf = (id) => ({ reasoning: reasoningOf(id), arena: arenaOf(id) });
  const reference = [...madePages(trl, besideOf), ['commands.md', commandsPage(COMMANDS)], ...exported];
  return new Map([
    ...reference.map(([path, page]) => [`${GENERATED_FOLDER}/${path}`, page]),
    ['docs/systems.md', systemsPage(arenaWords())],
  ]);
}
