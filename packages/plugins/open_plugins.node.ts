/**
 * What a config names, opened: its task, and the reward functions that come from files of the user's own.
 *
 * Nothing is registered anywhere: names are looked up, files are loaded, and the result is handed to `openRun`.
 */
import { withWordsOf } from '../../src/config/control_words.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { withSteps } from '../../src/config/passes.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { withOwnMethods } from '../../src/methods/method_list.ts';
import { eachPoint } from '../../src/methods/stage.ts';
import type { Plugin } from '../../src/options/keys.ts';
import type { OpenedConfig, OpenOptions } from '../../src/run/opened_config.ts';
import { asksInWords } from '../../src/text/codec.ts';
import { asksOf } from './asks.node.ts';
import { adapterInRun, findFiles, modelInRun, modelsInRun } from './found_files.node.ts';
import { renamedOptions } from './named_entries.ts';
import { openMethods, openReporters } from './open/open_methods.node.ts';
import { makersOf, openRewards } from './open/open_rewards.node.ts';
import { openTasks } from './open/open_tasks.node.ts';
import type { Opening } from './open/opening.node.ts';
import { judgeThreads } from './threads/judge_threads.node.ts';

export type { OpenedConfig as OpenedPlugins, OpenOptions as PluginOptions };

/**
 * Looks up everything that a config names, and loads what is a file.
 *
 * @throws ConfigError with every name, option or file that is wrong, one per line: `file:line  key: value — rule; remedy.`
 */
export async function openPlugins(loaded: LoadedConfig, options: OpenOptions): Promise<OpenedConfig> {
  const opening: Opening = {
    loaded,
    options,
    modules: new Map(),
    announced: new Set(),
    threads: new Map(),
    methods: new Map(),
    reporters: [],
    judges: judgeThreads(),
    datasets: new Map(),
    notes: [],
  };
  const close = async (): Promise<void> => {
    const threads = [...opening.threads.values(), ...opening.reporters, opening.judges];
    await Promise.all(threads.map((thread) => thread.close()));
  };
  try {
    const files = await findFiles(loaded, options);
    await options.approve?.([...files.values()], asksOf(loaded, options));
    for (const [name, file] of files) opening.modules.set(name, file);
    const tasks = await openTasks(opening);
    if (options.rewards !== 'unused') {
      await openRewards(opening, tasks);
      await openMethods(opening);
      await openReporters(opening);
    } else if (!asksInWords(options.codec)) await openMethods(opening); // for the words that they add
    loaded.problems.throwIfAny();
    if (tasks === undefined) throw new RangeError('a task that cannot be opened is a problem');
    opening.notes.push(...renamedOptions(loaded));
    const config = withSteps(withModuleNames(loaded.config, opening), tasks);
    const methods = Object.fromEntries(opening.methods);
    const list = withOwnMethods(loaded.registries.methods, methods);
    const inWords = withWordsOf(config, tasks, list);
    return {
      config,
      tasks: inWords,
      rewards: options.rewards ?? makersOf(opening),
      methods,
      registries: { ...loaded.registries, methods: list },
      modules: Object.fromEntries([
        ...[...opening.modules.values()].flatMap(({ role, hashes }) => (role === 'training' ? hashes : [])),
        ...[...opening.datasets.values()].flatMap(({ hashes }) => hashes),
      ]),
      reporters: opening.reporters,
      notes: opening.notes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
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
          rewards: stage.rewards.map((reward) => renamed(datasetInRun(reward))),
          methods: eachPoint((point) => stage.methods[point].map(renamed)),
        }
      : {
          ...stage,
          ...(stage.rows && { rows: datasetInRun(stage.rows) }),
          ...(stage.demonstrations && { demonstrations: renamed(stage.demonstrations) }),
        },
  );
  const tasks = config.tasks.map(({ task, weight }) => ({ task: renamed(datasetInRun(task)), weight }));
  const modelNameOrPath = modelInRun(loaded, options);
  const adapterNameOrPath = adapterInRun(loaded, options);
  const models = modelsInRun(loaded, options);
  return {
    ...config,
    ...(config.reporters && { reporters: config.reporters.map(renamed) }),
    ...(modelNameOrPath !== undefined && { modelNameOrPath }),
    ...(adapterNameOrPath !== undefined && { adapterNameOrPath }),
    ...(models && { models }),
    tasks,
    stages,
  };
}
