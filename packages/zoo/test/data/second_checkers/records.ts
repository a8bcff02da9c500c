/** Records of JSON and regular expressions, decided without their tasks' packages. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

type Plain = string | number | boolean | readonly Plain[] | { readonly [name: string]: Plain };

/** A value of the type that a prompt names. */
function typed(text: string, type: string): Plain {
  if (type.startsWith('[')) return text.split('+').map((one) => typed(one, type.slice(1, -1)));
  return type === 'int' ? Number(text) : type === 'bool' ? text === 'yes' : text;
}

/** The record of a prompt as text, names in order. */
function expected(prompt: string): string {
  const [types = '', values = ''] = asked(prompt, /^(.+)\|(.+)>$/);
  const typeOf = new Map<string, string>();
  for (const [, name, inner, type] of types.matchAll(/(\w+):(?:\{(.+?)\}|(\[?\w+\]?))/g)) {
    if (name === undefined) continue;
    if (type !== undefined) typeOf.set(name, type);
    for (const [, within = '', own = ''] of (inner ?? '').matchAll(/(\w+):(\w+)/g))
      typeOf.set(`${name}.${within}`, own);
  }
  const fields = values.split(',').map((fact) => {
    const [path = '', text = ''] = fact.split('=');
    const [name = '', within] = path.split('.');
    const value = JSON.stringify(typed(text, typeOf.get(path) ?? 'str'));
    return `"${name}":${within === undefined ? value : `{"${within}":${value}}`}`;
  });
  return `{${fields.sort().join()}}`;
}

const isRecord: SecondChecker = ({ prompt }, answer) => {
  const text = bare(answer).replace(/^```(?:json)?\n([^`]*)\n```$/, '$1');
  try {
    const value = JSON.parse(text) as Readonly<Record<string, Plain>>;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const names = Object.keys(value).sort();
    // A name that is there twice is lost by the parser, its quotes are not.
    const quoted = text.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g) ?? [];
    const inner = Object.values(value).flatMap((one) =>
      typeof one === 'object' && !Array.isArray(one) ? Object.keys(one) : [],
    );
    if (quoted.length !== names.length + inner.length) return false;
    return `{${names.map((name) => `"${name}":${JSON.stringify(value[name])}`).join()}}` === expected(prompt);
  } catch {
    return false;
  }
};

/** All words of up to eight letters, and some longer ones: an answer given twice has pieces of at least eight between its bars. */
const WORDS = [
  ...Array.from({ length: 9 }, (_, length) =>
    Array.from({ length: 3 ** length }, (_, i) => (3 ** length + i).toString(3).slice(1)),
  ).flat(),
  ...Array.from({ length: 1500 }, (_, i) => (3 ** (9 + (i % 3)) + ((i * 7919 + 13) % 3 ** 9)).toString(3)),
].map((digits) => digits.replace(/[012]/g, (digit) => 'abc'[Number(digit)] ?? ''));

/** Short ones with another character of some kind in them. */
const OTHERS = WORDS.filter(({ length }) => length < 6).flatMap((word, i) =>
  ['d', 'k', 'm', 'z', 'A', 'C', '0', '_', ' ', '\n', '\u00e4'].map(
    (one) => word.slice(0, i % 6) + one + word.slice(i % 6),
  ),
);

const REPEATS: Readonly<Record<string, string>> = {
  maybe: '{0,1}',
  some: '{1,}',
  any: '{0,}',
  two: '{2,2}',
  'two or three': '{2,3}',
};

/** The words that are meant, as a pattern of this very engine. */
function meant(prompt: string): RegExp {
  const [described = ''] = asked(prompt, /^(.+)>$/);
  const branches = described.split('; else ').map((branch) =>
    branch
      .split(', ')
      .map((piece) => {
        const [, count = '', letters = ''] =
          /^(?:(maybe|some|any|two or three|two) )?([abc](?: or [abc])?)$/.exec(piece) ?? [];
        return `(?:${letters.replace(' or ', '|')})${REPEATS[count] ?? ''}`;
      })
      .join(''),
  );
  return new RegExp(`^(?:${branches.join('|')})$`);
}

const isPattern: SecondChecker = ({ prompt }, answer) => {
  const text = bare(answer);
  if (text === '' || text.length > 60 || /\(\?[=!<]|\\[1-9k]|\{,|\d\d/.test(text)) return false;
  try {
    const own = new RegExp(`^(?:${text})$`);
    const right = meant(prompt);
    return [...WORDS, ...OTHERS].every((word) => own.test(word) === right.test(word));
  } catch {
    return false;
  }
};

export const RECORDS: Readonly<Record<string, SecondChecker>> = { json_record: isRecord, regex_write: isPattern };
