/** `npm run docs`: docs/reference.md, docs/keys.md, docs/metrics.md and a page per method in docs/methods, from the definitions in dist/. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keysPage } from '../dist/cli/keys_page.js';
import { methodPage } from '../dist/cli/method_page.js';
import { metricsPage } from '../dist/cli/metrics_page.js';
import { referencePage } from '../dist/cli/reference_page.js';
import { catalogue } from '../dist/config/catalogue.js';
import { methodFacts } from '../dist/config/method_facts.js';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const all = catalogue();
const facts = methodFacts();
writeFileSync(`${docs}reference.md`, referencePage(all));
const trl = JSON.parse(readFileSync(new URL('../test/golden/trl_keys.json', import.meta.url), 'utf8'));
writeFileSync(`${docs}keys.md`, keysPage(trl));
writeFileSync(`${docs}metrics.md`, metricsPage());
mkdirSync(`${docs}methods`, { recursive: true });
for (const file of readdirSync(`${docs}methods`)) rmSync(`${docs}methods/${file}`);
for (const method of all.methods) {
  const does = all.points.find(({ name }) => name === method.point).does;
  writeFileSync(`${docs}methods/${method.name}.md`, methodPage(method, facts(method.name), does));
}
