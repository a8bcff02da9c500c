/**
 * Which way imports point, as ARCHITECTURE.md draws it: the core (`src/`) room by room, and the workspaces (`packages/`),
 * which import the core and are imported by it never. Type-only imports count like any other: they show who knows whom.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pagesIn } from './support/page_links.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Files of the core that every room may import. */
const OPEN_TO_ALL = [
  'command_name.ts',
  'errors.ts',
  'finish_reason.ts',
  'format.ts',
  'package_folder.node.ts',
  'sandbox_engine.ts',
  'token_kinds.ts',
];
/** Sees every room below the command, and is imported by what begins a program. */
const CORE_REGISTRIES = 'core_registries.ts';

/** What each room of the core may import from, besides itself and the files open to all. */
// biome-ignore format: a table
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  kernels: [],
  http: [],
  options: [],
  parsing: ['options'],
  text: [],
  rewards: ['parsing', 'options', 'kernels', 'http'],
  data: ['rewards', 'parsing', 'text', 'options', 'kernels', 'http'],
  model: ['kernels'],
  // Decides how a policy learns; sees neither the policy nor a kernel.
  methods: ['data', 'rewards', 'options', 'kernels/philox.ts'],
  diagnostics: ['methods', 'options', 'kernels'],
  config: ['diagnostics', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  grpo: ['diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  planning: ['grpo', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  run: [
    'planning', 'grpo', 'diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels',
    'http',
  ],
  cli: [
    CORE_REGISTRIES, 'run', 'planning', 'grpo', 'diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards',
    'options', 'kernels',
  ],
};

/** The other workspaces that each imports; all of them import the core. */
const WORKSPACES: Readonly<Record<string, readonly string[]>> = {
  http: [],
  estimate: [],
  zoo: ['estimate', 'http'],
  models: ['http'],
  fleet: ['models'],
  webgpu: [],
  tfjs: ['webgpu'],
  trackers: ['http'],
  compare: ['trackers', 'zoo'],
  report: ['compare', 'fleet', 'trackers'],
  plugins: ['http', 'models', 'zoo'],
  serve: ['http', 'models', 'zoo'],
  web: ['estimate', 'fleet', 'models', 'trackers', 'webgpu', 'zoo'],
  commands: [
    'compare',
    'estimate',
    'fleet',
    'models',
    'plugins',
    'report',
    'serve',
    'tfjs',
    'trackers',
    'webgpu',
    'zoo',
  ],
  'rlvr-train': ['http', 'models', 'plugins', 'tfjs', 'trackers', 'webgpu', 'zoo'],
};

/** Where the command may write to a stream: the place that makes text printable, and what needs the stream itself. */
const WRITERS = ['src/cli/display/output.ts', 'packages/commands/display/live/writes.ts'];

