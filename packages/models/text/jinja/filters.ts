/** Jinja's filters. What is not here is refused by name. */
import { operate } from './arithmetic.ts';
import { percentFormat } from './format.ts';
import { toJson } from './json.ts';
import { TemplateError } from './lexer.ts';
import { attributeGetter, memberOf } from './members.ts';
import { fixed, lengthOf, linesOf, pointsOf, splitText, stripped } from './python_text.ts';
import { passes } from './tests.ts';
import { capitalized, replaceText, requireInt, requireText, TEXT_METHODS } from './text_methods.ts';
import {
  areEqual,
  CallArguments,
  compareValues,
  Dict,
  isTrue,
  itemsOf,
  lengthOfValue,
  numberOf,
  Once,
  requireDefined,
  Safe,
  Tuple,
  textOf,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';

type Filter = (value: Value, args: CallArguments) => Value;

/** Does `change` with the value as a text. */
function ofText(change: (text: string) => Value): Filter {
  return (value, args) => {
    args.take('the filter');
    return change(textOf(value));
  };
}

/** What is compared: texts without their case. */
function comparable(value: Value, isSensitive: Value): Value {
  return typeof value === 'string' && !isTrue(isSensitive) ? value.toLowerCase() : value;
}

function sorted(items: readonly Value[], keyOf: (item: Value) => Value, isReversed: Value): Value[] {
  const sign = isTrue(isReversed) ? -1 : 1;
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((a, b) => sign * compareValues(a.key, b.key)).map(({ item }) => item);
}

function getter(path: Value | undefined, fallback?: Value): (item: Value) => Value {
  return path === undefined || path === null ? (item) => item : attributeGetter(path, fallback);
}

function extreme(name: string, sign: 1 | -1): Filter {
  return (value, args) => {
    const [sensitive = false, attribute] = args.take(name, 'case_sensitive', 'attribute');
    const items = itemsOf(value);
    if (items.length === 0) return new Undefined('No aggregated item, sequence was empty.');
    const keyOf = getter(attribute);
    const key = (item: Value): Value => comparable(keyOf(item), sensitive);
    return items.reduce((best, item) => (sign * compareValues(key(item), key(best)) < 0 ? item : best));
  };
}

function selecting(isKept: boolean, byAttribute: boolean): Filter {
  return (value, args) => {
    if (args.named.size > 0) throw new TemplateError('named arguments of select and reject are not supported');
    const [first, ...others] = args.positional;
    if (byAttribute && first === undefined) throw new TemplateError('the name of an attribute is missing');
    const of = byAttribute ? attributeGetter(first, undefined) : (item: Value): Value => item;
    const [test, ...rest] = byAttribute ? others : args.positional;
    const holds = (item: Value): boolean =>
      test === undefined ? isTrue(item) : passes(requireText(test, 'a test'), item, rest);
    return new Once(itemsOf(value).filter((item) => holds(of(item)) === isKept));
  };
}

function dictOf(value: Value, what: string): Dict {
  if (value instanceof Dict) return value;
  requireDefined(value);
  throw new TemplateError(`${what} of a ${typeOf(value)}`);
}

function rounded(value: Value, args: CallArguments): Value {
  const [precision = 0n, method = 'common'] = args.take('round', 'precision', 'method');
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`round of a ${typeOf(value)}`);
  const digits = requireInt(precision, 'precision');
  if (digits < 0) throw new TemplateError('round with a negative precision is not supported');
  if (method === 'common') return typeof number === 'bigint' ? number : Number(fixed(number, digits));
  if (method !== 'ceil' && method !== 'floor') throw new TemplateError('method must be common, ceil or floor');
  return Math[method](Number(number) * 10 ** digits) / 10 ** digits;
}

function toInt(value: Value, args: CallArguments): Value {
  const [fallback = 0n, base = 10n] = args.take('int', 'default', 'base');
  if (typeof value === 'string') {
    const text = stripped(value, 'both');
    if (base !== 10n) throw new TemplateError('int with a base is not supported');
    if (/^[+-]?\d+(_\d+)*$/.test(text)) return BigInt(text.replace(/[_+]/g, ''));
  }
  const number = toFloat(value);
  if (number === undefined) return fallback;
  if (typeof number === 'bigint') return number;
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : fallback;
}

function toFloat(value: Value): bigint | number | undefined {
  if (typeof value !== 'string') {
    requireDefined(value);
    return numberOf(value);
  }
  const text = stripped(value, 'both').replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(text) ? Number.NaN : undefined;
}

function indented(value: Value, args: CallArguments): Value {
  const [width = 4n, first = false, blank = false] = args.take('indent', 'width', 'first', 'blank');
  const indent = typeof width === 'string' ? width : ' '.repeat(Math.min(1000, requireInt(width, 'width')));
  const lines = linesOf(`${requireText(value, 'indent')}\n`, false);
  const rest = lines.map((line, i) => (i === 0 || (line === '' && !isTrue(blank)) ? line : indent + line));
  return (isTrue(first) ? indent : '') + rest.join('\n');
}

