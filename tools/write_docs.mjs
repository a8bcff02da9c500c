/**
 * `npm run docs`, and part of the build, from build/: the pages that git ignores, and configs/systems, which it does not, of
 * the table of published systems.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from '../build/packages/commands/command_page.js';
import { COMMANDS } from '../build/packages/commands/commands.js';
import { madePages } from '../build/packages/zoo/catalogue/made_pages.js';
import { systemConfig, systemsWithConfigs } from '../build/packages/zoo/catalogue/systems/system_config.js';
import { systemsPage } from '../build/packages/zoo/catalogue/systems/systems_page.js';
import { GENERATED_FOLDER, generatedPages } from './generated_pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const folder of ['api', 'methods']) {
  rmSync(join(root, GENERATED_FOLDER, folder), { recursive: true, force: true });
}
for (const [path, page] of generatedPages({ madePages, commandsPage, COMMANDS, systemsPage })) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), page);
}
const systems = join(root, 'configs/systems');
rmSync(systems, { recursive: true });
mkdirSync(systems);
for (const [name, system] of systemsWithConfigs()) writeFileSync(join(systems, `${name}.yaml`), systemConfig(system));
