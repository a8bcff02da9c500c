/** Python's `%` on texts and `str.format`. */
import { TemplateError } from './lexer.ts';
import { fixed, lengthOf, pointsOf } from './python_text.ts';
import { type CallArguments, Dict, numberOf, reprOf, Tuple, textOf, typeOf, type Value } from './values.ts';

/** Characters that a text may be padded or repeated to. */
export const MOST_PADDING = 1_000_000;

const CONVERSION = /%(?:\((?<key>[^)]*)\))?(?<flags>[-+ 0]*)(?<width>\d*)(?:\.(?<digits>\d+))?(?<type>.)/gsu;

/** `text % values`. @throws TemplateError */
export function percentFormat(text: string, values: Value): string {
  const items = values instanceof Tuple ? values.items : [values];
  let used = 0;
  const isMapping = values instanceof Dict;
  const formatted = text.replace(CONVERSION, (whole, ...found: unknown[]) => {
    const { key, flags, width, digits, type } = found.at(-1) as Record<string, string | undefined>;
    if (type === '%') return '%';
    let value: Value | undefined;
    if (key === undefined) value = items[used++];
    else if (values instanceof Dict) value = values.get(key);
    else throw new TemplateError('format requires a mapping');
    if (value === undefined) throw new TemplateError(`not enough arguments for '${whole}'`);
    const left = flags!.includes('-');
    const zero = flags!.includes('0') && !left && type !== 's' && type !== 'r';
    const plain = converted(value, type!, digits === undefined ? undefined : Number(digits), whole);
    const isNumber = type !== 's' && type !== 'r';
    const sign =
      isNumber && !plain.startsWith('-') ? (flags!.includes('+') ? '+' : flags!.includes(' ') ? ' ' : '') : '';
    return padded(sign + plain, Number(width || 0), zero ? '0' : ' ', zero ? '=' : left ? '<' : '>');
  });
  if (!isMapping && used < items.length && !Array.isArray(values)) {
    throw new TemplateError('not all arguments converted during string formatting');
  }
  return formatted;
}

function converted(value: Value, type: string, digits: number | undefined, whole: string): string {
  if (type === 's' || type === 'r') {
    const text = type === 's' ? textOf(value) : reprOf(value);
    return digits === undefined ? text : pointsOf(text).slice(0, digits).join('');
  }
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`${whole} format: a number is required, not ${typeOf(value)}`);
  if ((type === 'd' || type === 'i') && digits === undefined) return whole_(number).toString();
  if (type === 'x' && typeof number === 'bigint' && digits === undefined) return number.toString(16);
  if (type === 'f' || type === 'F') return fixed(Number(number), digits ?? 6);
  throw new TemplateError(`the format ${whole} is not supported`);
}

function whole_(number: bigint | number): bigint {
  return typeof number === 'bigint' ? number : BigInt(Math.trunc(number));
}

/** `=` pads between the sign and the digits. */
export function padded(text: string, width: number, fill: string, align: string): string {
  if (width > MOST_PADDING) throw new TemplateError(`a width of ${width} characters`);
  const room = Math.max(0, width - lengthOf(text));
  if (align === '<') return text + fill.repeat(room);
  if (align === '^') return fill.repeat(Math.floor(room / 2)) + text + fill.repeat(Math.ceil(room / 2));
  if (align !== '=') return fill.repeat(room) + text;
  const sign = /^[-+ ]/.test(text) ? text[0] : '';
  return sign + fill.repeat(room) + text.slice(sign.length);
}

const FIELD = /\{\{|\}\}|\{(?<name>\w*)(?:!(?<as>[rs]))?(?::(?<spec>[^{}]*))?\}|[{}]/gu;
const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>^=]))?(?<sign>[-+ ]?)(?<zero>0?)(?<width>\d*)(?<comma>,?)(?:\.(?<digits>\d+))?(?<type>[sdxf%]?)$/su;

/** `text.format(…)`. @throws TemplateError where a field is not read */
export function braceFormat(text: string, args: CallArguments): string {
  let next = 0;
  return text.replace(FIELD, (whole, ...found: unknown[]) => {
    if (whole === '{{' || whole === '}}') return whole[0];
    const { name, as, spec = '' } = found.at(-1) as Record<string, string | undefined>;
    if (name === undefined) throw new TemplateError(`the field at '${whole}' of format() is not supported`);
    const isIndex = name === '' || /^\d+$/.test(name);
    const given = isIndex ? args.positional[name === '' ? next++ : Number(name)] : args.named.get(name);
    if (given === undefined) throw new TemplateError(`format() has no value for ${whole}`);
    return specified(as === 'r' ? reprOf(given) : as === 's' ? textOf(given) : given, spec);
  });
}

function specified(value: Value, spec: string): string {
  if (spec === '') return textOf(value);
  const parts = SPEC.exec(spec)?.groups;
  if (parts === undefined) throw new TemplateError(`the format ':${spec}' is not supported`);
  const { fill, align, sign, zero, width, comma, digits, type } = parts;
  const number = typeof value === 'boolean' ? undefined : numberOf(value);
  let text: string;
  if (number === undefined) {
    if (typeof value !== 'string' || sign || zero || comma || (type && type !== 's')) {
      throw new TemplateError(`the format ':${spec}' of a ${typeOf(value)} is not supported`);
    }
    text = digits === undefined ? value : pointsOf(value).slice(0, Number(digits)).join('');
  } else {
    text = numberText(number, type, digits, spec);
    if (comma) text = text.replace(/^(-?)(\d+)/, (_, minus, whole) => minus + whole.replace(/\B(?=(\d{3})+$)/g, ','));
    if (sign && sign !== '-' && !text.startsWith('-')) text = sign + text;
  }
  const side = align ?? (zero ? '=' : number === undefined ? '<' : '>');
  return padded(text, Number(width || 0), fill ?? (zero || ' '), side);
}

function numberText(number: bigint | number, type: string, digits: string | undefined, spec: string): string {
  if (type === 'f') return fixed(Number(number), Number(digits ?? 6));
  if (type === '%') return `${fixed(Number(number) * 100, Number(digits ?? 6))}%`;
  if (digits === undefined && typeof number === 'bigint' && type !== 's')
    return number.toString(type === 'x' ? 16 : 10);
  if (digits === undefined && type === '') return textOf(number);
  throw new TemplateError(`the format ':${spec}' of a ${typeOf(number)} is not supported`);
}
