/** Shapes of values that a user's functions give: what is wrong with a value, at which place in it, in words. */
import { type Flaw, shown } from './calls.node.ts';

/** A part of a value that is not as it should be. */
interface Found {
  /** The part, as a message shows it. */
  readonly seen: string;
  /** `[0].advantages[3]`; empty: the whole value. */
  readonly place: string;
  /** What it should be. */
  readonly words: string;
}

export interface Shape {
  /** For messages: `a text`. */
  readonly words: string;
  /** What does not have the shape. */
  find(value: unknown): Found | undefined;
}

/** Whether a value is an object, and its keys may be looked at. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);

/** A shape that a test decides. */
export function shape(words: string, isKept: (value: unknown) => boolean): Shape {
  return { words, find: (value) => (isKept(value) ? undefined : { seen: shown(value), place: '', words }) };
}

export const ANY = shape('a value', () => true);
export const TEXT = shape('a text', (value) => typeof value === 'string');
export const NUMBER = shape('a number', (value) => typeof value === 'number');
export const FINITE = shape('a finite number', Number.isFinite);
export const FROM_0 = shape('a number of 0 or more', (value) => Number.isFinite(value) && Number(value) >= 0);
export const ABOVE_0 = shape('a number above 0', (value) => Number.isFinite(value) && Number(value) > 0);
export const TRUTH = shape('true or false', (value) => typeof value === 'boolean');
export const COUNT = shape('a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0);
export const COUNT_FROM_0 = shape('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const MAPPING = shape('an object', isMapping);
export const LIST = shape('a list', isList);

export function optional({ words, find }: Shape): Shape {
  return { words: `${words}, or undefined`, find: (value) => (value === undefined ? undefined : find(value)) };
}

interface ListOptions {
  /** Default: any. */
  readonly length?: number;
  readonly words?: string;
}

/** A list, typed or not. @param entry  what each is, by its place */
export function list(entry: Shape | ((place: number) => Shape), options: ListOptions = {}): Shape {
  const of = options.length === undefined ? 'a list' : `a list of ${options.length}`;
  const { length, words = typeof entry === 'function' ? of : `${of}, each ${entry.words}` } = options;
  return {
    words,
    find(value) {
      if (!isList(value)) return { seen: shown(value), place: '', words };
      if ((length ?? value.length) !== value.length) return { seen: `a list of ${value.length}`, place: '', words };
      for (let i = 0; i < value.length; i++) {
        const found = (typeof entry === 'function' ? entry(i) : entry).find(value[i]);
        if (found !== undefined) return { ...found, place: `[${i}]${found.place}` };
      }
      return undefined;
    },
  };
}

/** An object with these members, and any others. */
export function mapping(members: Readonly<Record<string, Shape>>): Shape {
  const words = `{${Object.keys(members).join(', ')}}`;
  return {
    words,
    find(value) {
      if (!isMapping(value)) return { seen: shown(value), place: '', words };
      for (const [name, member] of Object.entries(members)) {
        const found = member.find(value[name]);
        if (found !== undefined) return { ...found, place: `.${name}${found.place}` };
      }
      return undefined;
    },
  };
}

/** What is wrong with a value: `gave 0 at maxTurns`, `give a whole number above 0`. @param verb  `left`: it was written */
export function shapeFlaw(of: Shape, value: unknown, verb: 'gave' | 'left' = 'gave'): Flaw | undefined {
  const found = of.find(value);
  if (found === undefined) return undefined;
  const place = found.place === '' ? '' : ` at ${found.place.replace(/^\./, '')}`;
  return [`${verb} ${found.seen}${place}`, `${verb === 'gave' ? 'give' : 'leave'} ${found.words}`];
}
