/** How much of a system runs here: from its config's lines and the registries; nothing says so by hand. */
import { parseConfig } from '../../../../src/config/load.ts';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { ZOO } from '../../registries.ts';
import type { Catalogue } from '../catalogue.ts';
import { knownKeys } from '../key_facts.ts';
import { catalogue } from '../whole_catalogue.ts';
import { MECHANISMS } from './papers.ts';
import type { System } from './system.ts';
import { configName, plainConfig, systemConfig } from './system_config.ts';

/** Something of this package that a system is run with. */
export interface Thing {
  readonly kind: 'method' | 'reward' | 'task' | 'category' | 'key' | 'stages' | 'page';
  /** As the config spells it; of a page, its path in docs/. */
  readonly name: string;
}

/**
 * Where a part is:
 *
 *   lines    in its config's lines
 *   default  in its config, which has it without saying so
 *   apart    in this package, and not in its config
 *   nowhere  not in this package
 */
export type Place = 'lines' | 'default' | 'apart' | 'nowhere';

/** A mechanism of a system. */
export interface Part {
  /** As the system's entry names it. */
  readonly id: string;
  /** What it is here: what of it the config has; where it has nothing, all that there is; nothing: it is missing. */
  readonly by: readonly Thing[];
  readonly at: Place;
  readonly lacks?: string;
}

/**
 * run here    each of its parts is in its config
 * parts here  some are, or are here without a config, or are otherwise here than in the paper
 * not here    nothing of it is, or there is nothing to build
 */
export type Status = 'run here' | 'parts here' | 'not here';

export interface SystemState {
  readonly status: Status;
  readonly parts: readonly Part[];
}

/** @returns the state of each system that it is asked for; the registry is read once, and each config */
export function systemStates(): (system: System) => SystemState {
  const all = catalogue();
  const find = thingsByName(all);
  const known = new Map<System, SystemState>();
  const stateOf = (system: System): SystemState => {
    const { uses, differs } = system;
    const has = configName(system) === undefined ? nothing : contentsOf(system, all.tasks);
    const parts = uses.split(' ').flatMap((id) => (id === '' ? [] : [partOf(id, find, has)]));
    return { status: statusOf(parts, differs !== undefined), parts };
  };
  return (system) => {
    const state = known.get(system) ?? stateOf(system);
    known.set(system, state);
    return state;
  };
}

function statusOf(parts: readonly Part[], differs: boolean): Status {
  if (parts.every(({ at }) => at === 'nowhere')) return 'not here';
  const isWhole = parts.every(({ at, lacks }) => (at === 'lines' || at === 'default') && lacks === undefined);
  return isWhole && !differs ? 'run here' : 'parts here';
}

type Find = (name: string) => Thing | undefined;
/** Whether a config has a thing, and whether its system's own lines say so. */
type Has = (thing: Thing) => 'lines' | 'default' | undefined;

const nothing: Has = () => undefined;

/** @throws Error for a name in mechanisms.yaml that nothing has */
function partOf(id: string, find: Find, has: Has): Part {
  if (!Object.hasOwn(MECHANISMS, id)) {
    const thing = find(id) ?? find(id.replaceAll('-', '_'));
    return placed(id, thing === undefined ? [] : [thing], has);
  }
  const { by, lacks } = MECHANISMS[id];
  const things = by.split(' ').map((name) => {
    const thing = find(name);
    if (thing === undefined) throw new Error(`mechanisms.yaml: ${id} — nothing is called ${name}`);
    return thing;
  });
  return { ...placed(id, things, has), lacks };
}

function placed(id: string, things: readonly Thing[], has: Has): Part {
  for (const at of ['lines', 'default'] as const) {
    const there = things.filter((thing) => has(thing) === at);
    if (there.length > 0) return { id, by: there, at };
  }
  return { id, by: things, at: things.length === 0 ? 'nowhere' : 'apart' };
}

/** What a config has, and what its lines name. */
function contentsOf(system: System, catalogueTasks: Catalogue['tasks']): Has {
  const { config } = parseConfig(systemConfig(system), { file: system.name, registries: ZOO });
  const { config: plain } = parseConfig(plainConfig(system), { file: system.name, registries: ZOO });
  const own = namesIn(config);
  const usual = namesIn(plain);
  const said = new Set((system.keys ?? []).flatMap((line) => line.split(/[^\w-]+/)));
  const [keys, all] = [system.keys ?? [], systemConfig(system).split('\n')].map(
    (lines) => new Set(lines.flatMap((line) => [...line.matchAll(/([a-z0-9_]+):/g)].map(([, key]) => key))),
  );
  const categories = new Set(catalogueTasks.flatMap(({ name, category }) => (own.has(name) ? [category] : [])));
  const inOwn = (name: string): ReturnType<Has> => {
    if (!own.has(name)) return undefined;
    return said.has(name) || !usual.has(name) ? 'lines' : 'default';
  };
  const shapes: Readonly<Record<string, boolean>> = {
    sft: config.stages.some(({ stage }) => stage === 'sft'),
    several: config.stages.filter(({ stage }) => stage === 'grpo').length > 1,
  };
  const byKind: Readonly<Record<Thing['kind'], (name: string) => ReturnType<Has>>> = {
    method: inOwn,
    reward: inOwn,
    task: inOwn,
    category: (name) => (categories.has(name) ? 'lines' : undefined),
    key: (name) => (keys.has(name) ? 'lines' : all.has(name) ? 'default' : undefined),
    stages: (name) => (shapes[name] ? 'lines' : undefined),
    page: () => undefined,
  };
  return ({ kind, name }) => byKind[kind](name);
}

/** Methods, rewards and tasks of a config, defaults among them. */
function namesIn({ stages, tasks }: RunConfig): ReadonlySet<string> {
  const ofStages = stages.flatMap((stage) =>
    stage.stage === 'sft'
      ? (stage.demonstrations?.name ?? [])
      : [...METHOD_POINTS.flatMap((point) => stage.methods[point]), ...stage.rewards].map(({ name }) => name),
  );
  return new Set([...ofStages, ...tasks.flatMap(({ task }) => tasksIn(task))]);
}

/** A task, and the one that it is made of. */
function tasksIn(task: unknown): string[] {
  if (typeof task === 'string') return [task];
  const {
    name,
    task: inner,
    of,
  } = (task ?? {}) as { readonly name?: string; readonly task?: string; readonly of?: unknown };
  const called = name ?? inner;
  return [...(called === undefined ? [] : [called]), ...(of === undefined ? [] : tasksIn(of))];
}

function thingsByName({ methods, rewards, tasks }: Catalogue): Find {
  const keys = new Set(knownKeys());
  const categories = new Set(tasks.map(({ category }) => category));
  const found = new Map<string, Thing>();
  for (const { name } of tasks) found.set(name, { kind: 'task', name });
  for (const { name } of rewards) found.set(name, { kind: 'reward', name });
  for (const { name } of methods) found.set(name, { kind: 'method', name });
  const isKnown: Readonly<Record<string, (name: string) => boolean>> = {
    page: () => true,
    key: (name) => keys.has(name),
    category: (name) => categories.has(name),
    stages: (name) => name === 'sft' || name === 'several',
  };
  return (written) => {
    const [kind, name] = [written.slice(0, written.indexOf(':')), written.slice(written.indexOf(':') + 1)];
    if (!Object.hasOwn(isKnown, kind)) return found.get(written);
    return isKnown[kind](name) ? { kind: kind as Thing['kind'], name } : undefined;
  };
}
