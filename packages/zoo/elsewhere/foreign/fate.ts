/** What becomes of a key of another trainer's config: how the maps of the trainers are written. */
import type { Json } from '../../../../src/options/json.ts';

/** Values of keys of ours by dotted path (`task.system`); or `rule; remedy`, where they cannot be had. */
export type Computed = Readonly<Record<string, Json | undefined>> | string;

/** The other values of the config that a key is in, by their dotted paths. */
export type ForeignValues = ReadonlyMap<string, Json>;

export type Fate =
  /** The same key with the same meaning. */
  | { readonly kind: 'kept' }
  | { readonly kind: 'renamed'; readonly ours: string }
  /** Its value is worked out; nothing, where that is the default. */
  | {
      readonly kind: 'computed';
      readonly why: string;
      /** The key of ours that it mostly decides, for whoever types it into a config of ours. */
      readonly mostly?: string;
      of(value: Json, all: ForeignValues): Computed;
    }
  /** It has nothing to decide here. */
  | { readonly kind: 'none'; readonly why: string }
  /** `rule; remedy`, unless its value is one of `agrees`, which ask for what happens anyway. */
  | { readonly kind: 'refused'; readonly because: string; readonly agrees: readonly Json[] };

export interface ForeignMap {
  /** As people call it. */
  readonly trainer: 'TRL' | 'verl' | 'axolotl' | 'unsloth';
  /** Where its keys were read. */
  readonly source: string;
  /** By dotted path; one that ends in `.*` is of all keys below it that have no entry. */
  readonly keys: Readonly<Record<string, Fate>>;
  /** Whether keys that are not in the map are read as TRL's. */
  readonly isTrl?: boolean;
  /** What it does without being told, by our key, where that differs and is not a matter of speed. */
  readonly defaults: Readonly<Record<string, Json>>;
}

export const kept: Fate = { kind: 'kept' };

export function renamed(ours: string): Fate {
  return { kind: 'renamed', ours };
}

export function computed(why: string, of: (value: Json, all: ForeignValues) => Computed, mostly?: string): Fate {
  return { kind: 'computed', why, of, ...(mostly !== undefined && { mostly }) };
}

export function none(why: string): Fate {
  return { kind: 'none', why };
}

export function refused(because: string, ...agrees: readonly Json[]): Fate {
  return { kind: 'refused', because, agrees };
}

/** The same fate for several keys. */
export function each(fate: Fate, ...paths: readonly string[]): Record<string, Fate> {
  return Object.fromEntries(paths.map((path) => [path, fate]));
}

/** A switch that, if it is on, asks for these values. */
export function switched(why: string, on: Readonly<Record<string, Json>>): Fate {
  return computed(why, (value) => (value === true ? on : {}), Object.keys(on)[0]);
}

/** A number that is not given where it is not positive, as -1 often says. */
export function positive(why: string, ours: string): Fate {
  return computed(why, (value) => (typeof value === 'number' && value > 0 ? { [ours]: value } : {}), ours);
}

/** What the map says of a path, by its own entry or by that of a section around it. */
export function entryOf({ keys }: ForeignMap, path: string): Fate | undefined {
  if (Object.hasOwn(keys, path)) return keys[path];
  for (let at = path.length; at > 0; at = path.lastIndexOf('.', at - 1)) {
    const section = `${path.slice(0, at)}.*`;
    if (Object.hasOwn(keys, section)) return keys[section];
  }
  return undefined;
}
