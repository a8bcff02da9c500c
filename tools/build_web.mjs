// Bundles the engine's worker of the browser (src/web/engine_worker.ts), so that a page without a bundler can start it:
// import maps do not reach into workers. Beside it lie the tasks, which a run loads by name. Runs after tsc, and replaces
// what that made of the entry. The licences of what is bundled lie beside it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { partsApart } from './parts_apart.mjs';
import { smallKernels } from './small_kernels.mjs';
import { smallYaml } from './small_yaml.mjs';
import { smallZod } from './small_zod.mjs';
import { NOTICES_FILE, noticesOf, packageFolders } from './third_party_notices.mjs';
import { withoutTexts } from './without_texts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/**
 * What a package imports where it finds itself in Node, which a browser never does; and engines that no page has:
 * SQLite with 1.5 MB, re2js with 0.3 MB, and a package that ships without the text of its licence.
 */
const LEFT_OUT = {
  module: 'export const createRequire = undefined;',
  '@sqlite.org/sqlite-wasm': "throw new Error('not in the page');",
  re2js: "throw new Error('not in the page');",
  '@cfworker/json-schema': "throw new Error('not in the page');",
};
const leftOut = {
  name: 'left-out',
  resolveId: (id) =>
    Object.hasOwn(LEFT_OUT, id.replace(/^node:/, '')) ? `\0left-out-${id.replace(/^node:/, '')}` : null,
  load: (id) => LEFT_OUT[/^\0left-out-(.+)$/.exec(id)?.[1]] ?? null,
};

const entry = `${root}src/web/engine_worker.ts`;
const engine = {
  input: entry,
  platform: 'browser',
  // The group below could not be as small under `strict`. Nothing may import the entry all the same, which is seen to at
  // the end: a bundler that renames a worker would start it twice.
  preserveEntrySignatures: 'allow-extension',
  plugins: [smallKernels, smallYaml, smallZod, withoutTexts, partsApart, leftOut],
  transform: { define: { PACKAGE_VERSION: JSON.stringify(version) } },
};
const atOnce = await loadedAtOnce();
const bundle = await rolldown(engine);
rmSync(`${root}dist/web/engine`, { force: true, recursive: true });
const { output } = await bundle.write({
  // In one file: a page that starts the engine waits for two, not for eighty.
  codeSplitting: {
    groups: [{ debugName: 'start', name: (id) => (atOnce.has(id) ? 'start' : null) }],
    includeDependenciesRecursively: false, // some are imported for what is left out of the group
  },
  dir: `${root}dist/web`,
  entryFileNames: 'engine_worker.js',
  chunkFileNames: 'engine/[name].js',
  format: 'esm',
  minify: true,
  comments: false, // licences lie beside it, and nothing is shaken out of it again
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

/**
 * The modules that the entry needs at once, and not on demand. An import that only the later part of a method uses is
 * none: what it names is left out where that part is.
 */
async function loadedAtOnce() {
  const later = { name: 'later', resolveDynamicImport: (id) => ({ id, external: true }) };
  const alone = await rolldown({ ...engine, plugins: [...engine.plugins, later] });
  const { output } = await alone.generate({ dir: `${root}dist/web`, format: 'esm' });
  await alone.close();
  return new Set(output.flatMap(({ modules }) => Object.keys(modules)).filter((id) => id !== entry));
}
