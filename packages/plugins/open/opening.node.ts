/** A config's own files while they are opened: what is open so far, and what every kind of file goes through. */
import type { LoadedConfig } from '../../../src/config/load.ts';
import { addOptionProblems } from '../../../src/config/option_problems.ts';
import { RlvrError } from '../../../src/errors.ts';
import type { Method } from '../../../src/methods/method.ts';
import { optionProblems } from '../../../src/options/read.ts';
import type { RewardFunction } from '../../../src/rewards/reward_function.ts';
import type { FoundFile, OpenOptions } from '../../../src/run/opened_config.ts';
import { findFile } from '../found_files.node.ts';
import { moduleReference, oldSpellingNotes } from '../module.node.ts';
import type { NodeJudgeThreads } from '../threads/judge_threads.node.ts';
import { tryFile } from '../threads/own_thread.node.ts';
import type { ReporterThread } from '../threads/reporter_thread.node.ts';

/** Seconds to load a file, however short the limit of its calls is. */
export function loadSeconds({ loaded }: Opening): number {
  return Math.max(60, loaded.config.rewardTimeout);
}

/** A reward in its thread, or one that is asked for elsewhere. */
export type OpenedReward = RewardFunction & { close(): Promise<void> };

export interface Opening {
  readonly loaded: LoadedConfig;
  readonly options: OpenOptions;
  /** By the name that the config gives; files that could be read. */
  readonly modules: Map<string, FoundFile>;
  /** Files whose loading was announced, as messages show them. */
  readonly announced: Set<string>;
  /** By name in the run and options: two stages with the same reward share a thread, or what is asked elsewhere. */
  readonly threads: Map<string, OpenedReward>;
  /** By `methodKey` of their names in the run. */
  readonly methods: Map<string, Method<unknown>>;
  readonly reporters: ReporterThread[];
  /** For tasks whose verdicts take time. */
  readonly judges: NodeJudgeThreads;
  /** By the entry of the config: as the run has it, and the hashes of its files. */
  readonly datasets: Map<object, OpenedDataset>;
  readonly notes: string[];
}

export interface OpenedDataset {
  readonly inRun: object;
  readonly hashes: readonly (readonly [string, string])[];
}

/** What `open` gives; a mistake in the config or in the user's file goes to the problems, with its line. */
export async function orReport<T>(
  { loaded: { problems } }: Opening,
  path: string,
  name: string,
  open: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (!RlvrError.is(error)) throw error;
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

/** A file that was found before, about to be loaded. */
export async function openModule(opening: Opening, name: string, exported: unknown, path: string): Promise<FoundFile> {
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

/** The same of a file that will run on the run's own thread: it was loaded in a thread before. */
export async function openTried(opening: Opening, name: string, exported: unknown, path: string): Promise<FoundFile> {
  const found = await openModule(opening, name, exported, path);
  await tryFile(found.reference, loadSeconds(opening));
  return found;
}
