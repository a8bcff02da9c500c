/** Opens a run in the caller's own thread: its config, its tasks, its backend, and the store that keeps it. */
import { withWordsOf } from '../../src/config/control_words.ts';
import { parseConfig } from '../../src/config/load.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { createTasks } from '../../src/data/create_task.ts';
import { DATASET, type DataFiles } from '../../src/data/data_files.ts';
import { oneTask } from '../../src/data/task_set.ts';
import { closeEngine } from '../../src/grpo/engine.ts';
import { openRun } from '../../src/run/open_run.ts';
import { adviseMemory } from '../estimate/advise_memory.ts';
import type { Pretrained } from '../models/run/model/pretrained.ts';
import { zooLibrary } from '../zoo/library.ts';
import type { SandboxedReward } from '../zoo/rewards/sandbox/sandboxed_reward.ts';
import type { OpenOptions } from './browser_run.ts';
import { chooseBackend } from './choose_backend.ts';
import { browserFingerprint, hashesOf } from './fingerprint.ts';
import { type LocalParts, LocalRun } from './local_run.ts';
import { ownCode } from './own_code/load_own_code.ts';
import type { StartSandbox } from './own_code/sandboxes.ts';
import { openKept } from './store/kept_store.ts';
import { opfsStore } from './store/opfs_store.ts';
import { asRunFileError, wholeRun } from './store/saved_run.ts';
import { textFiles } from './text_files.ts';
import { trackerNotes } from './tracker_notes.ts';

const SOURCE = { file: 'config' };

/**
 * Opens a run in this thread, at its last checkpoint where it is kept.
 *
 * @param sandbox  starts the worker of a visitor's reward; default: from this page
 * @throws RlvrError
 */
export async function openRunHere(options: OpenOptions, sandbox?: StartSandbox): Promise<LocalRun> {
  const closers: (() => Promise<void> | void)[] = [];
  try {
    return await open(options, sandbox ?? (await import('./own_code/sandboxes.ts')).startSandbox, closers);
  } catch (error) {
    for (const close of closers.reverse()) await close();
    throw error;
  }
}

async function open(
  options: OpenOptions,
  sandbox: StartSandbox,
  closers: (() => Promise<void> | void)[],
): Promise<LocalRun> {
  const registries = await zooLibrary.naming(options.yaml);
  const { config, lineOf } = parseConfig(options.yaml, { ...SOURCE, registries });
  const modules = await hashesOf({
    ...options.rewards,
    ...(options.task !== undefined && { task: options.task }),
    ...options.data,
  });
  const { files, replaces = false } = options;
  const incoming = replaces && files !== undefined ? await wholeRun(files, modules) : undefined;
  const own = options.task === undefined ? undefined : await (await ownCode()).startOwnTask(options.task, sandbox);
  if (own !== undefined) closers.push(() => own.close());
  const pretrained = await keptModelOf(config);
  const { codec } = pretrained ?? {};
  const made = own ?? (await createTasks(config, registries.tasks, { codec, files: await rowsOf(config, options) }));
  const set = withWordsOf(config, 'shares' in made ? made : oneTask(made), registries.methods);
  const { samplingMs } = options;
  const watch =
    samplingMs === undefined
      ? undefined
      : new (await import('./sampling_watch.ts')).SamplingWatch(samplingMs, config.seed);
  const tasks = watch?.watched(set) ?? set;
  const chosen = await chooseBackend(options.backend ?? {}, config.storageDtype);
  const rewards: Record<string, SandboxedReward> = {};
  for (const [name, code] of Object.entries(options.rewards ?? {})) {
    const reward = await (await ownCode()).startOwnReward(name, code, sandbox);
    rewards[name] = reward;
    closers.push(() => reward.close());
  }
  const run = await openRun(config, tasks, chosen.backend, {
    ...{ registries, rewards, lineOf, pretrained, adviseMemory },
    makeGenerator: watch?.makeGenerator,
  });
  closers.push(() => closeEngine(run.engine));
  // Before any change of a setting: the fingerprint is that of the start.
  const fingerprint = await browserFingerprint(run, modules);
  const here: LocalParts = {
    options,
    startConfig: run.config,
    pretrained,
    sandbox,
    run,
    chosen,
    fingerprint,
    closers,
    changes: [],
    notes: trackerNotes(config),
  };
  const local = new LocalRun(here);
  watch?.listen((sampling) => local.say({ type: 'sampling', ...sampling }));
  if (incoming !== undefined) await asRunFileError('its newest state', () => local.restore(incoming));
  const kept = await openKept(options.name, (reason) => local.storageRefused(reason), incoming && files);
  closers.push(kept.release);
  await local.openStore(kept.store, kept.report, incoming !== undefined);
  return local;
}

/** The rows of a task that reads files: those that were given, or that the kept run has. */
async function rowsOf({ tasks }: RunConfig, { data, name }: OpenOptions): Promise<DataFiles | undefined> {
  if (data !== undefined) return textFiles(data);
  return tasks.some(({ task }) => task.name === DATASET) ? opfsStore(name) : undefined;
}

/** What the config begins with, where that is a model that this browser keeps. */
export async function keptModelOf({
  modelNameOrPath: name,
  chatTemplateKwargs,
}: RunConfig): Promise<Pretrained | undefined> {
  if (name === undefined) return undefined;
  const { openKeptModel } = await import('./pretrained/open_kept_model.ts');
  return openKeptModel(name, chatTemplateKwargs && { chatTemplateKwargs });
}