interface Import {
  readonly target: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/**
 * Imports and re-exports of a module. `import { type T }` is a value import: under verbatimModuleSyntax it leaves
 * `import {}` behind, which still runs the module.
 */
function importsOf(path: string, text: string): Import[] {
  const at = (target: string): string => (target.startsWith('.') ? posix.join(posix.dirname(path), target) : target);
  const statements = text.matchAll(
    /^(?:import\s+(?:(?<type>type)\s+)?(?:[^'";]*?\bfrom\s+)?|export\s+(?:(?<exported>type)\s+)?[*{][^'";]*?\bfrom\s+)'(?<target>[^']+)'/gm,
  );
  const fixed = [...statements].map(({ groups = {} }): Import => {
    const isType = groups.type !== undefined || groups.exported !== undefined;
    return { target: at(groups.target), kind: isType ? 'type' : 'value' };
  });
  const later = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(
    ([, target]): Import => ({ target: at(target), kind: 'dynamic' }),
  );
  return [...fixed, ...later];
}

function filesOf(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.ts') && !/\/assembly\/|^packages\/[^/]+\/test\//.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

const core = filesOf('src');
const beside = existsSync(join(ROOT, 'packages')) ? filesOf('packages') : [];
const files = [...core, ...beside];
const isOwn = ({ target }: Import): boolean => /^(?:src|packages)\//.test(target);

/** The room of a file of the core; none of one that lies in none. */
const roomOf = (path: string): string => /^src\/(\w+)\//.exec(path)?.[1] ?? '';
const workspaceOf = (path: string): string | undefined => /^packages\/([^/]+)\//.exec(path)?.[1];

/** Edges that the tables do not allow, as `from → to`. */
function againstDirection(some: readonly SourceFile[]): string[] {
  const isAllowed = (path: string, target: string): boolean => {
    const [from, to] = [workspaceOf(path), workspaceOf(target)];
    if (to !== undefined) return from !== undefined && (from === to || WORKSPACES[from].includes(to));
    if (from !== undefined) return true;
    const [room, name] = [roomOf(path), target.slice('src/'.length)];
    if (room === '' || roomOf(target) === room || OPEN_TO_ALL.includes(name)) return true;
    return [roomOf(target), name].some((one) => ROOMS[room].includes(one));
  };
  return some.flatMap(({ path, imports }) =>
    imports.filter((one) => isOwn(one) && !isAllowed(path, one.target)).map(({ target }) => `${path} → ${target}`),
  );
}

/** Cycles of imports, each as its list of files. */
function cycles(some: readonly SourceFile[]): string[] {
  const next = new Map(some.map(({ path, imports }) => [path, imports.filter(isOwn).map(({ target }) => target)]));
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (finished.has(path) || way.includes(path)) return;
    for (const target of next.get(path) ?? []) visit(target, [...way, path]);
    finished.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}

/** What these files import, and what that imports, as far as such imports go. */
function reached(entries: readonly string[], follows: (kind: Import['kind']) => boolean): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { target, kind } of byPath.get(path)?.imports ?? []) if (follows(kind)) visit(target);
  };
  entries.forEach(visit);
  return seen;
}

it('imports point one way: workspaces → cli → run → grpo → config → methods, model → data → rewards → kernels', () => {
  expect(againstDirection(files)).toEqual([]);
});

it('every room and every workspace is in a table, and each of them has files', () => {
  expect([...new Set(core.map(({ path }) => roomOf(path)))].sort()).toEqual(['', ...Object.keys(ROOMS)].sort());
  const found = [...new Set(beside.map(({ path }) => workspaceOf(path)))].sort();
  expect(found).toEqual(beside.length === 0 ? [] : Object.keys(WORKSPACES).sort());
});

it('no module imports itself by a detour, and every relative import names a file', () => {
  expect(cycles(files)).toEqual([]);
  const missing = files.flatMap(({ path, imports }) =>
    imports
      .filter((one) => isOwn(one) && !existsSync(join(ROOT, one.target)))
      .map(({ target }) => `${path} → ${target}`),
  );
  expect(missing).toEqual([]);
});

/** Whether only Node ever loads the file. */
const isForNode = (path: string): boolean =>
  /^(?:src\/cli|packages\/commands)\/|\.node\.ts$/.test(path) || path === 'packages/rlvr-train/node.ts';

it('node: is for the command and files named *.node.ts, which a browser reaches by no import', () => {
  const others = files.filter(({ path }) => !isForNode(path));
  const found = others.filter(({ imports }) =>
    imports.some(({ target, kind }) => target.startsWith('node:') || (target.endsWith('.node.ts') && kind === 'value')),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
  const seen = reached(['packages/web/index.ts', 'packages/web/engine_worker.ts'], (kind) => kind !== 'type');
  expect([...seen].filter((target) => target.startsWith('node:') || target.endsWith('.node.ts'))).toEqual([]);
});

it('the loop and the command reach at once what is below them, and nothing that a config could name and has not', () => {
  const seen = reached(['src/grpo/trainer.ts', 'packages/commands/command_line.ts'], (kind) => kind === 'value');
  const zoo = [...seen].filter((path) => /^packages\/zoo\/(?:methods|data\/tasks|rewards)\//.test(path));
  expect(zoo).toEqual([]);
});

it('text leaves the command through cli/display/output.ts, which makes it printable', () => {
  const others = files.filter(({ path }) => /^(?:src\/cli|packages\/commands)\//.test(path) && !WRITERS.includes(path));
  const writing = others.filter(({ text }) => /\b(?:stdout|stderr)\.write\(|\bconsole\.\w+\(/.test(text));
  expect(writing.map(({ path }) => path)).toEqual([]);
});

const PAGES = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...pagesIn(ROOT, 'docs').filter((page) => !page.startsWith('docs/reference/')),
];

it.each(PAGES)('%s names only files that exist', (page) => {
  const named = readFileSync(join(ROOT, page), 'utf8').matchAll(
    /`((?:src|packages|test|configs|tools|bench|docs|examples|web)\/[\w./-]+)`/g,
  );
  const missing = [...named].map(([, path]) => path).filter((path) => !existsSync(join(ROOT, path)));
  // Pages on tasks of one's own show how an addition task would be made; docs/reference is built.
  expect(missing.filter((path) => !/addition|^docs\/reference\//.test(path))).toEqual([]);
});

it('the checks find an upward import and a cycle', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text, imports: importsOf(path, text) });
  const kernel = file('src/kernels/a.ts', "import type { Policy } from '../model/b.ts';");
  const model = file('src/model/b.ts', "import { c } from './c.ts';\nimport { RlvrError } from '../errors.ts';");
  const back = file(
    'src/model/c.ts',
    "export {\n  b,\n} from './b.ts';\nconst zoo = import('../../packages/zoo/d.ts');",
  );
  expect(againstDirection([kernel, model, back])).toEqual([
    'src/kernels/a.ts → src/model/b.ts',
    'src/model/c.ts → packages/zoo/d.ts',
  ]);
  expect(cycles([kernel, model, back])).toEqual(['src/model/b.ts → src/model/c.ts → src/model/b.ts']);
});
