/**
 * Bundles what tsc made in build/ into dist/, which is what npm publishes: Node starts the command from a dozen files sooner
 * than from a thousand. Entry points, and what a thread or process starts with, keep their places; what they have in
 * common lies in dist/parts/ once, so that the `rlvr-train` of a user's file is the one that runs it. Declarations are
 * copied: those that an entry point reaches, since `exports` hides the others from every compiler.
 *
 * Runs after tsc and before build_web.mjs, which adds the engine of the browser.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { entryPoints } from './api_pages.mjs';
import { kernelFiles, loadedByName } from './small_kernels.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'build');
const dist = join(root, 'dist');
/** Declarations keep the folders of the sources. */
const TYPES = join(dist, 'types');

/** Where a file of build/ goes in dist/: workspaces and the core lie side by side, and commands beside the frame of the command. */
const placeOf = (name) => name.replace(/^packages\/commands\//, 'cli/').replace(/^(?:src|packages)\//, '');
/** Without its extension, from the folder on. */
const nameIn = (folder, path) =>
  relative(folder, path)
    .split(sep)
    .join('/')
    .replace(/(\.d\.ts|\.js)$/, '');
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));

/** The one that browsers load: a bundle of its own, so that nothing of Node's comes along. */
const WEB = 'packages/web/index';
const COMMAND = 'packages/commands/command_line';
const MAIN = 'packages/commands/main';
const LIBRARY = 'packages/rlvr-train';
/** What needs least comes first: a module that several need at once lies in the part of the first of them. */
const PARTS = [
  ...[`${LIBRARY}/rewards`, `${LIBRARY}/tasks`, 'packages/zoo/methods/index', `${LIBRARY}/index`, `${LIBRARY}/node`],
  ...['packages/tfjs/index', COMMAND],
];
/** What the command, or the thread that a user's file is tried in, needs as a library's part does. */
const BASE = 'base';
/** Started for each of the user's files: what it needs and no library's part does lies by itself. */
const TRIAL = 'packages/plugins/threads/own_worker.node';
/** What threads load for rewards and verdicts: that of Node's part which they need lies apart from the library, after the part of rewards. */
const JUDGES = ['packages/plugins/threads/reward_role.node', 'packages/plugins/threads/judge_role.node'];
const JUDGING = 'judging';
/** Names of the zoo, and what loads what they mean: every config is read with them, and each entry needs those of its list. */
const NAMES = ['made/names', 'lists/rewards_with', 'lists/tasks_with', 'library'].map((name) => `packages/zoo/${name}`);
/** What a part needs of the zoo lies apart from it: a config that names nothing of the zoo loads nothing of it. */
const ofZoo = (part) => `${part}_zoo`;
const isOfZoo = (id) => nameIn(build, id).startsWith('packages/zoo/');
/** What every training loads beside the command lies apart from what else the library has: what both need, and the rest. */
const LOOP = 'loop';
const JOB = 'job';
const JOB_STARTS = [
  ...['packages/commands/training/whole_training', 'packages/plugins/open_plugins.node', 'packages/trackers/event_log'],
  ...['src/grpo/diagnose_training', 'packages/zoo/library', 'packages/zoo/diagnostics/catalogue'],
];
/** What it loads of the zoo and an entry of the library does, too. */
const SHARED_ZOO = 'shared_zoo';
/** `new Worker('…_worker.node')`, and the process that looks for a GPU. */
const STARTED_BY_PATH = /^packages[/](plugins|webgpu)[/].*_(worker|process)\.node$/;
const started = filesOf(build)
  .filter((path) => path.endsWith('.js'))
  .map((path) => nameIn(build, path))
  .filter((name) => STARTED_BY_PATH.test(name));
const entries = new Set([...PARTS, MAIN, ...started]);

const inBuild = (name) => join(build, `${name}.js`);
/** Left to Node, and to the bundler of a user; what rolldown adds for a tagged template is none of our packages. */
const isPackage = (id) => !/^([./\0]|@oxc-project[/])/.test(id) && !id.startsWith(build);

/** `import.meta.url` of a module stays that of its place, wherever its code lies. */
const PLACE = /__PLACE_([0-9a-f]+)__/g;
const places = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(build) || !code.includes('import.meta.url')) return null;
    const place = Buffer.from(`${placeOf(nameIn(build, id))}.js`).toString('hex');
    return { code: code.replaceAll('import.meta.url', `__PLACE_${place}__`), map: null };
  },
  renderChunk(code, { fileName }) {
    return code.replace(PLACE, (_, hex) => {
      const place = Buffer.from(hex, 'hex').toString();
      const path = posix.relative(posix.dirname(fileName), place);
      // A bundler of the page looks for this very text beside the worker's file.
      return posix.dirname(path) === '.' ? 'import.meta.url' : `new URL('${path}', import.meta.url).href`;
    });
  },
};

