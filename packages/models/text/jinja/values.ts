/**
 * Python's values in JavaScript: an int is a bigint, a float a number, a str a string, None null, a list an array. What
 * has no counterpart is a class of this file.
 */
import { TemplateError } from './lexer.ts';
import { compareTexts, floatRepr, lengthOf, textRepr } from './python_text.ts';

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | Undefined
  | Tuple
  | Dict
  | View
  | Once
  | Range
  | Namespace
  | Callable
  | Members
  | Safe;

/** What is not there: empty where it is printed or looped over, an error where anything is asked of it. */
export class Undefined {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export class Tuple {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export class Dict {
  readonly #entries = new Map<unknown, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** As Python, a key that is there already stays as it was first written. */
  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(hashOf(key))?.[1];
  }

  has(key: Value): boolean {
    return this.#entries.has(hashOf(key));
  }

  entries(): readonly (readonly [Value, Value])[] {
    return [...this.#entries.values()];
  }

  keys(): Value[] {
    return this.entries().map(([key]) => key);
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }
}

/** `dict.items()`, `dict.keys()`, `dict.values()`. */
export class View {
  readonly kind: 'items' | 'keys' | 'values';
  readonly items: readonly Value[];

  constructor(kind: View['kind'], of: Dict) {
    this.kind = kind;
    this.items = kind === 'items' ? of.entries().map((entry) => new Tuple(entry)) : of[kind]();
  }
}

/** A generator: true in a condition, without a length, and empty once it was read. */
export class Once {
  #items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  take(): readonly Value[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  next(): Value | undefined {
    const [first] = this.#items;
    this.#items = this.#items.slice(1);
    return first;
  }
}

const MOST_RANGE = 100_000;

export class Range {
  readonly bounds: readonly [bigint, bigint, bigint];
  readonly items: readonly bigint[];

  constructor(from: bigint, to: bigint, step: bigint) {
    if (step === 0n) throw new TemplateError('range() arg 3 must not be zero');
    const exact = step > 0n ? (to - from + step - 1n) / step : (from - to - step - 1n) / -step;
    const length = exact > 0n ? exact : 0n;
    if (length > MOST_RANGE) throw new TemplateError(`range of ${length} numbers`);
    this.bounds = [from, to, step];
    this.items = Array.from({ length: Number(length) }, (_, i) => from + BigInt(i) * step);
  }
}

/** `namespace()`: what a block may set from within a loop. */
export class Namespace {
  readonly values = new Map<string, Value>();
}

/** A function, a method or a macro. */
export class Callable {
  readonly name: string;
  readonly call: (args: CallArguments) => Value;

  constructor(name: string, call: (args: CallArguments) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** An object with named members, such as `loop`. */
export class Members {
  readonly type: string;
  readonly member: (name: string) => Value | undefined;

  constructor(type: string, member: (name: string) => Value | undefined) {
    this.type = type;
    this.member = member;
  }
}

/** `text|safe`: printed and concatenated as it is. Other operations escape HTML in Python, and are refused here. */
export class Safe {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export class CallArguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;

  constructor(positional: readonly Value[], named: ReadonlyMap<string, Value> = new Map()) {
    this.positional = positional;
    this.named = named;
  }

  /**
   * The arguments in the order of `names`.
   *
   * @throws TemplateError where there are more, or one of another name
   */
  take(of: string, ...names: readonly string[]): (Value | undefined)[] {
    if (this.positional.length > names.length) throw new TemplateError(`${of} takes ${names.length} arguments`);
    for (const name of this.named.keys()) {
      const at = names.indexOf(name);
      if (at < 0) throw new TemplateError(`${of} has no argument '${name}'`);
      if (at < this.positional.length) throw new TemplateError(`${of} got argument '${name}' twice`);
    }
    return names.map((name, i) => (i < this.positional.length ? this.positional[i] : this.named.get(name)));
  }
}

/** What a dict finds a key by: equal numbers are one key, whatever their type. */
function hashOf(key: Value): unknown {
  if (typeof key === 'boolean') return BigInt(key);
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  if (key === null || typeof key === 'string' || typeof key === 'bigint') return key;
  throw new TemplateError(`a ${typeOf(key)} as a key is not supported`);
}

const CLASSES = [
  [Undefined, 'Undefined'],
  [Tuple, 'tuple'],
  [Dict, 'dict'],
  [Once, 'generator'],
  [Range, 'range'],
  [Namespace, 'Namespace'],
  [Callable, 'function'],
  [Safe, 'Markup'],
] as const;

/** The name of a value's type, as Python's messages have it. */
export function typeOf(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'string') return 'str';
  if (Array.isArray(value)) return 'list';
  if (value instanceof View) return `dict_${value.kind}`;
  if (value instanceof Members) return value.type;
  return CLASSES.find(([kind]) => value instanceof kind)?.[1] ?? 'object';
}

/**
 * Python's value for a JSON-like one. A number without a fraction is an int, since JSON.parse keeps no `1.0`; a
 * number that is an object, as `Object(1)`, is a float.
 */
export function pythonValue(given: unknown): Value {
  if (given === null || typeof given === 'boolean' || typeof given === 'string' || typeof given === 'bigint')
    return given;
  if (typeof given === 'number') return Number.isInteger(given) ? BigInt(given) : given;
  if (given instanceof Number) return given.valueOf();
  if (Array.isArray(given)) return given.map(pythonValue);
  if (typeof given === 'object') {
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    return new Dict(entries.map(([key, value]) => [key, pythonValue(value)] as const));
  }
  throw new TemplateError(`a ${typeof given} cannot be given to a template`);
}

export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return false;
  if (value instanceof Undefined) return false;
  if (value instanceof Safe) return value.text !== '';
  if (value instanceof Dict) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Tuple || value instanceof View || value instanceof Range) return value.items.length > 0;
  return true;
}

