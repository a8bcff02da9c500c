/**
 * The rooms of src/ and the direction of their imports, as ARCHITECTURE.md draws them. Type-only imports count like any
 * other, for direction and for cycles: they show who knows whom.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { UNSUPPORTED_TRL_KEYS } from '../src/config/keys/trl_keys.ts';
import { SENT_TRACKERS } from '../src/config/tracker_cards.ts';
import { METHOD_POINTS } from '../src/methods/stage.ts';
import { DEMONSTRATIONS, METHODS } from './support/everything.ts';
import { pagesIn } from './support/page_links.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const MOST_LINES = 400;

/** Files outside the rooms that every room may import. */
const OPEN_TO_ALL = [
  'command_name.ts',
  'errors.ts',
  'finish_reason.ts',
  'format.ts',
  'sandbox_engine.ts',
  'token_kinds.ts',
];
/** What users import: sees every room, and is imported by none. */
const ENTRY_POINTS = ['core_registries.ts', 'index.ts', 'node.ts', 'rewards.ts', 'tasks.ts'];

/** What each room may import from, besides itself and the files open to all. */
// biome-ignore format: a table
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  kernels: [],
  // What is the same for every server that is asked.
  http: [],
  // One reader for the options of configs, methods, tasks and rewards.
  options: [],
  // What verifiers read answers with; knows no task.
  parsing: ['options'],
  rewards: ['parsing', 'options', 'kernels', 'http'],
  // Text to tokens and back; knows no task.
  text: [],
  // What a model's text is run in; knows no task.
  sandbox: ['options'],
  // A task's verifier is its own, made of the parsers; what it says is a verdict of rewards.
  data: ['sandbox', 'rewards', 'parsing', 'text', 'options', 'kernels', 'http'],
  model: ['kernels'],
  // What may decide how a policy learns; sees neither the policy nor a kernel.
  methods: ['data', 'rewards', 'options', 'kernels/philox.ts'],
  config: ['methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  // What keys, methods, rewards and metrics say of themselves, for help, pages and generated documentation.
  catalogue: ['zoo', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  // What is said of a run that does not learn: pure looks at records.
  diagnostics: ['config', 'methods', 'options', 'kernels'],
  grpo: ['diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  // How much a run takes, known before it starts.
  planning: ['grpo', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options', 'kernels'],
  // What the package has beyond the usual: lists of methods, tasks and rewards, loaded once a config names them.
  zoo: [
    'core_registries.ts', 'run', 'grpo', 'config', 'sandbox', 'methods', 'data', 'text', 'rewards', 'options', 'kernels',
  ],
  // Files of the user's own, loaded for what a config names.
  plugins: [
    'zoo', 'run/tracker.ts', 'run/reporter_event.ts', 'run/opened_config.ts', 'run/model/model_paths.node.ts', 'hub', 'config', 'methods', 'data', 'text', 'rewards', 'options',
    'kernels', 'http',
  ],
  // Ops for programs that use TensorFlow.js.
  tfjs: ['model', 'kernels'],
  // Models of the Hugging Face hub, fetched into its cache on this machine.
  hub: ['model', 'text', 'http'],
  // A run directory shown elsewhere: knows the logs, not the training.
  trackers: ['run', 'config', 'http'],
  run: [
    'hub', 'planning', 'grpo', 'diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards', 'options',
    'kernels', 'http',
  ],
  // Logs of other trainers, looked at with the diagnostics.
  foreign: ['run', 'diagnostics', 'config', 'methods'],
  // Runs beside each other, problem by problem.
  compare: ['run', 'config', 'methods', 'options', 'kernels/philox.ts'],
  // Rollouts in other processes.
  fleet: ['run', 'planning', 'grpo', 'model', 'kernels'],
  // A run directory as one page.
  report: ['compare', 'run', 'methods', 'config', 'data'],
  // The same session in a browser, its engine in a worker.
  web: [
    'zoo', 'catalogue', 'fleet', 'run', 'planning', 'grpo', 'diagnostics', 'config', 'methods', 'model', 'data', 'text', 'rewards',
    'options', 'kernels',
  ],
  cli: [
    'zoo', 'catalogue', 'compare', 'foreign', 'fleet', 'hub', 'report', 'trackers', 'run', 'planning', 'grpo', 'diagnostics', 'plugins', 'config', 'methods',
    'model', 'data', 'text', 'rewards', 'options', 'kernels',
  ],
};

/** Where the command may write to a stream: the one place that makes text printable, and the two that need the stream. */
const WRITERS = ['cli/display/output.ts', 'cli/display/live/writes.ts', 'cli/process/gpu_probe_process.ts'];

interface Import {
  readonly target: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

interface SourceFile {
  /** Relative to src/, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly lines: number;
}

/**
 * Imports and re-exports of a module, wherever the formatter broke the line. `import { type T }` is a value import:
 * under verbatimModuleSyntax it leaves `import {}` behind, which still runs the module.
 */
function importsOf(text: string): Import[] {
  const statements = text.matchAll(
    /^(?:import\s+(?:(?<type>type)\s+)?(?:[^'";]*?\bfrom\s+)?|export\s+(?:(?<exported>type)\s+)?[*{][^'";]*?\bfrom\s+)'(?<target>[^']+)'/gm,
  );
  const fixed = [...statements].map(({ groups = {} }): Import => {
    const isType = groups.type !== undefined || groups.exported !== undefined;
    return { target: groups.target, kind: isType ? 'type' : 'value' };
  });
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(
    ([, target]): Import => ({ target, kind: 'dynamic' }),
  );
  return [...fixed, ...dynamic];
}

/** Relative imports as paths from src/; bare ones as they are. */
function resolved(from: string, { target, kind }: Import): Import {
  return { target: target.startsWith('.') ? posix.join(posix.dirname(from), target) : target, kind };
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SOURCE, path), 'utf8');
  return { ...example(path, text), lines: text.split('\n').length - 1 };
}

/** All modules of src/. Not read: generated binaries. The AssemblyScript sources are for `wasm` what C would be. */
function sources(): SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.ts') && !path.includes('/assembly/') && !path.endsWith('/binaries.ts'))
    .sort()
    .map(readSource);
}

const isOwn = ({ target }: Import): boolean => target.endsWith('.ts');

function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** Edges that the rooms do not allow, as `from → to`; types count like values. */
function againstDirection(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) => {
    const room = roomOf(path);
    const allowed = ENTRY_POINTS.includes(path) ? Object.keys(ROOMS) : (ROOMS[room] ?? []);
    const isAllowed = (target: string): boolean =>
      (!ENTRY_POINTS.includes(target) || allowed.includes(target)) &&
      (roomOf(target) === room || allowed.includes(roomOf(target)) || allowed.includes(target));
    return imports
      .filter((found) => isOwn(found) && !OPEN_TO_ALL.includes(found.target))
      .filter(({ target }) => !isAllowed(target))
      .map(({ target }) => `${path} → ${target}`);
  });
}

/** Cycles of imports, each as its list of files. */
function cycles(files: readonly SourceFile[]): string[] {
  const next = new Map(files.map(({ path, imports }) => [path, imports.filter(isOwn).map(({ target }) => target)]));
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

/** Whether only Node ever loads the file. */
function isForNode(path: string): boolean {
  return roomOf(path) === 'cli' || path === 'node.ts' || path.endsWith('.node.ts');
}

const files = sources();

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

/** The files, of all or of some, whose text has this. */
const filesWith = (pattern: RegExp, some = files): string[] =>
  some.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** A module as the checks see it, for the tests of the checks. */
function example(path: string, text: string): SourceFile {
  return { path, text, imports: importsOf(text).map((found) => resolved(path, found)), lines: 1 };
}

it('imports point one way: cli → run → planning → grpo → config → methods, model → data → rewards → kernels', () => {
  expect(againstDirection(files)).toEqual([]);
});

it('every folder of src/ is a room of the list, and every room has files', () => {
  expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual(['', ...Object.keys(ROOMS)].sort());
});

it('no module imports itself by a detour', () => {
  expect(cycles(files)).toEqual([]);
});

it('every relative import names a file that exists', () => {
  const known = new Set(files.map(({ path }) => path));
  const isKnown = (target: string): boolean =>
    known.has(target) || target.includes('/assembly/') || target === 'kernels/wasm/binaries.ts';
  const unknown = files.flatMap(({ path, imports }) =>
    imports.filter((found) => isOwn(found) && !isKnown(found.target)).map(({ target }) => `${path} → ${target}`),
  );
  expect(unknown).toEqual([]);
});

it('node: is imported only by src/cli, src/node.ts and files named *.node.ts', () => {
  const others = files.filter(({ path }) => !isForNode(path));
  const found = others.filter(({ imports }) => imports.some(({ target }) => target.startsWith('node:')));
  expect(found.map(({ path }) => path)).toEqual([]);
});

it('what a browser may load reaches *.node.ts only by a dynamic import', () => {
  const found = files.flatMap(({ path, imports }) =>
    isForNode(path) ? [] : imports.filter(({ target, kind }) => target.endsWith('.node.ts') && kind === 'value'),
  );
  expect(found).toEqual([]);
});

it('what rlvr-train/web and its worker load reaches no node: import, not even later', () => {
  const seen = reached(['web/index.ts', 'web/engine_worker.ts'], (kind) => kind !== 'type');
  expect(seen).toContain('kernels/webgpu/backend.ts');
  expect([...seen].filter((target) => target.startsWith('node:') || target.endsWith('.node.ts'))).toEqual([]);
});

it('a generator is loaded by the run that needs it: what is imported at once are the cards of the tasks', () => {
  const entries = ['index.ts', 'data/index.ts', 'cli/command_line.ts', 'web/index.ts', 'web/engine_worker.ts'];
  const seen = reached(entries, (kind) => kind === 'value');
  const ofTasks = [...seen].filter((path) => path.startsWith('data/tasks/'));
  expect(ofTasks).toContain('data/tasks/countdown/card.ts');
  expect(ofTasks.filter((path) => !path.endsWith('/card.ts'))).toEqual([]);
});

it(`no file of src/ has ${MOST_LINES} lines or more`, () => {
  const assembly = readdirSync(join(SOURCE, 'kernels/wasm/assembly')).filter((name) => name.endsWith('.ts'));
  const styles = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.css'));
  const others = [...assembly.map((name) => `kernels/wasm/assembly/${name}`), ...styles];
  const all = [...files, ...others.map(readSource)];
  expect(all.filter(({ lines }) => lines >= MOST_LINES).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

/** Files that one folder holds at most. */
const MOST_FILES = 25;

/** Folders of like things, where each file is one of a kind. */
const SHELVES = [
  /^kernels\/(?:reference|tfjs|wasm\/assembly|webgpu\/shaders)$/,
  /^methods\/\w+$/,
  /^rewards\/functions$/,
  /^data\/tasks$/,
  /^cli\/commands$/,
  /^cli\/actions$/,
];

it(`no folder of src/ holds more than ${MOST_FILES} files, but for shelves of like things`, () => {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));
  const counts = new Map<string, number>();
  for (const path of paths.filter((name) => /\.\w+$/.test(name))) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const tooFull = [...counts].filter(
    ([folder, count]) => count > MOST_FILES && !SHELVES.some((shelf) => shelf.test(folder)),
  );
  expect(tooFull.map(([folder, count]) => `${folder}: ${count}`)).toEqual([]);
});

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...pagesIn(ROOT, 'docs').filter((page) => !page.startsWith('docs/reference/')),
];

it.each(PAGES)('%s names only files that exist', (page) => {
  // CONTRIBUTING.md shows how the addition task would be made; docs/reference is built.
  const named = readFileSync(join(ROOT, page), 'utf8').matchAll(
    /`((?:src|test|configs|tools|bench|docs|examples|web)\/[\w./-]+)`/g,
  );
  const missing = [...named].map(([, path]) => path).filter((path) => !existsSync(join(ROOT, path)));
  expect(missing.filter((path) => !/addition|^docs\/reference\//.test(path))).toEqual([]);
});

it('the parser sees every form of import, and no text that looks like one', () => {
  const text = [
    "import { a } from './value.ts';",
    "import type { B } from './type.ts';",
    "import { type C, d } from './mixed.ts';",
    "import * as e from './star.ts';",
    "import './effect.ts';",
    'import {',
    '  f,',
    '  g,',
    "} from './broken_line.ts';",
    "export { h } from './again.ts';",
    "export type { I } from './type_again.ts';",
    "export * from './all.ts';",
    "const j = import('./later.ts');",
    "export const k = 'from';",
    " * import { l } from './comment.ts';",
    'export function m(): string {',
    "  return 'not from this';",
    '}',
  ].join('\n');
  expect(importsOf(text).map(({ target, kind }) => `${kind} ${target}`)).toEqual([
    'value ./value.ts',
    'type ./type.ts',
    'value ./mixed.ts',
    'value ./star.ts',
    'value ./effect.ts',
    'value ./broken_line.ts',
    'value ./again.ts',
    'type ./type_again.ts',
    'value ./all.ts',
    'dynamic ./later.ts',
  ]);
});

it('the checks find an upward import and a cycle', () => {
  const kernel = example('kernels/a.ts', "import type { Policy } from '../model/b.ts';");
  const model = example('model/b.ts', "import { c } from './c.ts';\nimport { RlvrError } from '../errors.ts';");
  const back = example('model/c.ts', "export { b } from './b.ts';");
  expect(againstDirection([kernel, model, back])).toEqual(['kernels/a.ts → model/b.ts']);
  expect(cycles([kernel, model, back])).toEqual(['model/b.ts → model/c.ts → model/b.ts']);
});

/** Data about methods, by their names: what published systems are run with, and what was measured. */
const TABLES = /^catalogue\/(?:systems\/|evidence_rows)/;

it('no option of a method is read outside its own file', () => {
  const options = METHOD_POINTS.flatMap((point) =>
    METHODS[point].flatMap((method) => Object.keys(method.options).map((name) => ({ name, id: method.id }))),
  );
  // Words that other things have too: of a checkpoint, a chart, a task.
  const common = ['k', 'every', 'floor', 'candidates', 'maxTokens', 'maxRounds'];
  // The engine's kernel has settings of the same names: what it computes is told to it in its own words.
  const outside = files
    .filter(({ path }) => !path.startsWith('kernels/') && !TABLES.test(path))
    .map(({ path, text }) => ({ path, words: new Set(text.match(/\w+/g)) }));
  const found = options
    .filter(({ name }) => !common.includes(name))
    .flatMap(({ name, id }) => {
      const own = options.filter((other) => other.name === name).length;
      const readers = outside.filter(({ words }) => words.has(name)).map(({ path }) => path);
      return readers.length > own ? [`${id}.${name}: ${readers.join(', ')}`] : [];
    });
  expect(found).toEqual([]);
});

/** Files of grpo/ that know a whole run: the loop, what a run is, and what opens its steps. */
const KNOW_THE_RUN = ['grpo/grpo_stage.ts', 'grpo/report.ts', 'grpo/run.ts', 'grpo/step.ts', 'grpo/trainer.ts'];
/** Places of src/ that take a whole run, at most; others take an engine, a journal, a step, or a `Pick` of the run. */
const MOST_WHOLE_RUNS = 30;

it('what is below the trainer takes an engine, a step and a journal, and no run', () => {
  const below = files.filter(({ path }) =>
    /^(?:grpo|methods|model|kernels|data|rewards|diagnostics|config)\//.test(path),
  );
  expect(filesWith(/\bTrainingRun\b/, below)).toEqual(KNOW_THE_RUN);
});

it(`at most ${MOST_WHOLE_RUNS} places take a whole run`, () => {
  const places = files.flatMap(({ path, text }) => {
    const taking = text
      .split('\n')
      .filter((line) => /\bTrainingRun\b/.test(line) && !/^import |Pick<TrainingRun|TrainingRun\['/.test(line));
    return taking.map((line) => `${path}: ${line.trim()}`);
  });
  expect(places.length, places.join('\n')).toBeLessThanOrEqual(MOST_WHOLE_RUNS);
});

/** What a method says of another that it is made for, or cannot be without. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  'methods/advantage_estimators/canon.ts': ['const-norm'],
  'methods/advantage_estimators/riskpo.ts': ['sequence_token', 'sequence_sum'],
  'methods/advantage_estimators/segment_tree.ts': ['mcts'],
  'methods/credit_steps/self_score_mix.ts': ['laser'],
  'methods/credit_steps/teacher_credit.ts': ['ref-ema'],
  'methods/loss_terms/context_kl.ts': ['sdpo'],
  'methods/loss_terms/sdpo.ts': ['ref-ema'],
  'methods/loss_terms/ssb.ts': ['contrast-explain'],
  'methods/rollout_strategies/contrast_explain.ts': ['ssb'],
  'methods/objectives/dpo_pairs.ts': ['seq-mean'],
  'methods/objectives/dppo_tv.ts': ['kl-sampler'],
  'methods/objectives/drpo.ts': ['hinge-kl', 'seq-mean'],
  'methods/objectives/pacs.ts': ['seq-mean'],
  'methods/objectives/topr.ts': ['seq-sum'],
  'methods/objectives/verifree_loss.ts': ['verifree'],
  'methods/rollout_strategies/prerl.ts': ['sample-sign'],
  'methods/rollout_strategies/step_dpo_stage.ts': ['dpo-pairs'],
  'methods/rollout_strategies/verifree.ts': ['verifree-loss', 'rloo', 'seq-sum'],
  'methods/token_controls/anneal_in_sequence.ts': ['decoupled'],
  'methods/token_weights/icepop.ts': ['tis'],
  'methods/token_weights/tis.ts': ['vespo'],
};
/** Ids that are words of other things too: a kernel, a schedule, a figure, what an environment knows. */
const WORDS = ['constant', 'greedy', 'group', 'milestones', 'none', 'sequence', 'token', 'twin'];

/** The method that a file declares. */
function idsDeclaredIn(text: string): string[] {
  return text.includes('method({')
    ? [...text.matchAll(/^(?: {2}id: |const ID = )'([^']+)'/gm)].map(([, id]) => id)
    : [];
}

it('no file knows a method by its id but its own, and those of its companions', () => {
  const all = [
    ...METHOD_POINTS.flatMap((point) => METHODS[point].map(({ id }) => id)),
    ...DEMONSTRATIONS.map(({ id }) => id),
  ];
  const ids = all.filter((id) => !WORDS.includes(id));
  const aggregations = METHODS.aggregation.map(({ id }) => id);
  const code = files.filter(({ path }) => !TABLES.test(path));
  const found = code.flatMap(({ path, text }) => {
    // Values of TRL's loss_type mean an objective, each with the aggregation that goes with it.
    const meant = text.includes('lossTypes: {') ? aggregations : [];
    const own = idsDeclaredIn(text);
    const sameAs = METHOD_POINTS.flatMap((point) =>
      METHODS[point].flatMap((method) => (own.includes(method.id) ? (method.sameAs?.id ?? []) : [])),
    );
    const allowed = [...own, ...(COMPANIONS[path] ?? []), ...meant, ...sameAs];
    return ids
      .filter((id) => !allowed.includes(id) && new RegExp(`['"]${id}['"]`).test(text))
      .map((id) => `${path}: ${id}`);
  });
  expect(found).toEqual([]);
});

/** Options that an advice of the diagnostics names, so that it can say what they are now. */
const ADVISED: Readonly<Record<string, readonly string[]>> = { 'diagnostics/groups.ts': ['max_rounds'] };
/** Spellings that other things have too: a reward's option, a metric. */
const SPELLINGS = ['max_tokens', 'solve_rate'];

it('no option of a method is read by its spelling outside its own file, but what is a key of the stage', () => {
  const options = METHOD_POINTS.flatMap((point) =>
    METHODS[point].flatMap(({ id, options: own, optionsAreStageKeys, switchedOnBy }) =>
      Object.values(own)
        .map(({ yaml }) => ({ id, yaml }))
        .filter(({ yaml }) => yaml.includes('_') && !optionsAreStageKeys && switchedOnBy?.key.yaml !== yaml),
    ),
  );
  const spellings = [...new Set(options.map(({ yaml }) => yaml))].filter((yaml) => !SPELLINGS.includes(yaml));
  const found = files
    .filter(({ path }) => !path.startsWith('methods/support/'))
    .flatMap(({ path, text }) => {
      const declared = idsDeclaredIn(text);
      const isOwn = (yaml: string): boolean => options.some((one) => one.yaml === yaml && declared.includes(one.id));
      return spellings
        .filter((yaml) => text.includes(`'${yaml}'`) && !isOwn(yaml) && !ADVISED[path]?.includes(yaml))
        .map((yaml) => `${path}: ${yaml}`);
    });
  expect(found).toEqual([]);
});

it('a stage is read by its parts', () => {
  const flat =
    /\bstage\.(?:klCoef|entropyCoef|clipEpsilon\w+|objective|scaleRewards|dynamicSampling|maxSteps|learningRate|temperature|numGenerations)\b/;
  expect(filesWith(flat)).toEqual([]);
});

it('a tracker that runs are sent to is named in its own room alone, and where users import it', () => {
  const named = new RegExp(SENT_TRACKERS.map(({ name }) => name).join('|'), 'i');
  const keysOfTrl = new RegExp(`\\b(?:${Object.keys(UNSUPPORTED_TRL_KEYS).join('|')}):`, 'g');
  const others = files.filter(
    ({ path }) => !['trackers', ''].includes(roomOf(path)) && path !== 'config/tracker_cards.ts',
  );
  const found = others.filter(({ text }) => named.test(text.replaceAll(keysOfTrl, '')));
  expect(found.map(({ path }) => path)).toEqual([]);
});

it('text leaves the command through cli/display/output.ts, which makes it printable', () => {
  const others = files.filter(({ path }) => path.startsWith('cli/') && !WRITERS.includes(path));
  expect(filesWith(/\b(?:stdout|stderr)\.write\(|\bconsole\.\w+\(/, others)).toEqual([]);
});