function truncated(value: Value, args: CallArguments): Value {
  const [length = 255n, kill = false, end = '...', leeway] = args.take(
    'truncate',
    'length',
    'killwords',
    'end',
    'leeway',
  );
  const [most, tail] = [requireInt(length, 'length'), requireText(end, 'end')];
  const text = requireText(value, 'truncate');
  if (most < lengthOf(tail)) throw new TemplateError(`expected length >= ${lengthOf(tail)}, got ${most}`);
  const more = leeway === undefined || leeway === null ? 5 : requireInt(leeway, 'leeway');
  if (lengthOf(text) <= most + more) return text;
  const cut = pointsOf(text)
    .slice(0, most - lengthOf(tail))
    .join('');
  return (isTrue(kill) ? cut : splitText(cut, ' ', 1, true)[0]) + tail;
}

function grouped(value: Value, args: CallArguments): Value {
  const [attribute = null, fallback, sensitive = false] = args.take(
    'groupby',
    'attribute',
    'default',
    'case_sensitive',
  );
  const of = attributeGetter(attribute, fallback);
  const key = (item: Value): Value => comparable(of(item), sensitive);
  const groups: Value[][] = [];
  for (const item of sorted(itemsOf(value), key, false)) {
    const last = groups.at(-1);
    if (last !== undefined && areEqual(key(last[0]), key(item))) last.push(item);
    else groups.push([item]);
  }
  return groups.map((group) => new Tuple([of(group[0]), group]));
}

function mapped(value: Value, args: CallArguments): Value {
  const [name, ...rest] = args.positional;
  if (name === undefined) {
    const [attribute = null, fallback] = args.take('map', 'attribute', 'default');
    return new Once(itemsOf(value).map(attributeGetter(attribute, fallback)));
  }
  const inner = new CallArguments(rest, args.named);
  return new Once(itemsOf(value).map((item) => filtered(requireText(name, 'a filter'), item, inner)));
}

function batched(value: Value, args: CallArguments): Value {
  const [count, fill = null] = args.take('batch', 'linecount', 'fill_with');
  const size = requireInt(count, 'linecount');
  if (size < 1 || size > 10_000) throw new TemplateError(`batch of ${size}`);
  const items = itemsOf(value);
  const batches: Value[] = [];
  for (let i = 0; i < items.length; i += size) {
    const batch = items.slice(i, i + size);
    batches.push(fill === null ? batch : [...batch, ...Array<Value>(size - batch.length).fill(fill)]);
  }
  return new Once(batches);
}

function sliced(value: Value, args: CallArguments): Value {
  const [count, fill = null] = args.take('slice', 'slices', 'fill_with');
  const slices = requireInt(count, 'slices');
  if (slices < 1 || slices > 10_000) throw new TemplateError(`slice in ${slices}`);
  const items = itemsOf(value);
  const longer = items.length % slices;
  const short = Math.floor(items.length / slices);
  const made: Value[] = [];
  let begin = 0;
  for (let i = 0; i < slices; i++) {
    const slice = items.slice(begin, begin + short + (i < longer ? 1 : 0));
    begin += slice.length;
    made.push(fill !== null && i >= longer ? [...slice, fill] : slice);
  }
  return new Once(made);
}

function reversed(value: Value): Value {
  if (typeof value === 'string') return pointsOf(value).reverse().join('');
  return new Once([...itemsOf(value)].reverse());
}

function last(value: Value): Value {
  if (value instanceof Once || value instanceof Undefined) throw new TemplateError(`last of a ${typeOf(value)}`);
  return (
    itemsOf(value).at(-1) ?? (lengthOfValue(value) === 0n ? new Undefined('No last item, sequence was empty.') : null)
  );
}

function first(value: Value): Value {
  const taken = value instanceof Once ? value.next() : itemsOf(value)[0];
  return taken === undefined ? new Undefined('No first item, sequence was empty.') : taken;
}

const lengthFilter: Filter = (value) => lengthOfValue(value);

