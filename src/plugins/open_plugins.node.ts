/**
 * What a config names, opened: its task, and the reward functions that come from files of the user's own.
 *
 * Nothing is registered anywhere: names are looked up, files are loaded, and the result is handed to `openRun`.
 */
import { withWordsOf } from '../config/control_words.ts';
import type { LoadedConfig } from '../config/load.ts';
import { addOptionProblems } from '../config/option_problems.ts';
import type { RunConfig } from '../config/run_config.ts';
import { bindTask, createTask } from '../data/create_task.ts';
import type { Verifier } from '../data/datasets/answers.ts';
import { DATASET } from '../data/datasets/card.ts';
import { openDataset, requireWritable } from '../data/datasets/dataset.ts';
import { limitPrompts } from '../data/prompts/prompt_limit.ts';
import type { Task } from '../data/task.ts';
import { type TaskSet, taskSet } from '../data/task_set.ts';
import { PluginError } from '../errors.ts';
import { methodKey, type OwnMethods } from '../methods/look_up.ts';
import type { Method } from '../methods/method.ts';
import { eachPoint, METHOD_POINTS, type MethodPoint, type ShownRows } from '../methods/stage.ts';
import type { Plugin } from '../options/keys.ts';
import { optionProblems, takeOptions } from '../options/read.ts';
import { getReward, type OwnRewards } from '../rewards/built_in.ts';
import type { RewardOptions } from '../rewards/definition.ts';
import { isModuleFile, MODULE_ENDINGS, rewardLabel } from '../rewards/module_file.ts';
import type { SandboxedReward } from '../rewards/sandbox/sandboxed_reward.ts';
import type { Tracker } from '../run/tracker.ts';
import type { Codec } from '../text/codec.ts';
import { findDataset, verifierOf } from './dataset_files.node.ts';
import {
  adapterInRun,
  type FoundFile,
  findFile,
  findFiles,
  methodPlace,
  modelInRun,
  reporterPlace,
  rewardPlace,
  taskPlace,
} from './found_files.node.ts';
import { loadMethod } from './method_module.node.ts';
import { moduleReference, oldSpellingNotes, refusal } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { guardProcess, type ProcessGuard } from './process_guard.node.ts';
import { type StartedReporter, startReporter } from './reporter_thread.node.ts';
import { isOwnError } from './reward_module.ts';
import { startReward } from './reward_thread.node.ts';
import type { RewardStart } from './reward_worker.node.ts';
import { loadTaskDefinition, refuseImpure } from './task_module.node.ts';
import { tryFile } from './trial.node.ts';
import { loadVerifier } from './verifier_module.node.ts';

/** Where a config's own files are looked for, and who is asked before they are run. */
export interface PluginOptions {
  /** The config's file: paths in it are relative to its folder. */
  readonly file: string;
  /** The run directory: paths in the returned config are relative to it, so that its config.yaml runs as it stands. */
  readonly directory?: string;
  /** Told of each file before it is loaded: it is code, and runs with the rights of this process. */
  readonly announce: (file: string) => void;
  /** Told of all files before any of them is loaded; throws where one of them may not run. */
  readonly approve?: (files: readonly FoundFile[]) => Promise<void>;
  /** 'unused': the run is only evaluated or sampled; its rewards are not loaded, nor its methods beside a pretrained model. */
  readonly rewards?: 'unused';
  /** Of the pretrained model that the config names, which the caller has opened. */
  readonly codec?: Codec | undefined;
}

/** What a config's own files have become: tasks, rewards, methods and reporters. `close` ends their threads. */
export interface OpenedPlugins {
  /** The config, with files named from the run directory. */
  readonly config: RunConfig;
  readonly tasks: TaskSet;
  /** For `openRun`. */
  readonly rewards: OwnRewards | 'unused';
  /** For `openRun`. */
  readonly methods: OwnMethods;
  /** SHA-256 of each file by its name in `config`, and of the local files that it imports: for the fingerprint. */
  readonly modules: Readonly<Record<string, string>>;
  /** For `session`. */
  readonly reporters: readonly Tracker[];
  /** Remarks on the rows of data sets, and on files that spell options the old way. */
  readonly notes: readonly string[];
  /**
   * Ends the threads of the rewards, and the watch over what tasks and methods do to the process.
   *
   * @throws PluginError where something of theirs failed outside of a call, and no call has said so since
   */
  close(): Promise<void>;
}

/**
 * Looks up everything that a config names, and loads what is a file.
 *
 * @throws ConfigError with every name, option or file that is wrong, one per line: `file:line  key: value — rule; remedy.`
 */
