/**
 * Reads the published systems of packages/zoo/catalogue/papers/*.yaml, and says them as a TypeScript module, so that neither the
 * command nor a page reads YAML to know them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

const CATALOGUE = fileURLToPath(new URL('../packages/zoo/catalogue/', import.meta.url));
const SHOWN_ROWS = new URL('../bench/results/systems.json', import.meta.url);
/** From the root. */
export const PAPERS_MODULE = 'packages/zoo/catalogue/systems/papers.ts';

const text = z.string().min(1, 'expected a text; leave the field out where there is none');
const names = z.string().regex(/^\S+( \S+)*$/, 'expected names, separated by one space each');

const lines = (field) =>
  z
    .string(`expected lines of a config, as a block of text: \`${field}: |\``)
    .regex(
      /^([a-z0-9_]+:.*\n( .*\n)*)+$/,
      'expected lines of a config, which begin with a key or go with the one above',
    )
    .transform((text) => text.trimEnd().split('\n'));

const row = z
  .strictObject({
    name: text,
    arxiv: z
      .string('expected the number in quotes')
      .regex(/^\d{4}\.\d{5}$/, 'expected four digits, a dot and five digits')
      .optional(),
    does: text.regex(/\.$/, 'expected a sentence, which ends in a full stop'),
    uses: names.optional(),
    keys: lines('keys').optional(),
    base: text.optional(),
    claims: z
      .string()
      .regex(/^((greedy|sampled|pass) (up|rises)|length (up|down|rises)|entropy up)$/, {
        error: 'expected a figure and where it moves, such as length down',
      })
      .optional(),
    needs: text.optional(),
    nearest: text.optional(),
    transfers: text.optional(),
    differs: text.optional(),
    why: text.optional(),
  })
  .refine(({ uses, why }) => (uses === undefined) !== (why === undefined), {
    path: ['uses'],
    error: 'expected what it is made of; or in its place `why`: why nothing of it is built',
  })
  .transform(({ uses = '', ...others }) => ({ ...others, uses }));

const mechanism = z.strictObject({ by: names, lacks: text.optional() });
const base = z.strictObject({ says: text, lines: lines('lines') });
const titles = z.record(z.string(), text);

/**
 * @param {string} folder with tables.yaml, the files that it names, mechanisms.yaml and bases.yaml
 * @returns what packages/zoo/catalogue/systems/papers.ts exports, by name
 * @throws {Error} where a file is not as tables.yaml says, with the file, the line, the row, the field and the value seen
 */
export function readPapers(folder = join(CATALOGUE, 'papers')) {
  const { systems, recipes } = read(folder, 'tables.yaml', titles);
  const ids = [systems, recipes].flatMap((tables) => Object.keys(tables));
  const files = [...ids, 'tables', 'mechanisms', 'bases'].map((id) => `${id}.yaml`);
  for (const file of readdirSync(folder)) {
    if (!files.includes(file))
      throw new Error(`${join(folder, file)}: tables.yaml does not name it; give it a title there`);
  }
  const subjectsOf = (tables) =>
    Object.entries(tables).map(([id, title]) => ({ title, systems: Object.values(read(folder, `${id}.yaml`, row)) }));
  return {
    SUBJECTS: subjectsOf(systems),
    RECIPE_SUBJECTS: subjectsOf(recipes),
    MECHANISMS: read(folder, 'mechanisms.yaml', mechanism),
    BASES: read(folder, 'bases.yaml', base),
    SHOWN: shownRows(),
  };
}

/** What `npm run systems` found, by config: of the figures that papers claim to move. */
function shownRows() {
  if (!existsSync(SHOWN_ROWS)) return {};
  const { rows } = JSON.parse(readFileSync(SHOWN_ROWS, 'utf8'));
  const trained = Object.entries(rows).filter(([, { own }]) => own !== undefined);
  return Object.fromEntries(
    trained.map(([name, { own, plain, claims }]) => {
      const of = (figures) =>
        Object.fromEntries(
          claims.flatMap((figure) =>
            figure in figures ? [[figure, figures[figure].map((x) => Number(x.toFixed(3)))]] : [],
          ),
        );
      const { seconds, start } = own;
      return [name, { own: { ...of(own), start: of(start), seconds }, plain: of(plain) }];
    }),
  );
}

/** The entries of a file, a list or a map, each as the schema reads it. */
function read(folder, file, schema) {
  const path = join(folder, file);
  const lineCounter = new LineCounter();
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter });
  const [error] = document.errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const rows = document.toJS() ?? [];
  return Object.fromEntries(
    Object.entries(rows).map(([id, value]) => {
      const { success, data, error } = schema.safeParse(value);
      if (success) return [id, data];
      const [{ path: field, message }] = error.issues;
      const node = document.getIn([id, ...field], true) ?? document.get(id, true);
      const { line } = lineCounter.linePos(node.range[0]);
      const seen = field.reduce((part, name) => part?.[name], value);
      const what = [value?.name ?? id, ...field].join(', ');
      throw new Error(`${path}:${line} (${what}): ${message}; it is ${JSON.stringify(seen)}`);
    }),
  );
}

/** The module's text: its types are checked against what the catalogue declares. */
export function papersModule(papers) {
  const types = {
    SUBJECTS: 'readonly Subject[]',
    RECIPE_SUBJECTS: 'readonly Subject[]',
    MECHANISMS: 'Readonly<Record<string, Mechanism>>',
    BASES: 'Readonly<Record<string, Base>>',
    SHOWN: 'Readonly<Record<string, Shown>>',
  };
  // Names of fields without their quotes, which are 3 kB of the package; within a text a quote comes after a backslash.
  const literal = (value) => JSON.stringify(value).replace(/(?<=[{,])"([a-z]+)":/g, '$1:');
  const values = Object.entries(papers).map(
    ([name, value]) => `export const ${name}: ${types[name]} = ${literal(value)};`,
  );
  const head = [
    '// Made by tools/made_modules.mjs of packages/zoo/catalogue/papers/. Do not edit.',
    "import type { Base, Mechanism, Shown, Subject } from './system.ts';",
    '',
  ];
  return `${[...head, ...values].join('\n')}\n`;
}