const fallbackFilter: Filter = (value, args) => {
  const [fallback = '', isBoolean = false] = args.take('default', 'default_value', 'boolean');
  return value instanceof Undefined || (isTrue(isBoolean) && !isTrue(value)) ? fallback : value;
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function escaped(value: Value): Value {
  return value instanceof Safe
    ? value
    : new Safe(textOf(value).replace(/[&<>"']/g, (character) => ENTITIES[character]));
}

const FILTERS: Readonly<Record<string, Filter>> = {
  abs: (value) => {
    const number = numberOf(value);
    if (number === undefined) throw new TemplateError(`abs of a ${typeOf(value)}`);
    return number < 0 ? -number : number;
  },
  attr: (value, args) => {
    const name = requireText(args.take('attr', 'name')[0], 'attr');
    return memberOf(value, name) ?? new Undefined(`'${typeOf(value)} object' has no attribute '${name}'`);
  },
  batch: batched,
  capitalize: ofText(capitalized),
  center: (value, args) =>
    TEXT_METHODS.center(textOf(value), new CallArguments([args.take('center', 'width')[0] ?? 80n])),
  count: lengthFilter,
  d: fallbackFilter,
  default: fallbackFilter,
  dictsort: (value, args) => {
    const [sensitive = false, by = 'key', reverse = false] = args.take('dictsort', 'case_sensitive', 'by', 'reverse');
    if (by !== 'key' && by !== 'value') throw new TemplateError('You can only sort by either "key" or "value"');
    const entries = dictOf(value, 'dictsort')
      .entries()
      .map((entry) => new Tuple(entry));
    const place = by === 'key' ? 0 : 1;
    return sorted(entries, (entry) => comparable((entry as Tuple).items[place], sensitive), reverse);
  },
  e: escaped,
  escape: escaped,
  first,
  float: (value, args) => {
    const [fallback = 0] = args.take('float', 'default');
    const number = toFloat(value);
    return number === undefined ? fallback : Number(number);
  },
  format: (value, args) => {
    const { positional, named } = args;
    if (positional.length > 0 && named.size > 0) throw new TemplateError('format takes positional or named arguments');
    return percentFormat(textOf(value), named.size > 0 ? new Dict(named) : new Tuple(positional));
  },
  groupby: grouped,
  indent: indented,
  int: toInt,
  items: (value) =>
    value instanceof Undefined ? new Once([]) : new Once(new View('items', dictOf(value, 'items')).items),
  join: (value, args) => {
    const [separator = '', attribute] = args.take('join', 'd', 'attribute');
    return itemsOf(value).map(getter(attribute)).map(textOf).join(textOf(separator));
  },
  last,
  length: lengthFilter,
  list: (value) => [...itemsOf(value)],
  lower: ofText((text) => text.toLowerCase()),
  map: mapped,
  max: extreme('max', -1),
  min: extreme('min', 1),
  reject: selecting(false, false),
  rejectattr: selecting(false, true),
  replace: (value, args) => {
    const [from = null, to = null, count = null] = args.take('replace', 'old', 'new', 'count');
    return replaceText(textOf(value), textOf(from), textOf(to), count === null ? -1 : requireInt(count, 'count'));
  },
  reverse: reversed,
  round: rounded,
  safe: (value) => new Safe(textOf(value)),
  select: selecting(true, false),
  selectattr: selecting(true, true),
  slice: sliced,
  sort: (value, args) => {
    const [reverse = false, sensitive = false, attribute] = args.take('sort', 'reverse', 'case_sensitive', 'attribute');
    if (typeof attribute === 'string' && attribute.includes(',')) {
      throw new TemplateError('sort by several attributes is not supported');
    }
    const keyOf = getter(attribute);
    return sorted(itemsOf(value), (item) => comparable(keyOf(item), sensitive), reverse);
  },
  string: ofText((text) => text),
  sum: (value, args) => {
    const [attribute, start = 0n] = args.take('sum', 'attribute', 'start');
    if (typeof start === 'string') throw new TemplateError("sum() can't sum strings");
    return itemsOf(value)
      .map(getter(attribute))
      .reduce((sum, item) => operate('+', sum, item), start);
  },
  title: ofText((text) =>
    text
      .split(/([-\s({[<]+)/)
      .map(capitalized)
      .join(''),
  ),
  tojson: toJson,
  trim: (value, args) => {
    const [characters = null] = args.take('trim', 'chars');
    return stripped(textOf(value), 'both', characters === null ? undefined : requireText(characters, 'trim'));
  },
  truncate: truncated,
  unique: (value, args) => {
    const [sensitive = false, attribute] = args.take('unique', 'case_sensitive', 'attribute');
    const keyOf = getter(attribute);
    const seen = new Dict();
    const kept = itemsOf(value).filter((item) => {
      const key = comparable(keyOf(item), sensitive);
      if (seen.has(key)) return false;
      seen.set(key, true);
      return true;
    });
    return new Once(kept);
  },
  upper: ofText((text) => text.toUpperCase()),
  urlencode: (value) => {
    if (typeof value !== 'string') throw new TemplateError(`urlencode of a ${typeOf(value)} is not supported`);
    const others = /[!'()*]/g;
    return encodeURIComponent(value)
      .replaceAll('%2F', '/')
      .replace(others, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  },
  wordcount: ofText((text) => BigInt(text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)),
};

/** @throws TemplateError where the filter is unknown, or fails */
export function filtered(name: string, value: Value, args: CallArguments): Value {
  if (!Object.hasOwn(FILTERS, name)) throw new TemplateError(`the filter '${name}' is not supported`);
  return FILTERS[name](value, args);
}
