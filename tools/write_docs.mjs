/** `npm run docs`: docs/reference.md, docs/keys.md, docs/metrics.md, a page per method in docs/methods and per entry point in docs/api, from dist/. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keysPage } from '../dist/cli/keys_page.js';
import { methodPage } from '../dist/cli/method_page.js';
import { metricsPage } from '../dist/cli/metrics_page.js';
import { referencePage } from '../dist/cli/reference_page.js';
import { catalogue } from '../dist/config/catalogue.js';
import { methodFacts } from '../dist/config/method_facts.js';
import { apiPages } from './api_pages.mjs';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const all = catalogue();
const facts = methodFacts();
writeFileSync(`${docs}reference.md`, referencePage(all));
const trl = JSON.parse(readFileSync(new URL('../test/golden/trl_keys.json', import.meta.url), 'utf8'));
writeFileSync(`${docs}keys.md`, keysPage(trl));
writeFileSync(`${docs}metrics.md`, metricsPage());
for (const folder of ['api', 'methods']) {
  mkdirSync(`${docs}${folder}`, { recursive: true });
  for (const file of readdirSync(`${docs}${folder}`)) rmSync(`${docs}${folder}/${file}`);
}
for (const [file, page] of apiPages()) writeFileSync(`${docs}api/${file}`, page);
for (const method of all.methods) {
  const does = all.points.find(({ name }) => name === method.point).does;
  writeFileSync(`${docs}methods/${method.name}.md`, methodPage(method, facts(method.name), does));
}
