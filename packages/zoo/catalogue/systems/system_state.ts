/** How much of a system is here, from what the registry knows: nothing says so by hand. */
import type { Catalogue } from '../catalogue.ts';
import { knownKeys } from '../key_facts.ts';
import { catalogue } from '../whole_catalogue.ts';
import { MECHANISMS } from './papers.ts';
import type { System } from './system.ts';

/** Something of this package that a system is run with. */
export interface Thing {
  readonly kind: 'method' | 'reward' | 'task' | 'key' | 'page';
  /** As the config spells it; of a page, its path in docs/. */
  readonly name: string;
}

/** A mechanism of a system. */
export interface Part {
  /** As the system's entry names it. */
  readonly id: string;
  /** What it is here; nothing: it is missing. */
  readonly by: readonly Thing[];
  readonly lacks?: string;
}

/** `outside`: there is nothing to build of it here. */
export type Status = 'whole' | 'partly' | 'not built' | 'outside';

export interface SystemState {
  readonly status: Status;
  readonly parts: readonly Part[];
}

/** @returns the state of each system that it is asked for; the registry is read once */
export function systemStates(): (system: System) => SystemState {
  const find = thingsByName(catalogue());
  return ({ uses, differs }) => {
    const parts = uses.split(' ').flatMap((id) => (id === '' ? [] : [partOf(id, find)]));
    return { status: statusOf(parts, differs !== undefined), parts };
  };
}

function statusOf(parts: readonly Part[], differs: boolean): Status {
  if (parts.length === 0) return 'outside';
  if (parts.every(({ by }) => by.length === 0)) return 'not built';
  return differs || parts.some(({ by, lacks }) => by.length === 0 || lacks !== undefined) ? 'partly' : 'whole';
}

type Find = (name: string) => Thing | undefined;

/** @throws Error for a name in mechanisms.yaml that nothing has */
function partOf(id: string, find: Find): Part {
  if (!Object.hasOwn(MECHANISMS, id)) {
    const thing = find(id) ?? find(id.replaceAll('-', '_'));
    return { id, by: thing === undefined ? [] : [thing] };
  }
  const { by, lacks } = MECHANISMS[id];
  const things = by.split(' ').map((name) => {
    const thing = find(name);
    if (thing === undefined) throw new Error(`mechanisms.yaml: ${id} — nothing is called ${name}`);
    return thing;
  });
  return { id, by: things, lacks };
}

function thingsByName({ methods, rewards, tasks }: Catalogue): Find {
  const keys = new Set(knownKeys());
  const found = new Map<string, Thing>();
  for (const { name } of tasks) found.set(name, { kind: 'task', name });
  for (const { name } of rewards) found.set(name, { kind: 'reward', name });
  for (const { name } of methods) found.set(name, { kind: 'method', name });
  return (name) => {
    if (name.startsWith('page:')) return { kind: 'page', name: name.slice('page:'.length) };
    if (!name.startsWith('key:')) return found.get(name);
    const key = name.slice('key:'.length);
    return keys.has(key) ? { kind: 'key', name: key } : undefined;
  };
}
