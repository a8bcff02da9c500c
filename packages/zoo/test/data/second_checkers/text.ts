/** The tasks of free texts, decided from their prompts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

const hasContent = (text: string): boolean => /\p{L}|\p{N}/u.test(text);
const chunksOf = (text: string): readonly string[] => (text.match(/\S+/gu) ?? []).filter(hasContent);
const sameLetters = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const wordLike = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Groups of lines between lines of spaces and tabs alone. */
function paragraphsOf(text: string): string[] {
  const groups: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (/^[ \t]*$/.test(line)) groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.map((lines) => lines.join('\n')).filter(hasContent);
}

/** Ends of sentences are the ends of chunks. */
function sentenceCount(text: string): number {
  let count = 0;
  let isOpen = false;
  for (const chunk of text.match(/\S+/gu) ?? []) {
    isOpen ||= hasContent(chunk);
    if (!/[.!?]$/.test(chunk)) continue;
    if (isOpen) count++;
    isOpen = false;
  }
  return isOpen ? count + 1 : count;
}

function isStrictJson(answer: string): boolean {
  const fenced = /^```(?:json)?\r?\n([^`]*)\r?\n```$/.exec(bare(answer));
  const text = fenced === null ? bare(answer) : bare(fenced[1] as string);
  let numKeys = 0;
  let areFinite = true;
  const look = (value: unknown, depth: number): boolean => {
    if (typeof value === 'number') areFinite &&= Number.isFinite(value);
    if (typeof value !== 'object' || value === null) return true;
    if (!Array.isArray(value)) numKeys += Object.keys(value).length;
    return depth < 64 && Object.values(value).every((one) => look(one, depth + 1));
  };
  try {
    if (!look(JSON.parse(text), 0)) return false;
  } catch {
    return false;
  }
  const written = text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? [];
  return areFinite && written.filter((one) => one.endsWith(':')).length === numKeys;
}

/** How a compact prompt says an instruction, and whether a text keeps it; a count is looked at by the caller. */
// biome-ignore format: a table
const CHECKS: readonly (readonly [pattern: RegExp, check: (text: string, ...asked: string[]) => boolean | number])[] = [
  [/^no commas$/, (text) => ![',', '\uff0c', '\u060c', '\u3001'].some((comma) => text.includes(comma))],
  [/^small letters$/, (text) => /\p{L}/u.test(text) && [...text].every((one) => one === one.toLowerCase())],
  [/^capital letters$/, (text) => /\p{L}/u.test(text) && [...text].every((one) => one === one.toUpperCase())],
  [/^quoted$/, (text) => /^"[\s\S]+"$/.test(bare(text))],
  [/^title$/,
    (text) => [...text.matchAll(/<<((?:(?!<<|>>)[^\n])*)>>/g)].some(([, title]) => hasContent(title as string))],
  [/^json$/, isStrictJson],
  [/^two answers$/,
    (text) => {
      const [one = '', two = '', ...more] = text.split('*'.repeat(6));
      return more.length === 0 && hasContent(one) && hasContent(two) && bare(one) !== bare(two);
    }],
  [/^words$/, (text) => chunksOf(text).length],
  [/^sentences$/, sentenceCount],
  [/^paragraphs$/, (text) => paragraphsOf(text).length],
  [/^bullets$/, (text) => text.split('\n').filter((line) => /^(?:\*|-) /.test(line) && hasContent(line)).length],
  [/^placeholders$/,
    (text) => [...text.matchAll(/\[([^[\]\n]*)\]/g)].filter(([, inside]) => hasContent(inside as string)).length],
  [/^highlights$/,
    (text) =>
      text
        .split('*')
        .filter((part, i, all) => i % 2 === 1 && i + 1 < all.length && hasContent(part) && !part.includes('\n')).length],
  [/^capital words$/, (text) => chunksOf(text).filter((one) => /\p{L}/u.test(one) && one === one.toUpperCase()).length],
  [/^word ([a-z]+)$/, (text, word) => wordLike(text).filter((one) => one === word).length],
  [/^letter ([a-z])$/, (text, letter) => [...text.toLowerCase()].filter((one) => one === letter).length],
  [/^end ([a-z ]+)$/, (text, end = '') => bare(text).endsWith(end) && hasContent(bare(text).slice(0, -end.length))],
  [/^start ([a-z ]+)$/,
    (text, start = '') => bare(text).startsWith(start) && hasContent(bare(text).slice(start.length))],
  [/^postscript ([PS.]+)$/,
    (text, mark = '') => {
      const [last = '', ...before] = bare(text).split('\n').reverse();
      return before.length > 0 && last.startsWith(mark) && hasContent(last.slice(mark.length));
    }],
  [/^sections ([A-Za-z]+)$/,
    (text, mark = '') =>
      text.split('\n').filter((line) => line.startsWith(`${mark} `) && hasContent(line.slice(mark.length))).length],
  [/^one of ([a-z/]+)$/, (text, texts = '') => texts.split('/').includes(bare(text))],
  [/^paragraph ([0-9]) ([a-z]+)$/,
    (text, number, word = '') => sameLetters(wordLike(paragraphsOf(text)[Number(number) - 1] ?? '')[0] ?? '', word)],
];

function isKept(text: string, term: string): boolean {
  const [, what = '', sign, count] = /^(.*?)(?: (=|>=|<=) ([0-9]))?$/.exec(term) ?? [];
  for (const [pattern, check] of CHECKS) {
    const match = pattern.exec(what);
    if (match === null) continue;
    const found = check(text, ...match.slice(1));
    if (typeof found === 'boolean') return found;
    return sign === '=' ? found === Number(count) : sign === '>=' ? found >= Number(count) : found <= Number(count);
  }
  throw new RangeError(`${term} is no instruction`);
}

export const TEXT: Readonly<Record<string, SecondChecker>> = {
  /** All sentences that say the facts are written out, and the answer is one of them. */
  open_ref({ prompt }, answer) {
    const [shown = ''] = asked(prompt, /^tell ([a-z ]+)>$/);
    const verbs: Readonly<Record<string, string>> = { food: 'likes', job: 'is a', pet: 'has a', town: 'lives in' };
    const people: [name: string, facts: string[]][] = [];
    const words = shown.split(' ');
    while (words.length > 0) {
      const word = words.shift() as string;
      if (word in verbs) people.at(-1)?.[1].push(`${verbs[word]} ${words.shift()}`);
      else people.push([word, []]);
    }
    const orders = (all: readonly string[]): string[][] =>
      all.length === 0
        ? [[]]
        : all.flatMap((one) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));
    const wordings = people.map(([name, facts]) =>
      orders(facts).flatMap((order) => {
        const plain = `${name} ${order.join(' and ')}`;
        const [first = '', ...rest] = order;
        return first.startsWith('is a ') && rest.length > 0
          ? [plain, `${name} the ${first.slice(5)} ${rest.join(' and ')}`]
          : [plain];
      }),
    );
    const text = bare(answer).replace(/\.$/, '');
    const sentences = text.split('. ');
    return sentences.length === people.length && sentences.every((sentence, i) => wordings[i]?.includes(sentence));
  },

  constraints({ prompt }, answer) {
    const [terms = ''] = asked(prompt, /^write (.+)>$/);
    return answer.length <= 16_384 && hasContent(answer) && terms.split('; ').every((term) => isKept(answer, term));
  },
};