/** The builds of the kernels lie in the engine of the browser: Node loads the one that it runs from there. */
const ENGINE = 'web/engine';
/** In front of a file's name, until it is known which file imports it. */
const FROM_ENGINE = '__ENGINE__/';
const kernelsOfEngine = {
  name: 'kernels-of-engine',
  load(id) {
    if (id !== inBuild('src/kernels/wasm/binary')) return null;
    const files = kernelFiles();
    return loadedByName('./inflated.js', (name) => `${FROM_ENGINE}${files.get(name).file}`);
  },
  renderChunk: (code, { fileName }) =>
    code.includes(FROM_ENGINE)
      ? code.replaceAll(FROM_ENGINE, `${posix.relative(posix.dirname(fileName), ENGINE)}/`)
      : null,
};
/** Made of every definition it takes a second of a processor; so the command's lists read what was made for browsers. */
const WEB_PARTS = 'web/parts';
const FROM_WEB = '__WEB_PARTS__/';
const CATALOGUE = 'packages/zoo/catalogue/whole_catalogue';
const DATA = '__CATALOGUE__';
const catalogueOfWeb = {
  name: 'catalogue-of-web',
  load: (id) => (id === inBuild(CATALOGUE) ? `export { catalogue } from '${FROM_WEB}whole_catalogue.js';` : null),
  renderChunk: (code, { fileName }) =>
    code.includes(FROM_WEB)
      ? code.replaceAll(FROM_WEB, `${posix.relative(posix.dirname(fileName), WEB_PARTS)}/`)
      : null,
};
/** Without indentation, which takes 0.1 MB of the tarball; names stay, and a line is a declaration, for traces of errors. */
const flush = {
  name: 'a-line-a-statement',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      const { body } = this.parse(file.code);
      const before = file.code.slice(0, body[0]?.start ?? 0);
      file.code = `${before}${body.map(({ start, end }) => file.code.slice(start, end)).join('\n')}\n`;
    }
  },
};
const options = {
  external: isPackage,
  plugins: [places, kernelsOfEngine],
  // "sideEffects": false of package.json is said to bundlers of the library; the command is nothing but effects.
  treeshake: { moduleSideEffects: true },
  onLog(level, log, report) {
    if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return; // of the command; a library's user has it apart
    report(level, log);
  },
};
const format = { dir: dist, format: 'esm', entryFileNames: '[name].js', comments: false };
/**
 * For the files of Node: bundlers look in the others for texts as they were written. Names of locals go, a seventh of the
 * bytes; those that a trace of an error shows stay.
 */
const mangle = { toplevel: false, keepNames: true };
const compress = { keepNames: { function: true, class: true } };
const small = { minify: { compress, mangle, codegen: { removeWhitespace: true } }, plugins: [flush] };

const written = new Set([...(await bundleNode()), ...(await bundleWeb()), ...copyDeclarations()]);
for (const path of filesOf(dist)) {
  const isStale = /\.(js|d\.ts)$/.test(path) && !/^web[/]engine/.test(relative(dist, path).split(sep).join('/'));
  if (isStale && !written.has(path)) rmSync(path);
}

async function bundleNode() {
  mkdirSync(join(dist, ENGINE), { recursive: true });
  for (const { file, code } of kernelFiles().values()) writeFileSync(join(dist, ENGINE, file), code);
  const partOf = await parts();
  // A part takes along what its modules import, unless a part before it has that.
  const split = PARTS.indexOf(`${LIBRARY}/node`);
  const [early, late] = [PARTS.slice(0, split), PARTS.slice(split)];
  const groups = [
    BASE,
    TRIAL,
    ...early.slice(0, -1).toSpliced(1, 0, JUDGING),
    ...NAMES,
    ...[SHARED_ZOO, LOOP, ofZoo(LOOP), JOB, ofZoo(JOB)],
    ...early.slice(-1),
    ...early.map(ofZoo),
    ...late,
    ...late.map(ofZoo),
  ];
  const input = Object.fromEntries([...entries].map((name) => [placeOf(name), inBuild(name)]));
  return writeBundle(
    { ...options, platform: 'node', input, plugins: [...options.plugins, catalogueOfWeb] },
    (name) => `parts/${name}`,
    {
      groups: groups.map((part, index, { length }) => ({
        name:
          part === TRIAL
            ? 'thread'
            : placeOf(part)
                .replace(/[/](index|command_line)$/, '')
                .replace('rlvr-train/', ''),
        test: (id) => partOf.get(id) === part,
        priority: length - index,
      })),
    },
  );
}

