/** What the name of a method in a config means: one of the registry, or one of the caller's. */

import { ConfigError } from '../errors.ts';
import type { Plugin } from '../options/keys.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import type { Method } from './method.ts';
import { METHODS } from './registry.ts';
import type { MethodPoint } from './stage.ts';

/** What is wrong with a file that is named where nobody has loaded it. */
export const NOT_OPENED = 'a file, which the caller has not opened; see openPlugins of rlvr-train/node';

/** Methods of the caller, by `methodKey`. */
export type OwnMethods = Readonly<Record<string, Method<unknown>>>;

/** What a method of the caller's is looked up by: the name that the config gives, and the export of a file. */
export function methodKey({ name, export: exported }: Plugin): string {
  return typeof exported === 'string' ? `${name}#${exported}` : name;
}

/** What the name of a method means at a point; undefined for a file that is not given, and for what there is not. */
export function findMethod(point: MethodPoint, plugin: Plugin, own: OwnMethods): Method<unknown> | undefined {
  const key = methodKey(plugin);
  if (Object.hasOwn(own, key)) return own[key];
  const known: readonly Method<unknown>[] = METHODS[point];
  return known.find(({ id }) => id === plugin.name);
}

/** @throws ConfigError where `findMethod` finds none */
export function lookUp(point: MethodPoint, plugin: Plugin, own: OwnMethods): Method<unknown> {
  const found = findMethod(point, plugin, own);
  if (found !== undefined) return found;
  const { name } = plugin;
  const rule = isModuleFile(name)
    ? NOT_OPENED
    : `no such method; known are ${METHODS[point].map(({ id }) => id).join(', ')}`;
  throw new ConfigError('unknown-method', `${point}: ${JSON.stringify(name)} — ${rule}.`, { point, name });
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
