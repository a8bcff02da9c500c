/** The tasks of programs, decided from their prompts. */
import type { SecondChecker } from '../../../src/data/index.ts';
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

export const PROGRAMS: Readonly<Record<string, SecondChecker>> = {
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
};
