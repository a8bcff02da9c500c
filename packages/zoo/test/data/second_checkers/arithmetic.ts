/** The tasks of arithmetic, decided from their prompts by counting and trying. */
import type { SecondChecker } from '../../../data/index.ts';
import { afterSearch } from './countdown_search.ts';
import { anyNumber, asked, bare, listed, opened, wholeNumber } from './notation.ts';

/**
 * The value of an expression by the shunting yard, in doubles: those of the tasks are whole and small. Only texts of a
 * task's own prompts come here.
 */
function computed(text: string): number {
  const values: number[] = [];
  const waiting: string[] = [];
  const rank: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2 };
  const reduce = () => {
    const operator = waiting.pop();
    const right = values.pop() as number;
    const left = values.pop() as number;
    values.push(
      operator === '+'
        ? left + right
        : operator === '-'
          ? left - right
          : operator === '*'
            ? left * right
            : left / right,
    );
  };
  for (const [token] of text.matchAll(/[0-9]+|[-+*/()]/g)) {
    if (/[0-9]/.test(token)) values.push(Number(token));
    else if (token === '(') waiting.push(token);
    else if (token === ')') {
      while (waiting.at(-1) !== '(') reduce();
      waiting.pop();
    } else {
      while (waiting.length > 0 && (rank[waiting.at(-1) as string] ?? 0) >= (rank[token] as number)) reduce();
      waiting.push(token);
    }
  }
  while (waiting.length > 0) reduce();
  return values[0] as number;
}

const is = (answer: string, value: number): boolean => wholeNumber(answer) === BigInt(value);

/** A decimal as whole units of its last of four places. */
function units(text: string): bigint {
  const [whole = '', places = ''] = text.split('.');
  return BigInt(whole + places.padEnd(4, '0'));
}

/** What surrounds an answer gone, and the signs of arithmetic in ASCII. */
function inAscii(answer: string): string {
  return bare(answer).replaceAll('\u00d7', '*').replaceAll('\u00f7', '/').replaceAll('\u2212', '-');
}

/** Whether a text is an expression of exactly these numbers with this value. */
function isExpressionOf(answer: string, numbers: readonly string[], target: number): boolean {
  const text = inAscii(answer);
  if (text.length > 256 || !/^[0-9+*/() -]+$/.test(text)) return false;
  const used = text.match(/[0-9]+/g) ?? [];
  if ([...used].sort().join() !== [...numbers].sort().join()) return false;
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '(') deepest = Math.max(deepest, ++depth);
    if (character === ')') depth--;
  }
  if (deepest > 32 || /[0-9] +[0-9]/.test(text)) return false;
  // Reduced from inside: what has no number, operator and number in turn is no expression.
  let shape = text.replaceAll(' ', '').replace(/[0-9]+/g, 'n');
  for (let before = ''; before !== shape; ) {
    before = shape;
    shape = shape.replace(/\(n\)|n[-+*/]n/, 'n');
  }
  if (shape !== 'n') return false;
  const value = computed(text);
  return Number.isFinite(value) && Math.abs(value - target) < 1e-9;
}