export async function openPlugins(loaded: LoadedConfig, options: PluginOptions): Promise<OpenedPlugins> {
  const opening: Opening = {
    loaded,
    options,
    modules: new Map(),
    announced: new Set(),
    threads: new Map(),
    methods: new Map(),
    reporters: [],
    datasets: new Map(),
    notes: [],
    guard: undefined,
  };
  const close = async (): Promise<void> => {
    await Promise.all([...opening.threads.values(), ...opening.reporters].map((thread) => thread.close()));
    const { guard } = opening;
    opening.guard = undefined;
    guard?.close();
  };
  try {
    const files = await findFiles(loaded, options);
    await options.approve?.([...files.values()]);
    for (const [name, file] of files) opening.modules.set(name, file);
    const tasks = await openTasks(opening);
    if (options.rewards !== 'unused') {
      await openRewards(opening);
      await openMethods(opening);
      await openReporters(opening);
    } else if (options.codec === undefined) await openMethods(opening); // for the words that they add
    loaded.problems.throwIfAny();
    if (tasks === undefined) throw new RangeError('a task that cannot be opened is a problem');
    const config = withModuleNames(loaded.config, opening);
    const methods = Object.fromEntries(opening.methods);
    return {
      config,
      tasks: withWordsOf(config, tasks, methods),
      rewards: options.rewards ?? makersOf(opening),
      methods,
      modules: Object.fromEntries([
        ...[...opening.modules.values()].flatMap(({ role, hashes }) => (role === 'training' ? hashes : [])),
        ...[...opening.datasets.values()].flatMap(({ hashes }) => hashes),
      ]),
      reporters: opening.reporters.map(({ tracker }) => tracker),
      notes: opening.notes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Time to load a file, however short the limit of its calls is. */
const LOAD_SECONDS = 60;
/** Time for a reporter to come to the end of what it was told. */
const REPORTER_END_SECONDS = 5;

interface Opening {
  readonly loaded: LoadedConfig;
  readonly options: PluginOptions;
  /** By the name that the config gives; files that could be read. */
  readonly modules: Map<string, FoundFile>;
  /** Files whose loading was announced, as messages show them. */
  readonly announced: Set<string>;
  /** By name in the run and options: two stages with the same reward share a thread. */
  readonly threads: Map<string, SandboxedReward>;
  /** By `methodKey` of their names in the run. */
  readonly methods: Map<string, Method<unknown>>;
  readonly reporters: StartedReporter[];
  /** By the entry of the config: as the run has it, and the hashes of its files. */
  readonly datasets: Map<object, OpenedDataset>;
  readonly notes: string[];
  /** There once a file is loaded on the run's own thread. */
  guard: ProcessGuard | undefined;
}

interface OpenedDataset {
  readonly inRun: object;
  readonly hashes: readonly (readonly [string, string])[];
}

function guardOf(opening: Opening): ProcessGuard {
  opening.guard ??= guardProcess();
  return opening.guard;
}

/** What `open` gives; a mistake in the config or in the user's file goes to the problems, with its line. */
async function orReport<T>(
  { loaded: { problems } }: Opening,
  path: string,
  name: string,
  open: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (!isOwnError(error)) throw error;
    const { code, facts, message } = error;
    const found = optionProblems(error);
    addOptionProblems(problems, path, found);
    if (found.length > 0) return undefined;
    if (code !== 'bad-module') problems.addMessage(path, message);
    else if (facts.key === undefined) problems.add(path, name, message);
    else problems.add(`${path}.${facts.key}`, facts.value, message);
    return undefined;
  }
}

/** Each task of the config; undefined where one of them, or their vocabularies, are a problem. */
async function openTasks(opening: Opening): Promise<TaskSet | undefined> {
  const { config, problems } = opening.loaded;
  const opened: { task: Task; weight: number }[] = [];
  for (const [index, { task: entry, weight }] of config.tasks.entries()) {
    const path = taskPlace(problems, index);
    const task = await orReport(opening, path, entry.name, () => openTask(opening, entry, path));
    if (task !== undefined) opened.push({ task, weight });
  }
  if (opened.length < config.tasks.length) return undefined;
  const list = problems.written('tasks', 'task.parts') ?? 'tasks';
  const shown = new Map<number, TaskSet>();
  const tasks = await orReport(opening, list, '', async () =>
    taskSet(opened, opening.options.codec, shown, config.maxPromptLength),
  );
  if (tasks === undefined) return undefined;
  for (const [index, stage] of config.stages.entries()) {
    if (stage.stage !== 'sft' || stage.rows === undefined) continue;
    const { rows } = stage;
    const place = `stages.${index}`;
    const of = await orReport(opening, `${place}.data_files`, '', () =>
      openShownRows(opening, rows, tasks.codec, place),
    );
    if (of !== undefined) shown.set(index, of);
  }
  return limitPrompts(tasks, config);
}

async function openTask(opening: Opening, entry: Plugin, path: string): Promise<Task> {
  const { name, ...knobs } = entry;
  if (name === DATASET) return openDatasetTask(opening, entry, path.replace(/\.(?:name|task)$/, ''));
  const { rewardTimeout } = opening.loaded.config;
  const options = { path: path.replace(/\.(?:name|task)$/, ''), codec: opening.options.codec };
  if (isModuleFile(name)) {
    const { export: exported, ...own } = knobs;
    const { reference, imported } = await openModule(opening, name, exported, path);
    const tried = await tryFile(reference, { load: Math.max(LOAD_SECONDS, rewardTimeout), call: rewardTimeout }, own);
    guardOf(opening).know({ name: reference.shown, path: reference.path, limitSeconds: rewardTimeout }, imported);
    const definition = await loadTaskDefinition(reference, rewardTimeout);
    const task = bindTask(definition, own, options);
    freezePlain(task.knobs);
    refuseImpure(definition, task.knobs, tried, reference);
    return task;
  }
  if (/[/\\.]/.test(name))
    throw refusal(`neither a task nor a file that ends in ${MODULE_ENDINGS}; give its full name`);
  return createTask({ ...knobs, name }, options);
}

async function openDatasetTask(opening: Opening, entry: Plugin, path: string): Promise<Task> {
  const { loaded, options, datasets, notes } = opening;
  const { name: _, ...knobs } = entry;
  const found = await findDataset(loaded, options, entry, path);
  const comparison = verifierOf(entry);
  const verifier = comparison === undefined ? undefined : await openVerifier(opening, comparison, `${path}.verify`);
  const task = await openDataset(knobs, { path, codec: options.codec, files: found.files, verifier: verifier?.verify });
  const inRun = verifier === undefined ? found.inRun : { ...found.inRun, verify: verifier.inRun };
  datasets.set(entry, { inRun, hashes: await found.hashes() });
  notes.push(...task.notes);
  return task;
}

/** Rows that a supervised stage shows, in the run's tokens. */
async function openShownRows(opening: Opening, rows: ShownRows, codec: Codec, place: string): Promise<TaskSet> {
  const { loaded, options, datasets, notes } = opening;
  const found = await findDataset(loaded, options, rows, place);
  const task = await openDataset({ ...rows }, { path: place, files: found.files, codec: options.codec, isShown: true });
  if (options.codec === undefined) requireWritable(task, codec);
  datasets.set(rows, { inRun: found.inRun, hashes: await found.hashes() });
  notes.push(...task.notes);
  return taskSet([{ task, weight: 1 }], codec);
}

async function openVerifier(
  opening: Opening,
  name: string,
  path: string,
): Promise<{ readonly verify: Verifier; readonly inRun: string }> {
  const { reference, imported, inRun } = await openModule(opening, name, undefined, path);
  const { rewardTimeout } = opening.loaded.config;
  await tryFile(reference, { load: Math.max(LOAD_SECONDS, rewardTimeout), call: rewardTimeout });
  guardOf(opening).know({ name: reference.shown, path: reference.path, limitSeconds: rewardTimeout }, imported);
  return { verify: await loadVerifier(reference, rewardTimeout), inRun };
}

/** Starts the rewards that are files, and looks at the others, so that mistakes in them show their line too. */
async function openRewards(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, stage] of config.stages.entries()) {
    for (const [place, { weight: _, ...reward }] of (stage.stage === 'grpo' ? stage.rewards : []).entries()) {
      const path = rewardPlace(problems, index, place);
      await orReport(opening, path, reward.name, () => openReward(opening, reward, path));
    }
  }
}

