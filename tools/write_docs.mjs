/** `npm run docs`: docs/reference.md, docs/keys.md, docs/metrics.md, a page per method in docs/methods and per entry point in docs/api, from dist/. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '../dist/catalogue/catalogue.js';
import { keysPage } from '../dist/catalogue/keys_page.js';
import { methodFacts } from '../dist/catalogue/method_facts.js';
import { methodPage } from '../dist/catalogue/method_page.js';
import { metricsPage } from '../dist/catalogue/metrics_page.js';
import { referencePage } from '../dist/catalogue/reference_page.js';
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
