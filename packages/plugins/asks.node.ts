/** What a config asks of this machine besides code: servers that are sent something, variables, and rows of other folders. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import { placeOfTask } from '../../src/config/mixture.ts';
import type { Registries } from '../../src/config/registries.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { cardOf } from '../../src/data/registered_task.ts';
import type { Reach } from '../../src/http/servers.ts';
import { findReward } from '../../src/rewards/reward_list.ts';
import type { Ask } from '../../src/run/opened_config.ts';
import { entriesOf } from './named_entries.ts';

type Entry = Readonly<Record<string, unknown>>;

/** An entry of the config that names files: a task, or what a supervised stage shows. */
export interface DatasetEntry {
  readonly train?: string | readonly string[];
  readonly held_out?: string | number | readonly string[];
  readonly hub?: string;
  readonly hub_config?: string;
}

export const FILE_KNOBS = ['train', 'held_out'] as const;

/** The files on this machine that an entry of the config names, by their knobs. */
function rowsOf(entry: object): { readonly knob: string; readonly name: string }[] {
  const given = entry as DatasetEntry; // its card, or the schema of the keys, has read it
  if (given.hub !== undefined) return [];
  return FILE_KNOBS.flatMap((knob) => {
    const names = [given[knob] ?? []].flat();
    return names.flatMap((name) => (typeof name === 'string' ? { knob, name } : []));
  });
}

/** @param options.rewards  'unused': those of its rewards are not asked */
export function asksOf(
  loaded: LoadedConfig,
  { file, rewards }: { readonly file: string; readonly rewards?: 'unused' },
): readonly Ask[] {
  const { config, problems, registries } = loaded;
  const isTyped = (place: string): boolean => {
    const { label } = problems.placeOf(place);
    return !label.startsWith(`${file}:`) && !(label === file && existsSync(file));
  };
  const reached = (reach: Reach | undefined, entry: Entry, place: string): Ask[] => {
    const sent = reach && whatIsSent(reach, entry);
    return sent === undefined ? [] : [{ ...sent, place, isTyped: isTyped(place) }];
  };
  const fileAsk = (name: string, place: string): Ask => {
    const path = resolve(isTyped(place) ? '.' : dirname(file), name);
    const does = "lies outside of the config's folder, and would be read";
    return { name: path, does, place, isTyped: isTyped(place), path };
  };
  const rows = (entry: object, place: string): Ask[] =>
    rowsOf(entry).map(({ knob, name }) =>
      fileAsk(name, problems.written(`${place}.${knob}`, `${place}.data_files`, place, 'data_files') ?? place),
    );
  const named = entriesOf(loaded).flatMap(({ kind, plugin, place }): Ask[] => {
    if (kind === 'task') return reached(cardOf(registries.tasks, plugin.name)?.reaches, plugin, place);
    if (kind !== 'reward' || rewards === 'unused') return [];
    const { reads: folder, reaches } = findReward(registries.rewards, plugin.name) ?? {};
    return [
      ...reached(reaches, plugin, place),
      ...(folder === undefined ? [] : [fileAsk(String(plugin[folder]), place)]),
    ];
  });
  const ofTasks = config.tasks.flatMap(({ task }, i) => rows(task, placeOfTask(problems, i)));
  const ofStages = config.stages.flatMap((stage, i) =>
    'rows' in stage && stage.rows ? rows(stage.rows, `stages.${i}`) : [],
  );
  return [...named, ...ofTasks, ...ofStages];
}

/** The hosts that a run of the config would ask. */
export function serversOf({ tasks, stages }: RunConfig, registries: Registries): string[] {
  const asked: readonly (readonly [Reach | undefined, Entry])[] = [
    ...tasks.map(({ task }) => [cardOf(registries.tasks, task.name)?.reaches, task] as const),
    ...stages.flatMap((stage) =>
      stage.stage === 'sft'
        ? []
        : stage.rewards.map((reward) => [findReward(registries.rewards, reward.name)?.reaches, reward] as const),
    ),
  ];
  return asked.flatMap(([reach, entry]) => (reach && whatIsSent(reach, entry)?.name) ?? []);
}

/** Undefined where the address is none, as is said where it is opened. */
function whatIsSent({ url, variable, token }: Reach, entry: Entry): Pick<Ask, 'name' | 'does'> | undefined {
  const address = String(entry[url]);
  if (!URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  const named = variable === undefined ? undefined : entry[variable];
  const secret = named ?? (token !== undefined && process.env[token] !== undefined ? token : undefined);
  if (secret === undefined) return { name: host, does: 'would be sent what is sampled' };
  return { name: `${secret}@${host}`, does: `would be sent the value of ${secret}, and what is sampled` };
}