async function openReward(opening: Opening, { name, ...options }: Plugin, path: string): Promise<void> {
  if (!isModuleFile(name)) {
    getReward(name, options);
    return;
  }
  const { export: exported, signature, ...own } = options;
  if (signature !== undefined && signature !== 'trl') throw wrongSignature(signature);
  const { reference, inRun } = await openModule(opening, name, exported, path);
  const key = threadKey(inRun, options);
  if (opening.threads.has(key)) return;
  const start: RewardStart = {
    reference,
    label: rewardLabel({ name, export: exported }),
    options: own,
    ...(signature === 'trl' && { signature }),
  };
  const { rewardTimeout } = opening.loaded.config;
  const limits = { load: Math.max(LOAD_SECONDS, rewardTimeout), score: rewardTimeout };
  opening.threads.set(key, await startReward(start, limits));
}

function wrongSignature(value: unknown): PluginError {
  const rule = 'not a way to call a reward; use trl, or leave it out for {name, score(batch)}';
  return new PluginError('bad-module', rule, { key: 'signature', value });
}

/** Loads the methods that are files; options that the file does not have show their line. */
async function openMethods(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, stage] of config.stages.entries()) {
    if (stage.stage !== 'grpo') continue;
    for (const point of METHOD_POINTS) {
      for (const [place, plugin] of stage.methods[point].entries()) {
        if (!isModuleFile(plugin.name)) continue;
        // A run that only answers can do without a file that is gone, unless that added words: the weights tell.
        if (opening.options.rewards === 'unused' && !opening.modules.has(plugin.name)) continue;
        const path = methodPlace(problems, index, point, place);
        await orReport(opening, path, plugin.name, () => openMethod(opening, point, plugin, path));
      }
    }
  }
}

