/** The tasks of algebra, decided from their prompts: both sides exactly, at more places than their degrees add up to. */
import type { SecondChecker } from '../../../data/index.ts';
import { anyNumber, asked, bare } from './notation.ts';

type Ratio = readonly [numerator: bigint, denominator: bigint];

class NoValue extends Error {}

/** How strongly an operator binds. */
const RANK: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '^': 3 };

/** The signs of an expression, with each product that is left out; undefined where a sign or number is none. */
function signsOf(text: string): string[] | undefined {
  const ascii = text
    .replaceAll('\u2212', '-')
    .replaceAll('\u00d7', '*')
    .replaceAll('\u00b7', '*')
    .replaceAll('\u00f7', '/');
  if (text.length > 256 || !/^[-+*/^()x0-9 \t\r\n]*$/.test(ascii)) return undefined;
  const found = ascii.match(/[0-9]+|[-+*/^()x]/g) ?? [];
  if (found.some((sign) => /^0[0-9]|^[0-9]{13}/.test(sign))) return undefined;
  return found.flatMap((sign, i) => (/[x(]/.test(sign) && /[0-9x)]/.test(found[i - 1] ?? '') ? ['*', sign] : [sign]));
}

/** What an expression is at a place; undefined where it is no expression. @throws NoValue where it divides by 0 */
function valueAt(signs: readonly string[], x: bigint): Ratio | undefined {
  let at = 0;
  const reduced = (n: bigint, d: bigint): Ratio => {
    if (d === 0n) throw new NoValue();
    return [n, d];
  };
  const apply = (operator: string, [a, b]: Ratio, [c, d]: Ratio): Ratio => {
    if (operator === '+') return reduced(a * d + c * b, b * d);
    if (operator === '-') return reduced(a * d - c * b, b * d);
    return operator === '*' ? reduced(a * c, b * d) : reduced(a * d, b * c);
  };
  const atom = (): Ratio | undefined => {
    const sign = signs[at++] ?? '';
    if (sign === 'x') return [x, 1n];
    if (/^[0-9]/.test(sign)) return [BigInt(sign), 1n];
    if (sign !== '(') return undefined;
    const inside = climb(1, true);
    return signs[at++] === ')' ? inside : undefined;
  };
  const exponent = (): bigint | undefined => {
    const rest = signs.slice(at).join(' ');
    const match = /^(?:\( (- )?([0-9]+) \)|(- )?([0-9]+))(?: |$)/.exec(rest);
    if (match === null) return undefined;
    at += match[0].trim().split(' ').length;
    const size = BigInt(match[2] ?? match[4] ?? 0);
    return size > 200n ? undefined : match[1] || match[3] ? -size : size;
  };
  const climb = (least: number, mayBeNegative: boolean): Ratio | undefined => {
    let left: Ratio | undefined;
    if (mayBeNegative && signs[at] === '-') {
      at++;
      const positive = climb(2, false);
      left = positive && [-positive[0], positive[1]];
    } else left = atom();
    while (left !== undefined) {
      const operator = signs[at] ?? '';
      const rank = RANK[operator];
      if (rank === undefined || rank < least) return left;
      at++;
      if (operator === '^') {
        const power = exponent();
        if (power === undefined || signs[at] === '^') return undefined;
        if (left[0] === 0n && power <= 0n) throw new NoValue();
        left = power < 0n ? reduced(left[1] ** -power, left[0] ** -power) : [left[0] ** power, left[1] ** power];
      } else {
        const right = climb(rank + 1, false);
        left = right && apply(operator, left, right);
      }
    }
    return undefined;
  };
  const value = climb(1, true);
  return at === signs.length ? value : undefined;
}

const same = ([a, b]: Ratio, [c, d]: Ratio): boolean => a * d === c * b;

/** Far from where anything small is 0. */
const PLACES = Array.from({ length: 24 }, (_, i) => BigInt(1009 + 7 * i));

/** Whether what is made of an answer's values is what is made of the problem's, at all places that both have. */
function agree(answer: string, problem: string, differs: (a: Ratio, p: Ratio, i: number) => boolean): boolean {
  const [signs, asks] = [signsOf(bare(answer)), signsOf(problem)];
  if (signs === undefined || signs.length === 0 || asks === undefined) return false;
  let seen = 0;
  for (const [i, place] of PLACES.entries()) {
    try {
      const [given, wanted] = [valueAt(signs, place), valueAt(asks, place)];
      if (given === undefined || wanted === undefined || differs(given, wanted, i)) return false;
      seen++;
    } catch (error) {
      if (!(error instanceof NoValue)) throw error;
    }
  }
  return seen > PLACES.length / 2;
}

