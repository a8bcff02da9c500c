// Bundles the engine's worker of the browser (packages/web/engine_worker.ts), so that a page without a bundler can start it:
// import maps do not reach into workers. Beside it lie the tasks, which a run loads by name. Runs after tsc, and replaces
// what that made of the entry. The licences of what is bundled lie beside it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { ENGINE } from './engine_bundle.mjs';
import { NOTICES_FILE, noticesOf, packageFolders } from './third_party_notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The engine of the sandbox for JavaScript, of 0.5 MB: files that our page has and the package leaves out. So their places are
 * computed, or a bundler that copies what the worker imports would look for them. A page without them says so (`loadPeers`).
 */
const QUICKJS = /quickjs-singlefile-mjs-release-sync[\\/]dist[\\/](index|emscripten-module)[^\\/]*\.mjs$/;
const quickJsApart = {
  name: 'quickjs-apart',
  buildStart() {
    const id = '@jitl/quickjs-singlefile-mjs-release-sync/emscripten-module';
    this.emitFile({ type: 'chunk', id, fileName: 'engine/quickjs.js', preserveSignature: 'strict' });
  },
  transform(code, id) {
    const file = QUICKJS.exec(id)?.[1];
    if (file === undefined) return null;
    const loads = file === 'index' ? /import\("\.\/emscripten-module[^"]*"\)/ : /(?<=\?\?=)\w+\('((?:[^'\\]|\\.)*)'\)/s;
    const [loading, text] = loads.exec(code) ?? [];
    if (loading === undefined) throw new Error(`${id} loads its engine in another way than this reads`);
    const beside = (name) => `import.meta.url.replace(/[^/]*$/, '${name}')`;
    if (file === 'index') return { code: code.replace(loading, `import(${beside('quickjs.js')})`), map: null };
    // As text in the script, its WebAssembly would be a tenth more to load.
    this.emitFile({ type: 'asset', fileName: 'engine/quickjs.wasm', source: bytesOf(text) });
    const fetched = `fetch(${beside('quickjs.wasm')}).then(async (file) => new Uint8Array(await file.arrayBuffer()))`;
    return { code: code.replace(loading, () => fetched), map: null };
  },
};

/** What emscripten wrote into a literal: the low byte of each character. */
function bytesOf(literal) {
  return Uint8Array.from(new Function(`return '${literal}'`)(), (character) => character.charCodeAt(0));
}

/**
 * What a config names, each loaded when it is: some 380 modules, which would be as many files in the build of a
 * page of one's own. A file of the bundle has the methods of a point of a step, or the tasks of a first letter.
 */
const NAMED = [
  /[\\/]zoo[\\/]methods[\\/](\w+)[\\/]\w+\.ts$/,
  /[\\/]zoo[\\/]data[\\/]tasks[\\/](\w)\w*[\\/]/,
  /[\\/]zoo[\\/](rewards)[\\/]functions[\\/]/,
];

/** What is said of a run under way, loaded with the first thing that there is to say it of. */
const SAID = /[\\/]diagnostics[\\/]\w+\.ts$|[\\/]grpo[\\/]diagnose_training\.ts$/;

/** What a visitor's first click trains, and the other jobs of the page, which wait for no file with more than they need. */
const first = await namedBy('sort-digits');
const others = await namedBy('reverse-text', 'countdown', 'environment');

const atOnce = await loadedAtOnce();
const bundle = await rolldown({ ...ENGINE, plugins: [...ENGINE.plugins, quickJsApart] });
rmSync(`${root}dist/web/engine`, { force: true, recursive: true });
const { output } = await bundle.write({
  // In one file: a page that starts the engine waits for two, not for eighty.
  codeSplitting: {
    groups: [{ debugName: 'files', name: fileOf }],
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
for (const { fileName, code } of output) {
  if (code !== undefined) writeFileSync(`${root}dist/web/${fileName}`, forBundlers(code));
}
const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync(`${root}dist/web/${NOTICES_FILE}`, noticesOf(packageFolders(modules)));
requireNoCircle(new Map(output.map(({ fileName, imports = [] }) => [fileName, imports])));
for (const { fileName, imports = [], dynamicImports = [] } of output) {
  const outside = [...imports, ...dynamicImports].filter(
    (name) => name === 'engine_worker.js' || !/^engine[/]/.test(name),
  );
  if (outside.length > 0) throw new Error(`${fileName} of the worker imports ${outside.join(', ')}`);
}

/**
 * Comments for webpack and Turbopack on imports on demand, after the minifier has taken all comments: those of the
 * engine's own files go into the worker's one, as Vite and esbuild do by themselves, where each would be a file of the
 * page's; and the computed one is left alone.
 */
function forBundlers(code) {
  return code
    .replaceAll('import(`./', 'import(/*webpackMode:"eager"*/`./')
    .replaceAll('import(import.meta.url', 'import(/*webpackIgnore:true*//*turbopackIgnore:true*/import.meta.url');
}

/** The file of the bundle that a module lies in; null where rolldown decides. */
function fileOf(id, graph) {
  if (atOnce.has(id) || first.test(id)) return 'start';
  if (SAID.test(id)) return 'said';
  if (others.test(id) || !/[\\/](?:src|packages)[\\/]/.test(id)) return null;
  const importers = graph.getModuleInfo(id)?.importers ?? [];
  if (importers.some((one) => atOnce.has(one))) return 'start'; // called there by others alone
  const named = NAMED.map((pattern) => pattern.exec(id)?.[1].replaceAll(/\W/g, '_')).find((name) => name !== undefined);
  // What the modules of one file alone import lies with them, and what those of several do in none of theirs.
  const files = new Set(importers.filter((one) => !atOnce.has(one)).map((one) => fileOf(one, graph)));
  if (files.size === 0) return named ?? null;
  const [only] = files;
  return files.size === 1 && (named === undefined || named === only) ? only : null;
}

/** The files of the tasks and methods that shipped configs name. */
async function namedBy(...configs) {
  const { parseConfig } = await import('../build/packages/rlvr-train/index.js');
  const plugins = configs.flatMap((name) => {
    const file = `${root}configs/${name}.yaml`;
    const { tasks, stages } = parseConfig(readFileSync(file, 'utf8'), { file }).config;
    const ofStages = stages.flatMap(({ methods = {} }) => Object.values(methods).flat());
    return [...tasks.map(({ task }) => task), ...ofStages];
  });
  const names = plugins.map(({ name }) => name.replaceAll('-', '_')).join('|');
  return new RegExp(`[\\\\/](?:methods|tasks)[\\\\/]\\w+[\\\\/](?:${names})\\.ts$`);
}

/**
 * The modules that the entry needs at once, and not on demand. An import that only the later part of a method uses is
 * none: what it names is left out where that part is.
 */
async function loadedAtOnce() {
  const later = { name: 'later', resolveDynamicImport: (id) => ({ id, external: true }) };
  const alone = await rolldown({ ...ENGINE, plugins: [...ENGINE.plugins, later] });
  const { output } = await alone.generate({ dir: `${root}dist/web`, format: 'esm' });
  await alone.close();
  return new Set(output.flatMap(({ modules }) => Object.keys(modules)).filter((id) => id !== ENGINE.input));
}

/** Files that import each other may run before what they need. @param importsOf of each file */
function requireNoCircle(importsOf) {
  const done = new Set();
  const visit = (file, path) => {
    if (path.includes(file)) throw new Error(`files of the worker import each other: ${[...path, file].join(' > ')}`);
    if (done.has(file)) return;
    for (const next of importsOf.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of importsOf.keys()) visit(file, []);
}
