/** The tasks of programs, decided from their prompts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, listed, wholeNumber } from './notation.ts';

/** Whether a list is these numbers. */
function isNumbers(answer: string, expected: readonly number[]): boolean {
  const elements = listed(answer);
  return (
    elements?.length === expected.length &&
    elements.every((element, i) => wholeNumber(element) === BigInt(expected[i] as number))
  );
}

/** The memory of a machine, and what it has printed. */
interface Machine {
  readonly cells: Map<number, number>;
  at: number;
  readonly printed: number[];
}

/** Runs a program block by block, a loop as a block of its own; gives what is behind the block. */
function runBlock(program: string, machine: Machine): string {
  let left = program;
  while (left !== '' && left[0] !== ']') {
    const [instruction] = left;
    left = left.slice(1);
    const value = machine.cells.get(machine.at) ?? 0;
    if (instruction === '>') machine.at++;
    else if (instruction === '<') machine.at--;
    else if (instruction === '+') machine.cells.set(machine.at, (value + 1) % 256);
    else if (instruction === '-') machine.cells.set(machine.at, (value + 255) % 256);
    else if (instruction === '.') machine.printed.push(value);
    else {
      const inside = left;
      while ((machine.cells.get(machine.at) ?? 0) !== 0) runBlock(inside, machine);
      let depth = 1;
      while (depth > 0) {
        if (left[0] === '[') depth++;
        if (left[0] === ']') depth--;
        left = left.slice(1);
      }
    }
  }
  return left;
}

/** What each step of a task of JavaScript does, by its text. */
const STEPS: readonly (readonly [RegExp, (list: readonly number[], n: number) => number[] | number])[] = [
  [/^\.map\(x=>x\+(\d+)\)/, (list, n) => list.map((x) => x + n)],
  [/^\.map\(x=>x-(\d+)\)/, (list, n) => list.map((x) => x - n)],
  [/^\.map\(x=>x\*(\d+)\)/, (list, n) => list.map((x) => x * n)],
  [/^\.map\(x=>(\d+)-x\)/, (list, n) => list.map((x) => n - x)],
  [/^\.filter\(x=>x>(\d)\)/, (list, n) => list.filter((x) => x > n)],
  [/^\.filter\(x=>x<(\d)\)/, (list, n) => list.filter((x) => x < n)],
  [/^\.filter\(x=>x%(\d)==0\)/, (list, n) => list.filter((x) => x % n === 0)],
  [/^\.slice\((\d)\)/, (list, n) => list.filter((_, i) => i >= n)],
  [/^\.slice\(0,(\d)\)/, (list, n) => list.filter((_, i) => i < n)],
  [/^\.slice\(-(\d)\)/, (list, n) => list.filter((_, i) => i >= list.length - n)],
  [/^\.reverse\(\)/, (list) => list.map((_, i) => list[list.length - 1 - i] as number)],
  [/^\.sort\(\(x,y\)=>x-y\)/, (list) => [...list].sort((x, y) => x - y)],
  [/^\.length/, (list) => list.length],
  [/^\.reduce\(\(s,x\)=>s\+x,0\)/, (list) => list.reduce((s, x) => s + x, 0)],
];

/** What a chain of methods makes of a list. */
export function chained(text: string, list: readonly number[]): readonly number[] | number {
  let value: readonly number[] | number = list;
  for (let left = text; left !== ''; ) {
    const [pattern, apply] = STEPS.find(([one]) => one.test(left)) as (typeof STEPS)[number];
    const [all, n] = pattern.exec(left) as RegExpExecArray;
    value = apply(value as readonly number[], Number(n));
    left = left.slice(all.length);
  }
  return value;
}