/** Coefficients of a sum of terms as prompts write it, that of the constant first. */
function coefficientsOf(text: string): Ratio[] {
  const terms: Ratio[] = [];
  for (const [, sign, size, x, power] of text.matchAll(/([-+]?)([0-9]*)(x?)(?:\^([0-9]+))?/g)) {
    if (size === '' && x === '') continue;
    terms[x === '' ? 0 : Number(power ?? 1)] = [BigInt(`${sign === '-' ? '-' : ''}${size || '1'}`), 1n];
  }
  return Array.from(terms, (term) => term ?? [0n, 1n]);
}

const derived = (coefficients: readonly Ratio[]): string =>
  coefficients
    .slice(1)
    .map(([n], i) => `(${n < 0n ? `-${-n}` : n})*${BigInt(i + 1)}*x^${i}`)
    .join('+') || '0';

export const ALGEBRA: Readonly<Record<string, SecondChecker>> = {
  inequality({ prompt }, answer) {
    const factors = (text: string): number[] => {
      const found = [0, 0, 0];
      for (const [, sign, size = '', power = '', alone = ''] of text.matchAll(/([+-]?)(?:(\d*)(x\^2|x)|(\d+))/g)) {
        const place = power === 'x^2' ? 0 : power === 'x' ? 1 : 2;
        found[place] = (sign === '-' ? -1 : 1) * Number(size + alone || 1);
      }
      return found;
    };
    const bound = /^bound (.+)>$/.exec(prompt);
    if (bound !== null) {
      const [a = 0, b = 0, c = 0] = factors(bound[1] as string);
      const given = anyNumber(answer);
      return given !== undefined && given[0] * BigInt(4 * a) === given[1] * BigInt(4 * a * c - b * b);
    }
    const [left = '', right = ''] = asked(prompt, /^relate (.+) and (.+)>$/);
    const [one, other] = [factors(left), factors(right)];
    const [a = 0, b = 0, c = 0] = one.map((factor, i) => factor - (other[i] as number));
    // Where the difference is least or largest, and far away on both sides.
    const values = [-1e4, -b / (2 * a || 1), 1e4].map((x) => a * x * x + b * x + c);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const expected =
      least > 0 ? '>' : most < 0 ? '<' : least === 0 && most > 0 ? '>=' : most === 0 && least < 0 ? '<=' : 'none';
    return bare(answer) === expected;
  },

  polynomial_expand({ prompt }, answer) {
    const text = bare(answer)
      .replaceAll('\u2212', '-')
      .replace(/[\u00d7\u00b7]/g, '*')
      .replaceAll('\u00f7', '/');
    const [problem = ''] = asked(prompt, /^(.+)=$/);
    if (/[(]/.test(text)) return false;
    const power = String.raw`x(?: *\^ *[1-9][0-9]*)?`;
    const number = '[0-9]+';
    const fraction = `${number} *\\/ *${number}`;
    const term = new RegExp(
      `^(?:${number}(?: *\\/ *${number})*|(?:(?:${fraction}|${number}) *\\*? *)?(${power})(?: *\\/ *${number})*)$`,
    );
    const exponents = text
      .replace(/\s+/g, ' ')
      .replace(/^ ?- ?/, '')
      .split(/ ?[-+] ?/)
      .map((one) => {
        const match = term.exec(one.trim());
        if (match === null) return undefined;
        return match[1] === undefined ? 0 : Number(/\^ *([0-9]+)/.exec(match[1])?.[1] ?? 1);
      });
    if (exponents.includes(undefined) || new Set(exponents).size !== exponents.length) return false;
    return agree(answer, problem, (given, wanted) => !same(given, wanted));
  },

  derivative({ prompt }, answer) {
    const [problem = ''] = asked(prompt, /^d\/dx (.+)>$/);
    const sides = problem.replace(/^\(|\)$/g, '').split(/\)\/?\(/);
    const [slope = '', other] = sides.map((side) => derived(coefficientsOf(side)));
    const [one = '', two] = sides.map((side) => `(${side})`);
    if (two === undefined) return agree(answer, slope, (given, wanted) => !same(given, wanted));
    const truth = problem.includes('/')
      ? `((${slope})*${two}-${one}*(${other}))/${two}^2`
      : `(${slope})*${two}+${one}*(${other})`;
    return agree(answer, truth, (given, wanted) => !same(given, wanted));
  },

  antiderivative({ prompt }, answer) {
    const [problem = ''] = asked(prompt, /^int (.+)>$/);
    const truth = coefficientsOf(problem)
      .map(([n], i) => `(${n < 0n ? `-${-n}` : n})*x^${i + 1}/${i + 1}`)
      .join('+');
    let difference: Ratio | undefined;
    return agree(bare(answer).replace(/ ?\+ ?C$/, ''), truth, ([a, b], [c, d]) => {
      const here: Ratio = [a * d - c * b, b * d];
      difference ??= here;
      return !same(here, difference);
    });
  },
};
