/** The methods that a config may name: given to whatever reads a config or opens a run, and imported by neither. */

import { ConfigError } from '../errors.ts';
import type { Plugin } from '../options/keys.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import type { DemonstrationMethod, Method } from './method.ts';
import type { PointParts } from './points.ts';
import type { MethodPoint } from './stage.ts';

/** Methods of the caller, by `methodKey`. */
export type OwnMethods = Readonly<Record<string, Method<unknown>>>;

/** The methods of each point, in the order in which lists show them. */
export type PointMethods = { readonly [P in MethodPoint]: readonly Method<PointParts[P]>[] };

export interface MethodList {
  /** Those that are loaded. The first of a point that has a default is the default. */
  readonly at: PointMethods;
  readonly demonstrations: readonly DemonstrationMethod[];
  /** Every name there is, also of those that are not loaded: for messages. */
  readonly names: Readonly<Record<MethodPoint | 'demonstrations', readonly string[]>>;
  /** Methods from the user's files. They are looked up first. */
  readonly own: OwnMethods;
}

/** A list with the methods of a user's files. */
export function withOwnMethods(list: MethodList, own: OwnMethods): MethodList {
  return { ...list, own: { ...list.own, ...own } };
}

/** What is wrong with a file that is named where nobody has loaded it. */
const NOT_OPENED = 'a file, which the caller has not opened; see openPlugins of rlvr-train/node';

/** What a method of the caller's is looked up by: the name that the config gives, and the export of a file. */
export function methodKey({ name, export: exported }: Plugin): string {
  return typeof exported === 'string' ? `${name}#${exported}` : name;
}

/** What the name of a method means at a point; undefined for a file that is not given, and for an unknown name. */
export function findMethod(list: MethodList, point: MethodPoint, plugin: Plugin): Method<unknown> | undefined {
  const key = methodKey(plugin);
  if (Object.hasOwn(list.own, key)) return list.own[key];
  const known: readonly Method<unknown>[] = list.at[point];
  return known.find(({ id }) => id === plugin.name);
}

/** @throws ConfigError where `findMethod` finds none */
export function lookUp(list: MethodList, point: MethodPoint, plugin: Plugin): Method<unknown> {
  const found = findMethod(list, point, plugin);
  if (found === undefined) throw unknownMethod(list, point, plugin.name);
  return found;
}

/** The method by which a supervised stage shows problems that are played in turns. @throws ConfigError */
export function lookUpDemonstrations(list: MethodList, plugin: Plugin): DemonstrationMethod {
  const own = list.own[methodKey(plugin)] as unknown as DemonstrationMethod | undefined; // it was loaded for a supervised stage
  const found = own ?? list.demonstrations.find(({ id }) => id === plugin.name);
  if (found === undefined) throw unknownMethod(list, 'demonstrations', plugin.name);
  return found;
}

function unknownMethod(list: MethodList, point: MethodPoint | 'demonstrations', name: string): ConfigError {
  const rule = isModuleFile(name) ? NOT_OPENED : `no such method; known are ${list.names[point].join(', ')}`;
  return new ConfigError('unknown-method', `${point}: ${JSON.stringify(name)} — ${rule}.`, { point, name });
}

/** Each name once: where one comes again, with a number (`own`, `own#2`). */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}#${n}`;
    taken.add(free);
    return free;
  });
}
