/** The rewards of a config: those that are files get a thread each. */
import { dirname, join, resolve } from 'node:path';
import type { TaskSet } from '../../../src/data/task_set.ts';
import type { GrpoStageConfig, RewardConfig } from '../../../src/methods/stage.ts';
import type { Plugin } from '../../../src/options/keys.ts';
import { takeOptions } from '../../../src/options/read.ts';
import type { RewardOptions } from '../../../src/rewards/definition.ts';
import { isModuleFile, rewardLabel } from '../../../src/rewards/module_file.ts';
import { getReward, type OwnRewards } from '../../../src/rewards/reward_list.ts';
import { refusal } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import type { SandboxedReward } from '../../zoo/rewards/sandbox/sandboxed_reward.ts';
import { pathFrom } from '../module.node.ts';
import { entriesOf, PYTHON } from '../named_entries.ts';
import { loadSeconds, type OpenedReward, type Opening, openModule, orReport } from './opening.node.ts';

/** Named here too: the module of that name is loaded for configs that have it. */
const CLASSIFIER: typeof import('../../zoo/rewards/functions/classifier.ts').CLASSIFIER = 'classifier';

/**
 * Starts the rewards that are files, and looks at the others, so that mistakes in them show their line too.
 *
 * @param tasks  whose problems those that are files are tried on; undefined where they could not be opened
 */
export async function openRewards(opening: Opening, tasks: TaskSet | undefined): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const { kind, plugin, place, index } of entriesOf(opening.loaded)) {
    if (kind !== 'reward') continue;
    const { weight: _, ...reward } = plugin as RewardConfig;
    const open = (): Promise<SandboxedReward | undefined> =>
      reward.name === CLASSIFIER ? openClassifier(opening, plugin, place) : openReward(opening, reward, place, plugin);
    const started = await orReport(opening, place, reward.name, open);
    if (started === undefined || tasks === undefined) continue;
    const { tryReward } = await import('../check/made_up_answers.ts');
    const { rewardOnError } = config.stages[index] as GrpoStageConfig; // supervised stages have no rewards
    for (const flaw of await tryReward(started, tasks)) {
      if (rewardOnError === 'exclude') opening.notes.push(flaw);
      else problems.addMessage(place, flaw);
    }
  }
}

/** The reward of a file, where it is started here; undefined where it is no file, or was started before. */
async function openReward(
  opening: Opening,
  { name, ...options }: Plugin,
  path: string,
  entry: Plugin,
): Promise<SandboxedReward | undefined> {
  if (name === PYTHON) return openPython(opening, options, path, entry);
  if (!isModuleFile(name)) return openElsewhere(opening, name, options);
  const { export: exported, signature, ...own } = options;
  if (signature !== undefined && signature !== 'trl') {
    const rule = 'not a way to call a reward; use trl, or leave it out for {name, score(batch)}';
    throw refusal(rule, { key: 'signature', value: signature });
  }
  const { reference, inRun } = await openModule(opening, name, exported, path);
  const key = threadKey(inRun, options);
  if (opening.threads.has(key)) return undefined;
  const start = { reference, label: rewardLabel({ name, export: exported }), options: own, signature } as const;
  const limits = { load: loadSeconds(opening), score: opening.loaded.config.rewardTimeout };
  const { startReward } = await import('../threads/reward_thread.node.ts');
  const started = await startReward(start, limits);
  opening.threads.set(key, started);
  return started;
}

/** A function in Python, which the run names from its directory. */
async function openPython(
  opening: Opening,
  options: RewardOptions,
  path: string,
  entry: Plugin,
): Promise<SandboxedReward | undefined> {
  const [{ PYTHON_OPTIONS }, { startPython }] = await Promise.all([
    import('../../zoo/rewards/functions/python.ts'),
    import('../python/python_reward.node.ts'),
  ]);
  const { loaded, threads, options: given } = opening;
  const subject = { path: `reward_funcs: ${PYTHON}`, subject: PYTHON, beside: ['name', 'weight'] };
  const { file, python = process.env.PYTHON ?? 'python3', ...values } = takeOptions(PYTHON_OPTIONS, options, subject);
  const { inRun, reference } = await openModule(opening, file, undefined, path);
  const folder = loaded.problems.placeOf(path).label === '--set' ? '.' : dirname(given.file);
  const command = /[/\\]/.test(python) ? resolve(folder, python) : python;
  const renamed = { file: inRun, ...(options.python !== undefined && { python: command }) };
  opening.datasets.set(entry, { inRun: renamed, hashes: [] });
  const key = threadKey(PYTHON, { ...options, ...renamed });
  if (threads.has(key)) return undefined;
  const limits = { load: loadSeconds(opening), score: loaded.config.rewardTimeout };
  const started = await startPython({ ...values, path: reference.path, shown: reference.shown, command }, limits);
  threads.set(key, started);
  return started;
}

/** Looks at a reward of the package; one whose values come from elsewhere is kept open for the run. */
async function openElsewhere({ threads, loaded }: Opening, name: string, options: RewardOptions): Promise<undefined> {
  const key = threadKey(name, options);
  if (threads.has(key)) return;
  const reward = getReward(loaded.registries.rewards, name, options);
  const { distant } = reward;
  if (distant === undefined) return;
  threads.set(key, Object.assign(reward, { close: () => distant.close() }));
  await distant.open();
}

/** A model in a folder, which is named from the run directory in the run. */
async function openClassifier(opening: Opening, entry: Plugin, path: string): Promise<undefined> {
  const [{ CLASSIFIER_OPTIONS, classifierReward, filesOfModel }, { openThread }, { hashOfFile }] = await Promise.all([
    import('../../zoo/rewards/classifier/classifier_scorer.node.ts'),
    import('../threads/own_thread.node.ts'),
    import('../data/datasets/disk_files.node.ts'),
  ]);
  const { loaded, options, threads, datasets } = opening;
  const { name, weight: _, ...given } = entry;
  const subject = { path: `reward_funcs: ${name}`, subject: name, beside: ['name', 'weight'] };
  const values = takeOptions(CLASSIFIER_OPTIONS, given, subject);
  // What is typed at the prompt is meant from where it is typed.
  const folder = resolve(loaded.problems.placeOf(path).label === '--set' ? '.' : dirname(options.file), values.model);
  const files = filesOfModel(folder, values.model);
  const hashes = await Promise.all(files.map(async (file) => [file, await hashOfFile(join(folder, file))] as const));
  const model = options.directory === undefined ? values.model : pathFrom(options.directory, folder);
  datasets.set(entry, { inRun: { model }, hashes: hashes.map(([file, hash]) => [`${model}/${file}`, hash] as const) });
  const key = threadKey(name, { ...given, model });
  if (threads.has(key)) return;
  const reward = classifierReward(folder, hashes, values, openThread);
  threads.set(key, reward);
  await reward.distant.open();
}

function threadKey(inRun: string, options: RewardOptions): string {
  return JSON.stringify([inRun, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** A maker for each file, and each reward from elsewhere, that gives what was opened for the same options. */
export function makersOf({ modules, threads }: Opening): OwnRewards {
  const elsewhere = [...threads.values()].flatMap(({ name, distant }) => (distant === undefined ? [] : [name]));
  const makers = [...[...modules.values()].map(({ inRun }) => inRun), ...elsewhere, PYTHON].map((name) => {
    const maker = (options: RewardOptions): OpenedReward => {
      const opened = threads.get(threadKey(name, options));
      if (opened === undefined) throw new RangeError(`${name} was not opened for these options`);
      return opened;
    };
    return [name, maker] as const;
  });
  return Object.fromEntries(makers);
}