/** `str(value)`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Safe) return value.text;
  if (value instanceof Undefined) return '';
  return reprOf(value);
}

/** `repr(value)`. @throws TemplateError where it has an address in memory */
export function reprOf(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return floatRepr(value);
  if (typeof value === 'string') return textRepr(value);
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Safe) return `Markup(${textRepr(value.text)})`;
  const listed = (items: readonly Value[]): string => items.map(reprOf).join(', ');
  if (Array.isArray(value)) return `[${listed(value)}]`;
  if (value instanceof Tuple)
    return value.items.length === 1 ? `(${listed(value.items)},)` : `(${listed(value.items)})`;
  if (value instanceof View) return `dict_${value.kind}([${listed(value.items)}])`;
  if (value instanceof Dict)
    return `{${value
      .entries()
      .map((entry) => entry.map(reprOf).join(': '))
      .join(', ')}}`;
  if (value instanceof Range) {
    const [from, to, step] = value.bounds;
    return `range(${from}, ${to}${step === 1n ? '' : `, ${step}`})`;
  }
  throw new TemplateError(`a ${typeOf(value)} cannot be printed`);
}

/** The elements that a loop runs over. @throws TemplateError where the value has none */
export function itemsOf(value: Value): readonly Value[] {
  if (typeof value === 'string') return Array.from(value);
  if (Array.isArray(value)) return value;
  if (value instanceof Undefined) return [];
  if (value instanceof Dict) return value.keys();
  if (value instanceof Tuple || value instanceof View || value instanceof Range) return value.items;
  if (value instanceof Once) return value.take();
  throw new TemplateError(`'${typeOf(value)}' object is not iterable`);
}

/** `len(value)`. @throws TemplateError */
export function lengthOfValue(value: Value): bigint {
  if (typeof value === 'string') return BigInt(lengthOf(value));
  if (value instanceof Dict) return BigInt(value.size);
  if (value instanceof Undefined) return 0n;
  if (Array.isArray(value)) return BigInt(value.length);
  if (value instanceof Tuple || value instanceof View || value instanceof Range) return BigInt(value.items.length);
  throw new TemplateError(`object of type '${typeOf(value)}' has no len()`);
}

/** A bool, int or float as a number; undefined: it is none of them. */
export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'boolean') return BigInt(value);
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** `==`. */
export function areEqual(a: Value, b: Value): boolean {
  const [x, y] = [numberOf(a), numberOf(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are compared by their exact values
  if (x !== undefined && y !== undefined) return x == y;
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof Safe || b instanceof Safe) {
    const text = (value: Value): unknown => (value instanceof Safe ? value.text : value);
    return text(a) === text(b);
  }
  const [left, right] = [sequenceOf(a), sequenceOf(b)];
  if (left !== undefined && right !== undefined && typeOf(a) === typeOf(b)) {
    return left.length === right.length && left.every((item, i) => areEqual(item, right[i]));
  }
  if (a instanceof Dict && b instanceof Dict) {
    return a.size === b.size && a.entries().every(([key, value]) => b.has(key) && areEqual(value, b.get(key)!));
  }
  return a === b;
}

function sequenceOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple || value instanceof Range ? value.items : undefined;
}

/** Below 0, 0 or above 0, as `a` is less, equal or more. @throws TemplateError where Python has no order */
export function compareValues(a: Value, b: Value, operator = '<'): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  const [left, right] = [sequenceOf(a), sequenceOf(b)];
  if (left === undefined || right === undefined || typeOf(a) !== typeOf(b) || a instanceof Range) {
    requireDefined(a);
    requireDefined(b);
    const types = `'${typeOf(a)}' and '${typeOf(b)}'`;
    throw new TemplateError(`'${operator}' not supported between instances of ${types}`);
  }
  const at = left.findIndex((item, i) => i >= right.length || !areEqual(item, right[i]));
  if (at < 0) return left.length - right.length;
  return at < right.length ? compareValues(left[at], right[at], operator) : 1;
}

/** @throws TemplateError where the value is undefined */
export function requireDefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateError(value.message);
}

/** `item in holder`. @throws TemplateError */
export function contains(holder: Value, item: Value): boolean {
  if (typeof holder === 'string') {
    if (typeof item === 'string') return holder.includes(item);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeOf(item)}`);
  }
  if (holder instanceof Dict) return holder.has(item);
  return itemsOf(holder).some((each) => areEqual(each, item));
}