/** What a config can name is data there: a page that lists it need not load tasks and methods for that. */
async function bundleWeb() {
  const { catalogue } = await import('../build/packages/zoo/catalogue/whole_catalogue.js');
  // The bundler writes texts in double quotes, and would escape each one within the JSON: a tenth more.
  const text = `'${JSON.stringify(catalogue()).replace(/[\\']/g, '\\$&')}'`;
  const asData = {
    name: 'catalogue-as-data',
    load: (id) => (id === inBuild(CATALOGUE) ? `export const catalogue = () => JSON.parse("${DATA}");` : null),
    generateBundle(_, files) {
      for (const file of Object.values(files)) file.code = file.code.replace(`"${DATA}"`, () => text);
    },
  };
  const input = { [placeOf(WEB)]: inBuild(WEB) };
  const plugins = [places, asData];
  return writeBundle({ ...options, platform: 'browser', input, plugins }, (name) => `${WEB_PARTS}/${name}`);
}

/** @returns the files */
async function writeBundle(input, placeOf, codeSplitting) {
  const bundle = await rolldown(input);
  const chunkFileNames = ({ name }) => `${placeOf(name)}.js`;
  const { output } = await bundle.write({
    ...format,
    chunkFileNames,
    ...(codeSplitting && { ...small, codeSplitting }),
  });
  await bundle.close();
  return output.map(({ fileName }) => join(dist, fileName));
}

/**
 * By module, the first of PARTS that needs it at once, and not on demand; but what the command needs to say its help lies
 * apart from the library's parts, which take ten times as long to load.
 */
async function parts() {
  const needs = await Promise.all(PARTS.map(async (name) => [name, await neededAtOnce(name)]));
  const forHelp = new Set(needs.find(([name]) => name === COMMAND)[1]);
  const found = new Map();
  const byLibrary = new Set(
    needs.filter(([name]) => ![`${LIBRARY}/node`, COMMAND].includes(name)).flatMap(([, ids]) => ids),
  );
  for (const id of await neededAtOnce(TRIAL)) found.set(id, byLibrary.has(id) || forHelp.has(id) ? BASE : TRIAL);
  for (const name of NAMES) found.set(inBuild(name), name);
  const byRewards = new Set(needs.find(([name]) => name === `${LIBRARY}/rewards`)[1]);
  for (const id of (await Promise.all(JUDGES.map(neededAtOnce))).flat())
    if (!found.has(id) && !byRewards.has(id)) found.set(id, byLibrary.has(id) || forHelp.has(id) ? BASE : JUDGING);
  const byJob = new Set((await Promise.all(JOB_STARTS.map(neededAtOnce))).flat());
  for (const name of JOB_STARTS) byJob.add(inBuild(name));
  const split = needs.findIndex(([name]) => name === `${LIBRARY}/index`);
  for (const id of needs.slice(0, split).flatMap(([, ids]) => ids))
    if (!found.has(id) && byJob.has(id) && isOfZoo(id)) found.set(id, SHARED_ZOO);
  const byIndex = new Set(needs[split][1]);
  const ofJob = [
    [LOOP, [...byJob].filter((id) => byIndex.has(id))],
    [JOB, [...byJob]],
  ];
  for (const [name, ids] of needs.toSpliced(split, 0, ...ofJob)) {
    for (const id of ids)
      if (!found.has(id)) found.set(id, name !== COMMAND && forHelp.has(id) ? BASE : isOfZoo(id) ? ofZoo(name) : name);
  }
  return found;
}

/** The modules, without the entry itself. */
async function neededAtOnce(name) {
  const later = { name: 'later', resolveDynamicImport: (id) => ({ id, external: true }) };
  const alone = await rolldown({
    ...options,
    platform: 'node',
    input: inBuild(name),
    plugins: [...options.plugins, later],
  });
  const { output } = await alone.generate(format);
  await alone.close();
  // The command waits, at its top level, for all that it loads: what imports a part must not wait for it in turn.
  return output.flatMap(({ modules }) => Object.keys(modules)).filter((id) => id !== inBuild(name));
}

/** Those that some import, they import, and so on; what an example in a comment imports is none of them. @returns the copies */
function copyDeclarations() {
  const found = new Set(entryPoints().map(({ types }) => join(build, relative(TYPES, types))));
  for (const path of found) {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, target] of code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const next = join(dirname(path), target.replace(/\.[jt]s$/, '.d.ts'));
      if (!existsSync(next)) throw new Error(`${relative(root, path)} imports ${target}, which has no declarations`);
      found.add(next);
    }
  }
  return [...found].map((path) => {
    const copy = join(TYPES, relative(build, path));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(path, copy);
    return copy;
  });
}