async function openMethod(opening: Opening, point: MethodPoint, plugin: Plugin, path: string): Promise<void> {
  const { reference, inRun, imported } = await openModule(opening, plugin.name, plugin.export, path);
  const { rewardTimeout } = opening.loaded.config;
  await tryFile(reference, { load: Math.max(LOAD_SECONDS, rewardTimeout), call: rewardTimeout });
  guardOf(opening).know({ name: reference.shown, path: reference.path, limitSeconds: rewardTimeout }, imported);
  const method = await loadMethod(reference, point, rewardTimeout);
  const { name: _, export: __, ...given } = plugin;
  takeOptions(method.options, given, { path, subject: method.id });
  opening.methods.set(methodKey({ ...plugin, name: inRun }), method);
}

/** Starts the reporters: a file that cannot be loaded is a mistake in the config; what it does later is not. */
async function openReporters(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, { name, export: exported, ...options }] of (config.reporters ?? []).entries()) {
    const path = reporterPlace(problems, index);
    await orReport(opening, path, name, async () => {
      if (!isModuleFile(name)) throw refusal(`not a file that ends in ${MODULE_ENDINGS}; give one of yours`);
      const { reference } = await openModule(opening, name, exported, path);
      opening.reporters.push(
        await startReporter({ reference, options }, { load: LOAD_SECONDS, end: REPORTER_END_SECONDS }),
      );
    });
  }
}

/** A file that was found before, about to be loaded. */
async function openModule(opening: Opening, name: string, exported: unknown, path: string): Promise<FoundFile> {
  const { options, modules, announced, notes } = opening;
  const found = modules.get(name) ?? (await findFile(opening.loaded, options, { name, export: exported }, path));
  modules.set(name, found);
  const { shown } = found.reference;
  if (!announced.has(shown)) {
    announced.add(shown);
    options.announce(shown);
    notes.push(...(await oldSpellingNotes(found.reference.path)));
  }
  return { ...found, reference: moduleReference(found.reference.path, exported, '.') };
}

function threadKey(inRun: string, options: RewardOptions): string {
  return JSON.stringify([inRun, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** For each file, a maker that gives the reward which was started for the same options. */
function makersOf({ modules, threads }: Opening): OwnRewards {
  const makers = [...modules.values()].map(({ inRun }) => {
    const maker = (options: RewardOptions): SandboxedReward => {
      const thread = threads.get(threadKey(inRun, options));
      if (thread === undefined) throw new RangeError(`${inRun} was not opened for these options`);
      return thread;
    };
    return [inRun, maker] as const;
  });
  return Object.fromEntries(makers);
}

/** The same config with files under their names in the run. */
function withModuleNames(config: RunConfig, { modules, datasets, loaded, options }: Opening): RunConfig {
  const renamed = <P extends Plugin>(plugin: P): P => ({
    ...plugin,
    name: modules.get(plugin.name)?.inRun ?? plugin.name,
  });
  const datasetInRun = <E extends object>(entry: E): E => ({ ...entry, ...datasets.get(entry)?.inRun });
  const stages = config.stages.map((stage) =>
    stage.stage === 'grpo'
      ? {
          ...stage,
          rewards: stage.rewards.map(renamed),
          methods: eachPoint((point) => stage.methods[point].map(renamed)),
        }
      : { ...stage, ...(stage.rows && { rows: datasetInRun(stage.rows) }) },
  );
  const tasks = config.tasks.map(({ task, weight }) => ({ task: renamed(datasetInRun(task)), weight }));
  const modelNameOrPath = modelInRun(loaded, options);
  const adapterNameOrPath = adapterInRun(loaded, options);
  return {
    ...config,
    ...(config.reporters && { reporters: config.reporters.map(renamed) }),
    ...(modelNameOrPath !== undefined && { modelNameOrPath }),
    ...(adapterNameOrPath !== undefined && { adapterNameOrPath }),
    tasks,
    stages,
  };
}
