/** What npm publishes, checked by machines: packed, linted, installed into an empty folder, and used there. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { build, createLogger } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewOf } from '../../../../test/support/budget.ts';
import { deadLinks, pagesIn } from '../../../../test/support/page_links.ts';
import { ENGINE } from '../../../../tools/engine_bundle.mjs';
import { temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** `npm run size` lists what takes the room. */
const MOST_BYTES = 3_000_000;

const PAGE_OF_BROWSERS = readFileSync(join(ROOT, 'docs/browser.md'), 'utf8');

const folder = temporaryFolder();
/** An empty project that the package is installed into. */
const home = temporaryFolder();
let tarball: string;

function npm(directory: string, ...words: readonly string[]): string {
  return execFileSync('npm', words, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  // Without scripts: the suite has just built, and `prepare` would compile the WebAssembly once more.
  execFileSync(process.execPath, ['tools/write_docs.mjs'], { cwd: ROOT });
  const packed = npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder.path);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  tarball = join(folder.path, filename);
  writeFileSync(join(home.path, 'package.json'), '{"type": "module", "private": true}');
  npm(home.path, 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball);
}, 120_000);

afterAll(() => {
  folder.remove();
  home.remove();
}, 60_000);

describe('the package', () => {
  it(`has fewer than ${MOST_BYTES / 1e6} MB`, () => {
    expect(statSync(tarball).size).toBeLessThan(MOST_BYTES);
  });

  it('runs nothing when it is installed: npm warns of the scripts that would', () => {
    const { scripts } = JSON.parse(readFileSync(join(home.path, 'node_modules/rlvr-train/package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /^((pre|post)?install|prepare)$/.test(name))).toEqual([]);
  });

  it('has all files of the training page, whose engine is that of everyone', async () => {
    const installed = join(home.path, 'node_modules/rlvr-train');
    const serviceWorker = readFileSync(join(installed, 'web/dist/service_worker.js'), 'utf8');
    const folders = JSON.parse(/FILES_OF_THE_BUILD = (.*);/.exec(serviceWorker)?.[1] ?? '{}') as Record<string, string>;
    const files = Object.entries(folders).flatMap(([folder, names]) => names.split(' ').map((name) => folder + name));
    const engine = files.filter((file) => file.startsWith('engine-'));
    expect(engine.length).toBeGreaterThan(10);
    expect(engine.filter((file) => existsSync(join(installed, 'web/dist', file)))).toEqual([]);
    const ui = spawn(process.execPath, [join(installed, 'dist/cli/main.js'), 'ui', home.path]);
    try {
      const [said] = (await once(ui.stdout, 'data')) as [Buffer];
      const [address] = /http:\/\/\S+/.exec(said.toString()) ?? [];
      const answers = await Promise.all(files.map((file) => fetch(new URL(`train/${file}`, address))));
      expect(files.filter((_, i) => !answers[i].ok)).toEqual([]);
    } finally {
      ui.kill();
    }
  });

  it('has every file that its own files import', () => {
    const installed = join(home.path, 'node_modules/rlvr-train');
    const paths = ['dist', 'web/dist'].flatMap((folder) =>
      readdirSync(join(installed, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(installed, folder, path),
      ),
    );
    const imports = paths
      .filter((path) => /\.(js|d\.ts)$/.test(path))
      .flatMap((path) => importsOf(readFileSync(path, 'utf8')).map((target) => ({ path, target })));
    expect(imports.length).toBeGreaterThan(1000);
    const isThere = (file: string): boolean => existsSync(file) || existsSync(file.replace(/\.[jt]s$/, '.d.ts'));
    const missing = imports.filter(({ path, target }) => !isThere(join(dirname(path), target)));
    expect(missing.filter(({ target }) => !target.startsWith('./engine-'))).toEqual([]); // which the test above asks for
  });

  it('is bundled by Vite with the page that docs/browser.md shows, whatever form the worker has', async () => {
    const page = join(home.path, 'page');
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), '<!doctype html><script type="module" src="main.ts"></script>');
    const [, text = ''] = /^## In a page of your own\n+```ts\n([\s\S]*?)^```/m.exec(PAGE_OF_BROWSERS) ?? [];
    writeFileSync(join(page, 'main.ts'), text);
    for (const [format, most] of [
      ['iife', 10],
      ['es', 30],
    ] as const) {
      const said: string[] = [];
      const say = (line: string): unknown => said.push(line);
      const built = await build({
        root: page,
        configFile: false,
        logLevel: 'silent',
        customLogger: { ...createLogger('silent'), warn: say, warnOnce: say },
        worker: { format },
        build: { write: false, rolldownOptions: { checks: { pluginTimings: false } } },
      });
      if (Array.isArray(built) || !('output' in built)) throw new Error('one build, which is not watched');
      const files = built.output.map(({ fileName }) => fileName);
      expect(said, format).toEqual([]);
      expect(
        files.filter((name) => /^assets\/engine_worker-/.test(name)),
        format,
      ).toHaveLength(1);
      expect(files.length, format).toBeLessThanOrEqual(most);
    }
  }, 60_000);

  it('has every page and heading that its own pages link to; pictures stay in the repository, and pages of methods are made', () => {
    const installed = join(home.path, 'node_modules/rlvr-train');
    const pages = pagesIn(installed);
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/reference/keys.md']));
    const dead = pages.flatMap((page) => deadLinks(installed, page));
    const elsewhere = / → docs\/(?:\w+\.(?:png|svg)|reference\/methods\/[\w-]+\.md)$/;
    expect(dead.filter((link) => !elsewhere.test(link))).toEqual([]);
  });

  it('keeps what its package.json promises, says publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: ROOT, strict: true, pack: 'npm' });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  }, 60_000);

  it('gives TypeScript the types of what Node loads, says Are The Types Wrong', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (analysis.types === false) throw new Error('the package has no types');
    // It is ESM only, so `require` and resolution without `exports` cannot work and need not.
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem) || /esm|bundler/.test(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  }, 60_000);

  it('carries the licences of all that the engine of the browser bundles', async () => {
    const bundle = await rolldown(ENGINE);
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    const notices = readFileSync(join(home.path, 'node_modules/rlvr-train/dist/web/THIRD_PARTY_NOTICES.txt'), 'utf8');
    const bundled = packagesIn(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])));
    expect(bundled).toEqual(expect.arrayContaining(['fraction.js', 'yaml', 'zod']));
    expect(packagesNamed(notices)).toEqual(bundled);
  }, 60_000);

  it('and the page those of what it bundles itself, too', async () => {
    const built = await build({
      configFile: join(ROOT, 'web/vite.config.ts'),
      logLevel: 'silent',
      build: { write: false },
    });
    if (Array.isArray(built) || !('output' in built)) throw new Error('one build, which is not watched');
    const file = built.output.find(({ fileName }) => fileName === 'THIRD_PARTY_NOTICES.txt');
    if (file?.type !== 'asset') throw new Error('no notices');
    const own = packagesIn(built.output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : [])));
    expect(own).toContain('uplot');
    const ofTheEngine = readFileSync(join(ROOT, 'dist/web/THIRD_PARTY_NOTICES.txt'), 'utf8');
    expect(packagesNamed(String(file.source))).toEqual([...new Set([...own, ...packagesNamed(ofTheEngine)])].sort());
  }, 120_000);

  it('starts its command where it is installed, and is imported there with its types', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(npm(home.path, 'exec', '--offline', '--', 'rlvr-train', '--version').trim()).toBe(version);
    writeFileSync(join(home.path, 'use.ts'), CONSUMER);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = ['--module', 'nodenext', '--target', 'es2022', '--strict'];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const run = (...words: readonly string[]): string =>
      execFileSync(process.execPath, words, { cwd: home.path, encoding: 'utf8' });
    expect(run(compiler, ...flags, ...types, 'use.ts')).toBe('');
    expect(run('use.js').trim()).toBe('sorted 4 digits, 1 reward, step 1');
  }, 300_000);

  it('says which package a backend of TensorFlow.js needs, where none is installed', () => {
    for (const [backend, words] of fewOf(Object.entries(MISSING_TFJS), { quick: 1, all: 2 })) {
      const config = 'node_modules/rlvr-train/configs/sort-digits.yaml';
      const flags = ['--config', config, '--backend', backend, '--max-steps', '1'];
      const command = ['node_modules/rlvr-train/dist/cli/main.js', ...flags];
      const { status, stderr } = spawnSync(process.execPath, command, { cwd: home.path, encoding: 'utf8' });
      expect(stderr, backend).toContain(words);
      expect(stderr, backend).not.toMatch(/^ +at /m);
      expect(status, backend).not.toBe(0);
    }
  }, 300_000);
});

