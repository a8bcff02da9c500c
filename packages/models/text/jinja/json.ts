/** `json.dumps` with `ensure_ascii=False`, as transformers' `tojson` calls it. */
import { TemplateError } from './lexer.ts';
import { compareTexts, floatRepr } from './python_text.ts';
import { type CallArguments, Dict, isTrue, Tuple, typeOf, type Value } from './values.ts';

interface Layout {
  /** What one level is indented by; undefined: all on one line. */
  readonly indent: string | undefined;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly isSorted: boolean;
  readonly isAscii: boolean;
}

const SHORT = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\f', '\\f'],
  ['\b', '\\b'],
]);

/** The filter `tojson`. @throws TemplateError where a value is no JSON */
export function toJson(value: Value, args: CallArguments): string {
  const [ascii = false, indent = null, separators = null, sort = false] = args.take(
    'tojson',
    'ensure_ascii',
    'indent',
    'separators',
    'sort_keys',
  );
  const level = indentOf(indent);
  const [item, key] = separators === null ? [level === undefined ? ', ' : ',', ': '] : pairOf(separators);
  return written(
    value,
    { indent: level, itemSeparator: item, keySeparator: key, isSorted: isTrue(sort), isAscii: isTrue(ascii) },
    '\n',
  );
}

function indentOf(indent: Value): string | undefined {
  if (indent === null) return undefined;
  if (typeof indent === 'string') return indent;
  if (typeof indent === 'bigint' || typeof indent === 'boolean')
    return ' '.repeat(Math.min(100, Math.max(0, Number(indent))));
  throw new TemplateError(`tojson: indent is a ${typeOf(indent)}`);
}

function pairOf(separators: Value): readonly string[] {
  const items = separators instanceof Tuple ? separators.items : separators;
  if (Array.isArray(items) && items.length === 2 && items.every((item) => typeof item === 'string')) return items;
  throw new TemplateError('tojson: separators are two texts');
}

function written(value: Value, layout: Layout, lineBreak: string): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return jsonFloat(value);
  if (typeof value === 'string') return jsonText(value, layout.isAscii);
  const inner = layout.indent === undefined ? lineBreak : lineBreak + layout.indent;
  const surrounded = (begin: string, parts: readonly string[], end: string): string => {
    if (parts.length === 0) return begin + end;
    if (layout.indent === undefined) return begin + parts.join(layout.itemSeparator) + end;
    return begin + inner + parts.join(layout.itemSeparator + inner) + lineBreak + end;
  };
  if (Array.isArray(value) || value instanceof Tuple) {
    const items: readonly Value[] = value instanceof Tuple ? value.items : value;
    return surrounded(
      '[',
      items.map((item) => written(item, layout, inner)),
      ']',
    );
  }
  if (!(value instanceof Dict)) throw new TemplateError(`Object of type ${typeOf(value)} is not JSON serializable`);
  const entries = value.entries().map(([key, of]) => [keyText(key), of] as const);
  if (layout.isSorted) entries.sort(([a], [b]) => compareTexts(a, b));
  const parts = entries.map(
    ([key, of]) => jsonText(key, layout.isAscii) + layout.keySeparator + written(of, layout, inner),
  );
  return surrounded('{', parts, '}');
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number') return jsonFloat(key);
  return key === null ? 'null' : String(key);
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatRepr(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function jsonText(text: string, isAscii: boolean): string {
  let quoted = '"';
  for (let i = 0; i < text.length; i++) {
    const unit = text[i];
    const code = text.charCodeAt(i);
    const mustEscape = code < 0x20 || (isAscii && code > 0x7e);
    quoted += SHORT.get(unit) ?? (mustEscape ? `\\u${code.toString(16).padStart(4, '0')}` : unit);
  }
  return `${quoted}"`;
}
