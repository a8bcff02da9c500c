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
 * What is loaded on demand, by what is asked for: as modules it would be some 400 files, each of them one of a page of one's
 * own. A module belongs to a file where one of these is imported on demand, and what it needs with it.
 */
const ON_DEMAND = [
  [/[\\/]diagnostics[\\/]\w+\.ts$|[\\/]grpo[\\/]diagnose_training\.ts$/, 'early'],
  [/[\\/]kernels[\\/]wasm[\\/]/, 'engine'],
  [/[\\/]webgpu[\\/]/, 'backend'],
  [/[\\/]zoo[\\/](?:made|methods)[\\/]/, 'methods'],
  [/[\\/]zoo[\\/]data[\\/]/, 'tasks'],
];

/** What a module of two files lies in, if one of them is among these: they are the first to be loaded. */
const FIRST_LOADED = ['start', 'engine', 'early'];

/** What a visitor's first click trains, and the other jobs of the page, which wait for no file with more than they need. */
const first = await namedBy('sort-digits');
const others = await namedBy('reverse-text', 'countdown', 'environment');

/** By module, the files that need it. */
const known = new Map();

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
rmSync(`${root}dist/web/engine/left_out.js`);
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
 * page's; and the computed one is left alone. What is left out needs no file to say so.
 */
function forBundlers(code) {
  return code
    .replaceAll(/import\(`[./\w]*left_out\.js`\)/g, 'Promise.reject(Error(`not in the page`))')
    .replaceAll('import(`./', 'import(/*webpackMode:"eager"*/`./')
    .replaceAll('import(import.meta.url', 'import(/*webpackIgnore:true*//*turbopackIgnore:true*/import.meta.url');
}

/**
 * The file of the bundle that a module lies in; null where it has one of its own. What a module imports is of all files that
 * it is of itself, so that no two files can import each other.
 */
function fileOf(id, graph) {
  if (id.startsWith('\0kernels_')) return null;
  if (id.startsWith('\0left-out')) return 'left_out';
  const files = filesOf(id, graph);
  if (files.size < 2) return [...files][0] ?? null;
  return FIRST_LOADED.find((name) => files.has(name)) ?? 'shared';
}

/** The files that need a module. */
function filesOf(id, graph) {
  if (atOnce.has(id) || first.test(id)) return new Set(['start']);
  if (known.has(id)) return known.get(id);
  const files = new Set();
  known.set(id, files);
  const { importers = [], dynamicImporters = [] } = graph.getModuleInfo(id) ?? {};
  if (others.test(id)) files.add('early');
  else if (dynamicImporters.length > 0) files.add(ON_DEMAND.find(([pattern]) => pattern.test(id))?.[1] ?? 'rest');
  for (const importer of importers) {
    for (const file of filesOf(importer, graph)) files.add(file);
  }
  return files;
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
