// Bundles the engine's worker of the browser (src/web/engine_worker.ts), so that a page without a bundler can start it:
// import maps do not reach into workers. Beside it lie the tasks, which a run loads by name. Runs after tsc, and replaces
// what that made of the entry. The licences of what is bundled lie beside it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { methodsApart } from './methods_apart.mjs';
import { smallKernels } from './small_kernels.mjs';
import { smallYaml } from './small_yaml.mjs';
import { smallZod } from './small_zod.mjs';
import { NOTICES_FILE, noticesOf, packageFolders } from './third_party_notices.mjs';
import { withoutTexts } from './without_texts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const entry = `${root}src/web/engine_worker.ts`;
const bundle = await rolldown({
  input: entry,
  platform: 'browser',
  // The entry imports the engine, and nothing imports the entry: a bundler that renames a worker would start it twice.
  preserveEntrySignatures: 'strict',
  plugins: [smallKernels, smallYaml, smallZod, withoutTexts, methodsApart],
  transform: { define: { PACKAGE_VERSION: JSON.stringify(version) } },
});
rmSync(`${root}dist/web/engine_worker.js`, { force: true });
rmSync(`${root}dist/web/engine`, { force: true, recursive: true });
let atOnce;
/** Whether the entry loads a module at once, and not when it is needed. */
const isLoadedAtOnce = (id, graph) => {
  atOnce ??= reachedFrom(entry, graph);
  return atOnce.has(id);
};
const { output } = await bundle.write({
  // In one file: a page that starts the engine waits for two, not for eighty.
  codeSplitting: {
    groups: [{ debugName: 'start', name: (id, graph) => (isLoadedAtOnce(id, graph) ? 'start' : null) }],
  },
  dir: `${root}dist/web`,
  entryFileNames: 'engine_worker.js',
  chunkFileNames: 'engine/[name].js',
  format: 'esm',
  minify: true,
});
await bundle.close();
const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync(`${root}dist/web/${NOTICES_FILE}`, noticesOf(packageFolders(modules)));
for (const { fileName, imports = [], dynamicImports = [] } of output) {
  const outside = [...imports, ...dynamicImports].filter(
    (name) => name === 'engine_worker.js' || !/^engine[/]/.test(name),
  );
  if (outside.length > 0) throw new Error(`${fileName} of the worker imports ${outside.join(', ')}`);
}

// What a config can name, as data: a page that lists it need not load tasks and methods for that.
const { catalogue } = await import('../dist/catalogue/catalogue.js');
writeFileSync(
  `${root}dist/web/catalogue.js`,
  "export const loadCatalogue = async () => (await import('./catalogue_data.js')).catalogue;\n",
);
const data = JSON.stringify(JSON.stringify(catalogue()));
writeFileSync(`${root}dist/web/catalogue_data.js`, `export const catalogue = JSON.parse(${data});\n`);

/** The modules that one imports, they import, and so on, without those that are loaded when they are needed. */
function reachedFrom(start, graph) {
  const found = new Set();
  const left = [start];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    for (const next of graph.getModuleInfo(id)?.importedIds ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      left.push(next);
    }
  }
  return found;
}
