/**
 * `node tools/count_systems.mjs`, after a build: how many of the published systems run here, which of their parts are in no
 * config of theirs, and for how many systems each such part is the last one.
 */
import { RECIPE_SUBJECTS } from '../build/packages/zoo/catalogue/systems/papers.js';
import { systemStates } from '../build/packages/zoo/catalogue/systems/system_state.js';
import { countsText } from '../build/packages/zoo/catalogue/systems/systems_page.js';
import { SYSTEMS } from '../build/packages/zoo/catalogue/systems/table.js';

const of = systemStates();
const states = SYSTEMS.map((system) => of(system));
const isThere = ({ at, lacks }) => (at === 'lines' || at === 'default') && lacks === undefined;

console.log(countsText(states));
const numbers = SYSTEMS.filter(({ arxiv }) => arxiv !== undefined).length;
console.log(`${numbers} of ${SYSTEMS.length} have an arXiv number.`);
const recipes = RECIPE_SUBJECTS.flatMap(({ systems }) => systems);
const run = recipes.filter((recipe) => of(recipe).status === 'run here').length;
console.log(`${recipes.length} recipes beside them: ${run} run here.`);

const lacking = new Map();
for (const { parts } of states) {
  const open = parts.filter((part) => !isThere(part));
  for (const { id, at } of open) {
    const { systems = 0, last = 0 } = lacking.get(id) ?? {};
    lacking.set(id, { isMissing: at === 'nowhere', systems: systems + 1, last: last + Number(open.length === 1) });
  }
}
console.log('\nparts that are missing, or not in a config: systems that name it, systems that lack it alone');
for (const [id, { isMissing, systems, last }] of [...lacking].sort(([, a], [, b]) => b.last - a.last)) {
  console.log(`  ${id}${isMissing ? '' : ' (here)'}: ${systems}, ${last}`);
}