export const PROGRAMS: Readonly<Record<string, SecondChecker>> = {
  line_trace({ prompt }, answer) {
    const [program = '', question = ''] = asked(prompt, /^run ([^|]+)\|([ab]|@\d+)>$/);
    const lines = program.split(' ').map((line) => line.slice(1));
    const state: Record<string, number> = { a: 0, b: 0 };
    const value = (text: string): number => (/[ab]/.test(text) ? (state[text] as number) : Number(text));
    const ran: number[] = [];
    for (let at = 0; at < lines.length && ran.length < 1000; ) {
      const [name = '', sign, operand = ''] = lines[at] as string;
      ran.push(at + 1);
      at = sign === '?' && value(name) > 0 ? Number(operand) - 1 : at + 1;
      if (sign === '=') state[name] = value(operand);
      if (sign === '+') state[name] = value(name) + value(operand);
      if (sign === '-') state[name] = value(name) - value(operand);
    }
    const expected = question.startsWith('@') ? ran[Number(question.slice(1)) - 1] : state[question];
    return wholeNumber(answer) === BigInt(expected as number);
  },

  bf({ prompt }, answer) {
    const [output, program = ''] = asked(prompt, /^bf ([0a]): ([-[\]<>+.]+) >$/);
    const machine: Machine = { cells: new Map(), at: 0, printed: [] };
    runBlock(program, machine);
    if (output === '0') return isNumbers(answer, machine.printed);
    const text = bare(answer);
    return text.length === machine.printed.length && machine.printed.every((code, i) => text.charCodeAt(i) === code);
  },

  stack_machine({ prompt }, answer) {
    let text = ` ${asked(prompt, /^vm ([-+*a-z0-9 ]+)>$/)[0]} `;
    // The first operation and its operands stand side by side: they are rewritten, until there are numbers alone.
    for (let before = ''; before !== text; ) {
      before = text;
      text = text
        .replace(/ (-?[0-9]+) dup /, ' $1 $1 #')
        .replace(/ (-?[0-9]+) (-?[0-9]+) swap /, ' $2 $1 #')
        .replace(/ (-?[0-9]+) (-?[0-9]+) over /, ' $1 $2 $1 #')
        .replace(/ (-?[0-9]+) drop /, ' #')
        .replace(/ (-?[0-9]+) (-?[0-9]+) ([-+*]) /, (_all, one: string, two: string, operator: string) => {
          const [a, b] = [Number(one), Number(two)];
          return ` ${operator === '+' ? a + b : operator === '-' ? a - b : a * b} #`;
        })
        .replace(' #', ' ')
        .replace('#', '');
    }
    return isNumbers(answer, text.trim().split(' ').map(Number));
  },

  stack_vm({ prompt }, answer) {
    const shown = asked(prompt, /^1:(-?[0-9]+) 2:(-?[0-9]+) 3:(-?[0-9]+)>$/).map(BigInt) as [bigint, bigint, bigint];
    const words = bare(answer).split(' ');
    if (words.length > 16) return false;
    // Each value is a polynomial of the input: its coefficients, that of the constant first.
    const stack: bigint[][] = [[0n, 1n]];
    for (const word of words) {
      const [top, below] = [stack.at(-1), stack.at(-2)];
      if (/^[1-9][0-9]{0,3}$|^0$/.test(word)) stack.push([BigInt(word)]);
      else if (word === 'dup' && top) stack.push(top);
      else if (word === 'drop' && top) stack.pop();
      else if (word === 'over' && below) stack.push(below);
      else if (word === 'swap' && top && below) stack.splice(-2, 2, top, below);
      else if (/^[-+*]$/.test(word) && top && below) stack.splice(-2, 2, combined(word, below, top));
      else return false;
    }
    const [left = [], ...others] = stack;
    const square = (shown[2] - 2n * shown[1] + shown[0]) / 2n;
    const slope = shown[1] - shown[0] - 3n * square;
    const wanted = [shown[0] - slope - square, slope, square];
    return (
      others.length === 0 &&
      stack.length === 1 &&
      Array.from({ length: Math.max(3, left.length) }, (_, i) => i).every((i) => (left[i] ?? 0n) === (wanted[i] ?? 0n))
    );
  },

  js_output({ prompt }, answer) {
    const [list = '', chain = ''] = asked(prompt, /^js (\[[0-9,]+\])(.+)>$/);
    const value = chained(chain, JSON.parse(list) as number[]);
    return typeof value === 'number' ? wholeNumber(answer) === BigInt(value) : isNumbers(answer, value);
  },

  vm_trace({ prompt }, answer) {
    const words = (asked(prompt, /^trace ([-+*a-z0-9 ]+)>$/)[0] as string).split(' ');
    const stacks = words.map((_, i) => after(words.slice(0, i + 1)).join(' '));
    return bare(answer) === stacks.join('/');
  },
};

/** Two polynomials added, subtracted or multiplied. */
function combined(sign: string, one: readonly bigint[], two: readonly bigint[]): bigint[] {
  const result = Array.from({ length: one.length + two.length }, () => 0n);
  if (sign === '*')
    for (const [i, a] of one.entries())
      for (const [j, b] of two.entries()) result[i + j] = (result[i + j] ?? 0n) + a * b;
  else for (const [i] of result.entries()) result[i] = (one[i] ?? 0n) + (sign === '+' ? 1n : -1n) * (two[i] ?? 0n);
  return result;
}

/** The stack after a program of one word or more, that word last which is done last. */
function after(program: readonly string[]): number[] {
  const stack: number[] = [];
  for (const word of program) {
    if (/^[0-9]+$/.test(word)) stack.unshift(Number(word));
    else if (word === 'dup') stack.unshift(stack[0] as number);
    else if (word === 'over') stack.unshift(stack[1] as number);
    else {
      const [top = 0, below = 0] = [stack.shift(), word === 'drop' ? 0 : stack.shift()];
      if (word === 'swap') stack.unshift(below, top);
      else if (word !== 'drop') stack.unshift(word === '+' ? below + top : word === '-' ? below - top : below * top);
    }
  }
  return stack.reverse();
}
