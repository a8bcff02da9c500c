/** `a.b` and `a['b']`: methods of Python's types, elements and slices. */
import { TemplateError } from './lexer.ts';
import { pointsOf } from './python_text.ts';
import { requireInt, TEXT_METHODS, UNREAD_METHODS } from './text_methods.ts';
import {
  areEqual,
  type CallArguments,
  Callable,
  Dict,
  itemsOf,
  Members,
  Namespace,
  Range,
  requireDefined,
  Tuple,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';

/** A slice's bounds, which only an index may be. */
export class Slice {
  readonly bounds: readonly (Value | undefined)[];

  constructor(bounds: readonly (Value | undefined)[]) {
    this.bounds = bounds;
  }
}

const DICT_METHODS: Readonly<Record<string, (dict: Dict, args: CallArguments) => Value>> = {
  items: (dict, args) => view('items', dict, args),
  keys: (dict, args) => view('keys', dict, args),
  values: (dict, args) => view('values', dict, args),
  get: (dict, args) => {
    const [key = null, fallback = null] = args.take('get()', 'key', 'default');
    return orElse(dict.get(key), () => fallback);
  },
};

const LIST_METHODS: Readonly<Record<string, (items: readonly Value[], args: CallArguments) => Value>> = {
  index: (items, args) => {
    const [value = null, start = 0n] = args.take('index()', 'value', 'start');
    const at = items.findIndex((item, i) => BigInt(i) >= (start as bigint) && areEqual(item, value));
    if (at < 0) throw new TemplateError('the value is not in the list');
    return BigInt(at);
  },
  count: (items, args) => {
    const [value = null] = args.take('count()', 'value');
    return BigInt(items.filter((item) => areEqual(item, value)).length);
  },
};

function view(kind: View['kind'], dict: Dict, args: CallArguments): View {
  args.take(`${kind}()`);
  return new View(kind, dict);
}

/** A method or member by name, without a look at elements; undefined: there is none. @throws TemplateError */
export function memberOf(of: Value, name: string): Value | undefined {
  requireDefined(of);
  if (name.startsWith('__')) return new Undefined(`access to '${name}' is unsafe`);
  if (of instanceof Members) return of.member(name);
  if (of instanceof Namespace) return of.values.get(name);
  const type = typeOf(of);
  if (typeof of === 'string' && Object.hasOwn(TEXT_METHODS, name)) {
    return new Callable(name, (args) => TEXT_METHODS[name](of, args));
  }
  if (of instanceof Dict && Object.hasOwn(DICT_METHODS, name)) {
    return new Callable(name, (args) => DICT_METHODS[name](of, args));
  }
  const items = Array.isArray(of) ? of : of instanceof Tuple ? of.items : undefined;
  if (items !== undefined && Object.hasOwn(LIST_METHODS, name)) {
    return new Callable(name, (args) => LIST_METHODS[name](items, args));
  }
  const isUnread = UNREAD_METHODS[type]?.includes(name) || ['function', 'Markup', 'generator'].includes(type);
  if (isUnread) throw new TemplateError(`'${name}' of type ${type} is not supported`);
  return undefined;
}

/** `of.name`: a method first, then an element. */
export function attributeOf(of: Value, name: string): Value {
  const member = memberOf(of, name);
  if (member !== undefined) return member;
  return orElse(of instanceof Dict ? of.get(name) : undefined, () => missing(of, name));
}

/** None is a value. */
function orElse(value: Value | undefined, fallback: () => Value): Value {
  return value === undefined ? fallback() : value;
}

function missing(of: Value, name: string): Undefined {
  return new Undefined(`'${typeOf(of)} object' has no attribute '${name}'`);
}

/** `of[index]`: an element first, then a method; undefined where there is neither. */
export function elementOf(of: Value, index: Value | Slice): Value {
  requireDefined(of);
  if (index instanceof Slice) return sliceOf(of, index);
  if (of instanceof Dict) {
    const value = of.get(index);
    if (value !== undefined) return value;
  } else if (typeof index === 'bigint' || typeof index === 'boolean') {
    const items = indexed(of);
    const at = Number(index);
    const value = items?.[at < 0 ? at + items.length : at];
    return orElse(value, () => missing(of, String(index)));
  }
  if (typeof index === 'string') return orElse(memberOf(of, index), () => missing(of, index));
  return new Undefined(`'${typeOf(of)} object' has no element ${typeOf(index)}`);
}

function indexed(of: Value): readonly Value[] | undefined {
  if (typeof of === 'string') return pointsOf(of);
  if (Array.isArray(of)) return of;
  return of instanceof Tuple || of instanceof Range ? of.items : undefined;
}

function sliceOf(of: Value, { bounds }: Slice): Value {
  const items = indexed(of);
  if (items === undefined) throw new TemplateError(`'${typeOf(of)}' object has no slices`);
  const [from, to, step] = bounds.map((bound) =>
    bound === undefined || bound === null ? undefined : requireInt(bound, 'slice indices'),
  );
  const by = step ?? 1;
  if (by === 0) throw new TemplateError('slice step cannot be zero');
  const { length } = items;
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const at = (bound: number | undefined, fallback: number): number =>
    bound === undefined ? fallback : Math.min(highest, Math.max(lowest, bound < 0 ? bound + length : bound));
  const begin = at(from, by > 0 ? 0 : length - 1);
  const end = at(to, by > 0 ? length : -1);
  const taken: Value[] = [];
  for (let i = begin; by > 0 ? i < end : i > end; i += by) taken.push(items[i]);
  if (typeof of === 'string') return taken.join('');
  if (of instanceof Range) throw new TemplateError('a slice of a range is not supported');
  return Array.isArray(of) ? taken : new Tuple(taken);
}

/** Elements by a path such as `function.name`, as filters take it; `fallback` where an element is missing. */
export function attributeGetter(path: Value, fallback: Value | undefined): (item: Value) => Value {
  const parts: Value[] =
    typeof path === 'string' ? path.split('.').map((part) => (/^\d+$/.test(part) ? BigInt(part) : part)) : [path];
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = elementOf(value, part);
      if (value instanceof Undefined && fallback !== undefined && fallback !== null) value = fallback;
    }
    return value;
  };
}

/** What a function of a template takes apart: `for key, value in …`. @throws TemplateError */
export function unpacked(value: Value, count: number): readonly Value[] {
  const items = itemsOf(value);
  if (items.length === count) return items;
  throw new TemplateError(`${items.length} values to unpack, expected ${count}`);
}