/** What a file imports of its own package, or starts as a worker. Examples in comments are none. */
function importsOf(code: string): string[] {
  const text = code.replace(/\/\*[\s\S]*?\*\//g, '');
  const places = /(?:\bfrom|\bimport|new Worker\(new URL)\s*\(?\s*(["'`])(\.[^"'`$]+)\1/g;
  return [...text.matchAll(places)].map(([, , path = '']) => path);
}

/** The packages that modules of a bundle come from, by name. */
function packagesIn(modules: readonly string[]): string[] {
  const names = modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** The packages that notices have a section of, each with the text of a licence. */
function packagesNamed(notices: string): string[] {
  return notices
    .split(/^=+$/m)
    .slice(1)
    .map((section) => {
      expect(section).toMatch(/permission|licen[cs]e/i);
      expect(section.length).toBeGreaterThan(500);
      return /^\s*(\S+) \d+\./.exec(section)?.[1] ?? section;
    })
    .sort();
}

const COMPILERS = ['typescript-5.9', 'typescript-7'];
const LIBRARIES = { 'without DOM': ['ES2022'], 'with DOM': ['ES2022', 'DOM'] };
const RESOLUTIONS = { nodenext: 'nodenext', bundler: 'esnext' };

/** Every way in which a project that has installed the package and nothing else may compile against it. */
const PROJECTS = COMPILERS.flatMap((compiler) =>
  Object.entries(LIBRARIES).flatMap(([library, lib]) =>
    Object.entries(RESOLUTIONS).map(([moduleResolution, module]) => ({
      name: `${compiler} ${library}, ${moduleResolution}`,
      compiler,
      hasDom: lib.includes('DOM'),
      options: { lib, module, moduleResolution },
    })),
  ),
);

describe('an empty project, strict with unchecked indices refused, whose libraries are checked too', () => {
  it.each(fewOf(PROJECTS, { quick: 3, all: 3 }))(
    'compiles every entry point and the examples: $name',
    ({ compiler, hasDom, options }) => {
      const files = {
        'entries.ts': ENTRY_POINTS.map((path, i) => `import * as e${i} from '${path}';\nvoid e${i};\n`).join(''),
        ...Object.assign({}, ...PAGES.map((page) => examplesOf(page, hasDom))),
        ...(hasDom
          ? { 'browser.ts': BROWSER }
          : { 'console.d.ts': 'declare const console: { log(...data: unknown[]): void };' }),
      };
      expect(compile(compiler, options, files)).toEqual([]);
    },
    120_000,
  );

  it('compiles rlvr-train/tfjs where TensorFlow.js is installed, but for what its own declarations say', () => {
    const { options } = PROJECTS[2];
    symlinkSync(join(ROOT, 'node_modules/@tensorflow'), join(home.path, 'node_modules/@tensorflow'));
    try {
      const said = compile('typescript-5.9', options, { 'tfjs.ts': "export * from 'rlvr-train/tfjs';\n" });
      expect(said.filter((line) => /^(source|.*rlvr-train\/dist)/.test(line))).toEqual([]);
    } finally {
      unlinkSync(join(home.path, 'node_modules/@tensorflow'));
    }
  }, 120_000);
});

/** What a compiler says of the files, in a folder of their own within the project. */
function compile(compiler: string, options: object, files: Readonly<Record<string, string>>): string[] {
  const folder = join(home.path, 'source');
  mkdirSync(folder);
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const compilerOptions = {
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      target: 'es2022',
      types: [],
      ...options,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    const program = join(ROOT, 'node_modules', compiler, 'bin/tsc');
    const place = { cwd: home.path, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [program, '-p', folder], place);
    return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages that are written by hand; docs/reference is made of the source. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

it('every TypeScript that a page shows is among the examples', () => {
  const shown = PAGES.filter((page) => Object.keys(examplesOf(page, true)).length > 0);
  expect(shown).toEqual(
    expect.arrayContaining(['README.md', 'docs/own_task.md', 'docs/tutorial.md', 'docs/rewards.md']),
  );
});

/** The TypeScript of a page, a file per block. What opens a worker is for browsers, whose library knows one. */
function examplesOf(page: string, hasDom: boolean): Record<string, string> {
  const blocks = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```ts\n([\s\S]*?)^ *```/gm)];
  const texts = blocks.map(([, , text = '']) => text);
  return Object.fromEntries(
    texts.flatMap((text, i) =>
      hasDom || !text.includes('rlvr-train/web') ? [[`${basename(page, '.md').toLowerCase()}${i}.ts`, text]] : [],
    ),
  );
}

/** All but tfjs, which is for programs that have TensorFlow.js. */
const ENTRY_POINTS = ['', '/rewards', '/tasks', '/methods', '/node', '/web'].map((path) => `rlvr-train${path}`);

/** What a page gives of the browser's own: `navigator.gpu` where the compiler knows it, and a worker. */
const BROWSER = `
import { type AdapterSource, webgpuBackend } from 'rlvr-train';
import { openRunInWorker } from 'rlvr-train/web';

export const backend = async () => webgpuBackend((navigator as unknown as { gpu: AdapterSource }).gpu);
export const run = () => openRunInWorker({ yaml: '', name: 'mine', worker: () => new Worker('engine_worker.js') });
`;

/** What a backend of TensorFlow.js says where its packages, which are optional, are not installed. */
const MISSING_TFJS = {
  'tfjs:cpu': 'npm install @tensorflow/tfjs@4.22.0',
  'tfjs:wasm': 'npm install @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0',
  'tfjs:webgpu': 'npm install @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0 webgpu',
  'tfjs:tensorflow': 'npm install --ignore-scripts @tensorflow/tfjs-node@4.22.0',
};

/** Uses every entry point that needs no other package; compiled against the declarations that were installed. */
const CONSUMER = `
import { closeEngine, createTasks, openRun, parseConfig, type StepMetrics, train, wasmBackend } from 'rlvr-train';
import { fileStore } from 'rlvr-train/node';
import { combineRewards } from 'rlvr-train/rewards';
import { getTaskDefinition } from 'rlvr-train/tasks';

const yaml = 'task: {name: sort_digits, digits: 4}\\nmax_steps: 1\\nnum_generations: 2\\ngeneration_batch_size: 16\\n' +
  'model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 16}\\nreward_funcs: [positions]';
const { config } = parseConfig(yaml, { file: 'inline' });
const run = await openRun(config, await createTasks(config, { heldOutSample: 8 }), await wasmBackend({ threads: 1 }));
let last: StepMetrics | undefined;
for await (const event of train(run)) if (event.type === 'step') last = event.metrics;
await closeEngine(run.engine);
const [reward] = combineRewards([[1]], [1]);
const digits = String((await getTaskDefinition('sort_digits')).levels[0] && 4);
if ((await fileStore('.').exists('use.ts')) !== true) throw new Error('no store');
console.log(\`sorted \${digits} digits, \${reward} reward, step \${last?.step}\`);
`;