/** An expression in hexadecimal, its innermost parentheses first; each of them has one operator. */
function innermostFirst(text: string): bigint {
  const values: bigint[] = [];
  let left = `(${text})`;
  const valueOfOperand = (operand: string): bigint =>
    operand.startsWith('#') ? (values[Number(operand.slice(1))] as bigint) : BigInt(`0x${operand}`);
  while (left.includes('(')) {
    left = left.replace(
      /\((#?[0-9a-f]+)(<<|>>|[-+*&|^])(#?[0-9a-f]+)\)/,
      (_all, one: string, operator: string, two: string) => {
        const [a, b] = [valueOfOperand(one), valueOfOperand(two)];
        const power = 2n ** (b < 0n ? 0n : b > 64n ? 64n : b);
        const byOperator: Readonly<Record<string, () => bigint>> = {
          '+': () => a + b,
          '-': () => a - b,
          '*': () => a * b,
          '&': () => bits(a, b, (x, y) => x && y),
          '|': () => bits(a, b, (x, y) => x || y),
          '^': () => bits(a, b, (x, y) => x !== y),
          '<<': () => a * power,
          '>>': () => (a - (((a % power) + power) % power)) / power,
        };
        values.push((byOperator[operator] as () => bigint)());
        return `#${values.length - 1}`;
      },
    );
  }
  return values.at(-1) as bigint;
}

/** Bit by bit in two's complement of 128 places. */
function bits(a: bigint, b: bigint, combine: (x: boolean, y: boolean) => boolean): bigint {
  const modulus = 2n ** 128n;
  const digits = (value: bigint): string => (((value % modulus) + modulus) % modulus).toString(2).padStart(128, '0');
  const [left, right] = [digits(a), digits(b)];
  const combined = [...left].map((bit, i) => (combine(bit === '1', right[i] === '1') ? '1' : '0')).join('');
  const value = BigInt(`0b${combined}`);
  return combined[0] === '1' ? value - modulus : value;
}

/** Real numbers are whole multiples of 1/SCALE here: more places than an answer may have. */
const SCALE = 10n ** 256n;

/** Real and imaginary part of a number whose form is known to be right, times SCALE. */
function parts(text: string): [bigint, bigint] {
  let [real, imaginary] = [0n, 0n];
  for (const [, sign, digits = '', unit] of text.matchAll(/([+-]?)([0-9.]*)(i?)/g)) {
    if (digits === '' && unit === '') continue;
    const [whole = '', places = ''] = (digits === '' ? '1' : digits).split('.');
    const value = (sign === '-' ? -1n : 1n) * BigInt(whole + places.padEnd(256, '0'));
    if (unit === 'i') imaginary += value;
    else real += value;
  }
  return [real, imaginary];
}

export const ARITHMETIC: Readonly<Record<string, SecondChecker>> = {
  gcd({ prompt }, answer) {
    const numbers = asked(prompt, /^gcd ([0-9 ]+)>$/)[0]
      ?.split(' ')
      .map(Number) as number[];
    let divisor = Math.min(...numbers);
    while (numbers.some((number) => number % divisor !== 0)) divisor--;
    return is(answer, divisor);
  },

  lcm({ prompt }, answer) {
    const numbers = asked(prompt, /^lcm ([0-9 ]+)>$/)[0]
      ?.split(' ')
      .map(Number) as number[];
    const largest = Math.max(...numbers);
    let multiple = largest;
    while (numbers.some((number) => multiple % number !== 0)) multiple += largest;
    return is(answer, multiple);
  },

  chain_sum: ({ prompt }, answer) => is(answer, computed(asked(prompt, /^([0-9+-]+)>$/)[0] as string)),

  basic_arithmetic: ({ prompt }, answer) => is(answer, computed(asked(prompt, /^([0-9+*/()-]+)>$/)[0] as string)),

  products({ prompt }, answer) {
    const [a = '', b = ''] = asked(prompt, /^([0-9]+)\*([0-9]+)>$/);
    const value = wholeNumber(answer);
    return value !== undefined && value % BigInt(a) === 0n && value / BigInt(a) === BigInt(b);
  },

  mod_arith({ prompt }, answer) {
    const [text = '', modulus = ''] = asked(prompt, /^\(([0-9+*-]+)\)%([0-9]+)>$/);
    const value = wholeNumber(answer);
    if (value === undefined || value < 0n || value >= BigInt(modulus)) return false;
    return (BigInt(computed(text)) - value) % BigInt(modulus) === 0n;
  },

  count_bits({ prompt }, answer) {
    const [number = ''] = asked(prompt, /^bits ([0-9]+)>$/);
    return is(answer, Number(number).toString(2).replaceAll('0', '').length);
  },

  base_conversion({ prompt }, answer) {
    const [digits = '', from = '', to = ''] = asked(prompt, /^b ([0-9a-f]+) ([0-9]+) ([0-9]+)>$/);
    const text = bare(answer).length > 256 ? '' : opened(answer).replace(/^\+/, '').replace(/\.0*$/, '');
    const alphabet = '0123456789abcdef'.slice(0, Number(to));
    const integerOf = (all: string, base: number): bigint =>
      [...all].reduce((sum, digit) => sum * BigInt(base) + BigInt('0123456789abcdef'.indexOf(digit)), 0n);
    if (to === '10') return wholeNumber(answer) === integerOf(digits, Number(from));
    const isNumber = text !== '' && [...text].every((digit) => alphabet.includes(digit));
    return isNumber && integerOf(text, Number(to)) === integerOf(digits, Number(from));
  },

  number_format({ prompt }, answer) {
    const [which, numbers = ''] = asked(prompt, /^(max|min) ([0-9. ]+)>$/);
    const all = numbers.split(' ').map(units);
    const best = all.reduce((a, b) => ((which === 'max') === a > b ? a : b));
    let text = bare(answer);
    const enclosed = /^(?:\\boxed\{([\s\S]+)\}|\\\(([\s\S]+)\\\)|\$([\s\S]+)\$)$/.exec(text);
    if (enclosed !== null) text = bare((enclosed[1] ?? enclosed[2] ?? enclosed[3]) as string);
    const match = /^\+?([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|(?=\.[0-9]))(?:\.([0-9]*))?$/.exec(text);
    if (match === null || answer.length > 200) return false;
    const places = (match[2] ?? '').replace(/0+$/, '');
    return places.length <= 4 && units(`${(match[1] as string).replaceAll(',', '') || '0'}.${places}`) === best;
  },

  simple_equations({ prompt }, answer) {
    const [left = '', right = ''] = asked(prompt, /^([0-9x+-]+)=([0-9x+-]+)>$/);
    const enclosed = /^(?:\\boxed\{([\s\S]+)\}|\\\(([\s\S]+)\\\)|\$([\s\S]+)\$)$/.exec(bare(answer));
    const inner = enclosed === null ? bare(answer) : bare((enclosed[1] ?? enclosed[2] ?? enclosed[3]) as string);
    const named = /^[ \t\r\n]*x[ \t\r\n]*=([\s\S]*)$/.exec(inner);
    // One enclosure may be around all of it: inside, the number is bare.
    const text = named === null ? answer : (named[1] as string);
    if (named !== null && /[$\\]/.test(text)) return false;
    const value = wholeNumber(text);
    if (value === undefined) return false;
    const sideOf = (side: string): bigint =>
      (side.match(/[+-]?[^+-]+/g) ?? []).reduce((sum, term) => {
        if (!term.endsWith('x')) return sum + BigInt(Number(term));
        const slope = term.slice(0, -1);
        return sum + value * BigInt(slope === '' || slope === '+' ? 1 : slope === '-' ? -1 : Number(slope));
      }, 0n);
    return sideOf(left) === sideOf(right);
  },

  prime_factorization({ prompt }, answer) {
    const [number = ''] = asked(prompt, /^fac ([0-9]+)>$/);
    const factors = listed(answer)?.map(wholeNumber);
    if (factors === undefined || factors.length === 0) return false;
    const isPrime = (value: bigint | undefined): boolean => {
      if (value === undefined || value < 2n) return false;
      for (let divisor = 2n; divisor * divisor <= value; divisor++) if (value % divisor === 0n) return false;
      return true;
    };
    let product = 1n;
    for (const factor of factors) {
      if (factor === undefined || factor < 2n || BigInt(number) % factor !== 0n) return false;
      product *= factor;
    }
    return product === BigInt(number) && factors.every(isPrime);
  },

  fraction_simplification({ prompt }, answer) {
    const [top = '', bottom = ''] = asked(prompt, /^([0-9]+)\/([0-9]+)>$/);
    let text = bare(answer);
    if (text.length > 256) return false;
    const enclosed = /^(?:\\boxed\{([\s\S]+)\}|\\\(([\s\S]+)\\\)|\$([\s\S]+)\$)$/.exec(text);
    if (enclosed !== null) text = bare((enclosed[1] ?? enclosed[2] ?? enclosed[3]) as string);
    const match = /^\+?(?:([0-9]+)\/([0-9]+)|\\[dt]?frac(?:\{\+?([0-9]+)\}\{([0-9]+)\}|([0-9])([0-9])))$/.exec(text);
    if (match === null) return false;
    const [a, b] = [Number(match[1] ?? match[3] ?? match[5]), Number(match[2] ?? match[4] ?? match[6])];
    if (b === 0 || a * Number(bottom) !== b * Number(top)) return false;
    for (let divisor = 2; divisor <= Math.min(a, b); divisor++)
      if (a % divisor === 0 && b % divisor === 0) return false;
    return true;
  },

  count_primes({ prompt }, answer) {
    const [from = '', to = ''] = asked(prompt, /^primes ([0-9]+) ([0-9]+)>$/);
    let count = 0;
    for (let number = Math.max(2, Number(from)); number <= Number(to); number++) {
      let divisor = 2;
      while (divisor * divisor <= number && number % divisor !== 0) divisor++;
      if (divisor * divisor > number) count++;
    }
    return is(answer, count);
  },

  decimal_chain_sum({ prompt }, answer) {
    const [text = ''] = asked(prompt, /^([0-9.+-]+)>$/);
    let sum = 0n;
    for (const [, sign, number] of text.matchAll(/([+-]?)([0-9.]+)/g))
      sum += (sign === '-' ? -1n : 1n) * units(number as string);
    let inner = bare(answer);
    const enclosed = /^(?:\\boxed\{([\s\S]+)\}|\\\(([\s\S]+)\\\)|\$([\s\S]+)\$)$/.exec(inner);
    if (enclosed !== null) inner = bare((enclosed[1] ?? enclosed[2] ?? enclosed[3]) as string);
    const match = /^([+\-\u2212]?)([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|(?=\.[0-9]))(?:\.([0-9]*))?$/.exec(inner);
    if (match === null || answer.length > 200) return false;
    const places = (match[3] ?? '').replace(/0+$/, '');
    const value = units(`${(match[2] as string).replaceAll(',', '') || '0'}.${places}`);
    return places.length <= 4 && (match[1] === '' || match[1] === '+' ? value : -value) === sum;
  },

  puzzle24({ prompt }, answer) {
    const numbers = (asked(prompt, /^24: ([0-9 ]+)>$/)[0] as string).split(' ');
    return isExpressionOf(answer, numbers, 24);
  },

  countdown({ prompt, knobs }, answer) {
    const [given = '', target = ''] = asked(prompt, /^([0-9 ]+) = ([0-9]+) \?$/);
    const numbers = given.split(' ');
    if (knobs.answer === 'expression') return isExpressionOf(answer, numbers, Number(target));
    const found =
      knobs.answer === 'search' ? afterSearch(bare(answer), numbers.map(Number), Number(target), knobs) : answer;
    if (found === undefined) return false;
    const text = inAscii(found);
    const pool = numbers.map(Number);
    let last = Number.NaN;
    for (const step of text.split(',')) {
      const match = /^ *([0-9]+) *([-+*/]) *([0-9]+) *= *([0-9]+) *$/.exec(step);
      if (match === null || /(?:^|[^0-9])0[0-9]|[0-9]{10}/.test(step)) return false;
      for (const operand of [match[1], match[3]]) {
        const at = pool.indexOf(Number(operand));
        if (at < 0) return false;
        pool.splice(at, 1);
      }
      last = Number(match[4]);
      if (computed(`${match[1]}${match[2]}${match[3]}`) !== last) return false;
      pool.push(last);
    }
    return text.length <= 256 && pool.length === 1 && last === Number(target);
  },

  bitwise_arithmetic({ prompt }, answer) {
    const [text = ''] = asked(prompt, /^hex ([0-9a-f()+*&|^<>-]+)>$/);
    const match = /^([+\-\u2212]?)(?:0x)?([0-9a-fA-F]+)$/.exec(opened(answer));
    if (match === null || bare(answer).length > 256) return false;
    const given = [...(match[2] as string)].reduce((sum, digit) => 16n * sum + BigInt(Number.parseInt(digit, 16)), 0n);
    return (match[1] === '' || match[1] === '+' ? given : -given) === innermostFirst(text);
  },

  complex_arithmetic({ prompt }, answer) {
    const part = '([-0-9+i]+)';
    const [left = '', operator, right = ''] = asked(prompt, new RegExp(`^\\(${part}\\)([-+*/])\\(${part}\\)>$`));
    const text = opened(answer).replaceAll('\u2212', '-');
    const number = '[0-9]+(?:\\.[0-9]+)?';
    const imaginary = `(?:${number})?i`;
    const forms = [number, imaginary, `${number}( *)[+-]\\1${imaginary}`, `${imaginary}( *)[+-]\\1${number}`];
    if (bare(answer).length > 256 || !forms.some((form) => new RegExp(`^[+-]?${form}$`).test(text))) return false;
    const [a, b] = parts(left);
    const [c, d] = parts(right);
    const [x, y] = parts(text.replaceAll(' ', ''));
    const is = (realPart: bigint, imaginaryPart: bigint): boolean => x === realPart && y === imaginaryPart;
    if (operator === '+') return is(a + c, b + d);
    if (operator === '-') return is(a - c, b - d);
    if (operator === '*') return is((a * c - b * d) / SCALE, (a * d + b * c) / SCALE);
    // A quotient is what gives the dividend again.
    return a * SCALE === x * c - y * d && b * SCALE === x * d + y * c;
  },

  coin_flip({ prompt }, answer) {
    const pattern = /^heads ([0-9]+)(\+?) of ([0-9]+)(?: at ([0-9]+)\/([0-9]+))?>$/;
    const [heads = '', orMore, flips = '', top = '1', bottom = '2'] = asked(prompt, pattern);
    // Flip by flip: how often each number of heads comes, of bottom^flips.
    let counts = [1n];
    for (let flip = 0; flip < Number(flips); flip++) {
      const more = Array.from({ length: counts.length + 1 }, () => 0n);
      for (const [before, count] of counts.entries()) {
        more[before] = (more[before] as bigint) + count * (BigInt(bottom) - BigInt(top));
        more[before + 1] = (more[before + 1] as bigint) + count * BigInt(top);
      }
      counts = more;
    }
    const meant = counts.filter((_, i) => (orMore === '+' ? i >= Number(heads) : i === Number(heads)));
    const value = anyNumber(answer);
    const all = counts.reduce((a, b) => a + b);
    return value !== undefined && value[0] * all === value[1] * meant.reduce((a, b) => a + b);
  },
};
