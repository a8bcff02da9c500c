/** The tasks of arithmetic, decided from their prompts by counting and trying. */
import type { SecondChecker } from '../../../src/data/index.ts';
import { asked, bare, wholeNumber } from './notation.ts';

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
    const text = bare(answer);
    const alphabet = '0123456789abcdef'.slice(0, Number(to));
    const integerOf = (all: string, base: number): bigint =>
      [...all].reduce((sum, digit) => sum * BigInt(base) + BigInt('0123456789abcdef'.indexOf(digit)), 0n);
    const isNumber = text !== '' && !text.startsWith('0') && [...text].every((digit) => alphabet.includes(digit));
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
};
