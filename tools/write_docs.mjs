/** `npm run docs`, and part of the build: the pages of docs/reference that git ignores, from dist/. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { madePages } from '../dist/catalogue/made_pages.js';
import { commandsPage } from '../dist/cli/command_page.js';
import { COMMANDS } from '../dist/cli/program.js';
import { GENERATED_FOLDER, generatedPages } from './generated_pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const folder of ['api', 'methods']) {
  rmSync(join(root, GENERATED_FOLDER, folder), { recursive: true, force: true });
}
for (const [path, page] of generatedPages({ madePages, commandsPage, COMMANDS })) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), page);
}
