/** The methods that a config may name. Readers of configs and openers of runs are given them, and import none. */

import { ConfigError } from '../errors.ts';
import type { Plugin } from '../options/keys.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import type { DemonstrationMethod, Method } from './method.ts';
import type { PointParts } from './points.ts';
import type { MethodPoint } from './stage.ts';

/** Methods of the caller, by `methodKey`. */
export type OwnMethods = Readonly<Record<string, Method<unknown>>>;

/** The methods of each point, in listing order. */
export type PointMethods = { readonly [P in MethodPoint]: readonly Method<PointParts[P]>[] };

export interface MethodList {
  /** The available methods. The first at a point with a default is the default. */
  readonly at: PointMethods;
  readonly demonstrations: readonly DemonstrationMethod[];
  /** Every known name, available or not, for messages. */
  readonly names: Readonly<Record<MethodPoint | 'demonstrations', readonly string[]>>;
  /** Methods from the user's files. They are looked up first. */
  readonly own: OwnMethods;
}

/** A list with the methods of a user's files. */
export function withOwnMethods(list: MethodList, own: OwnMethods): MethodList {
  return { ...list, own: { ...list.own, ...own } };
}

/** The error for a named file that was not loaded. */
const NOT_OPENED = 'a file, which the caller has not opened; see openPlugins of rlvr-train/node';

/** The key of a caller's method: its name in the config, and a file's export. */
export function methodKey({ name, export: exported }: Plugin): string {
  return typeof exported === 'string' ? `${name}#${exported}` : name;
}

/** The method of a name at a point; undefined for a file that is not given, and for an unknown name. */
export function findMethod(list: MethodList, point: MethodPoint, plugin: Plugin): Method<unknown> | undefined {
  const key = methodKey(plugin);
  if (Object.hasOwn(list.own, key)) return list.own[key];
  const methods: readonly Method<unknown>[] = list.at[point];
  return methods.find(({ id }) => id === plugin.name);
}

/** @throws ConfigError where `findMethod` finds none */
export function lookUp(list: MethodList, point: MethodPoint, plugin: Plugin): Method<unknown> {
  const method = findMethod(list, point, plugin);
  if (method === undefined) throw unknownMethod(list, point, plugin.name);
  return method;
}

/** The method that demonstrates multi-turn problems in a supervised stage. @throws ConfigError */
export function lookUpDemonstrations(list: MethodList, plugin: Plugin): DemonstrationMethod {
  const ownMethod = list.own[methodKey(plugin)] as unknown as DemonstrationMethod | undefined; // it was loaded for a supervised stage
  const method = ownMethod ?? list.demonstrations.find(({ id }) => id === plugin.name);
  if (method === undefined) throw unknownMethod(list, 'demonstrations', plugin.name);
  return method;
}

function unknownMethod(list: MethodList, point: MethodPoint | 'demonstrations', name: string): ConfigError {
  const rule = isModuleFile(name) ? NOT_OPENED : `no such method; known are ${list.names[point].join(', ')}`;
  return new ConfigError('unknown-method', `${point}: ${JSON.stringify(name)} — ${rule}.`, { point, name });
}

/** Makes names unique by numbering repeated ones (`own`, `own#2`). */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}#${n}`;
    taken.add(free);
    return free;
  });
}
