/**
 * A program of a stack machine: a number is put on the stack, and an operation takes its operands from there. The stack at
 * the end is asked, its top last.
 */
import { judgeNumbers } from '../../judging/judge.ts';
import { lineTask, listMisses, onlyMisses, type Rng } from '../../kit.ts';
import { type StackMachineKnobs, stackMachineCard } from './card.ts';

export type StackMachineItem = { readonly program: readonly string[]; readonly stack: readonly number[] };

interface Operation {
  readonly operands: 1 | 2;
  /** What replaces its operands on the stack; the second operand was the top. */
  result(one: number, two: number): readonly number[];
}

const ARITHMETIC: Readonly<Record<string, Operation>> = {
  '+': { operands: 2, result: (one, two) => [one + two] },
  '-': { operands: 2, result: (one, two) => [one - two] },
  '*': { operands: 2, result: (one, two) => [one * two] },
};
const MOVES: Readonly<Record<string, Operation>> = {
  dup: { operands: 1, result: (one) => [one, one] },
  swap: { operands: 2, result: (one, two) => [two, one] },
  over: { operands: 2, result: (one, two) => [one, two, one] },
  drop: { operands: 1, result: () => [] },
};
const OPERATIONS = { ...ARITHMETIC, ...MOVES };

const MOST_LEFT = 4;
const LARGEST = 9999;

/** The stack after an instruction that can be done. */
export function stepped(stack: readonly number[], instruction: string): number[] {
  const operation = OPERATIONS[instruction];
  if (operation === undefined) return [...stack, Number(instruction)];
  const [one = 0, two = 0] = stack.slice(-operation.operands);
  return [...stack.slice(0, -operation.operands), ...operation.result(one, two)];
}

/** An instruction that can be done; of two that can, a number in two of five cases. */
function drawInstruction(rng: Rng, depth: number, { max, moves }: StackMachineKnobs): string {
  const names = Object.keys(moves ? OPERATIONS : ARITHMETIC).filter(
    (name) => (OPERATIONS[name] as Operation).operands <= depth && !(name === 'drop' && depth === 1),
  );
  return depth === 0 || names.length === 0 || rng.int(0, 4) < 2 ? String(rng.int(1, max)) : rng.pick(names);
}

/** A program and the stack at its end; null where that is none to ask. */
export function drawProgram(rng: Rng, knobs: StackMachineKnobs): StackMachineItem | null {
  const program: string[] = [];
  let stack: number[] = [];
  for (let left = rng.int(4, knobs.length); left > 0; left--) {
    const instruction = drawInstruction(rng, stack.length, knobs);
    program.push(instruction);
    stack = stepped(stack, instruction);
    if (stack.some((number) => number < -LARGEST || number > LARGEST)) return null;
  }
  // It ends with an operation: numbers after the last one would be copied.
  return (program.at(-1) as string) in OPERATIONS && stack.length <= MOST_LEFT ? { program, stack } : null;
}

/** What the machine does, in English. */
export const MACHINE_RULES =
  'A number is put on the stack; +, - and * take the two upper numbers ' +
  'and put their result there, where - subtracts the top from the one below; dup puts the top there again, swap exchanges ' +
  'the two upper ones, over puts the one below the top there again, and drop takes the top away. ';

export const stackMachine = lineTask<StackMachineItem, StackMachineKnobs>(stackMachineCard, {
  characters: 'vm 0123456789+-*dupswaover>',
  generate: drawProgram,
  key: ({ program }) => `vm|${program.join(' ')}`,
  prompt: ({ program }) => `vm ${program.join(' ')}>`,
  question: ({ program }) =>
    `A stack machine runs this program: ${program.join(' ')}. ${MACHINE_RULES}` +
    'Give the stack at the end, the top last, separated by spaces.',
  separator: ' ',
  oracle: ({ stack }) => stack.join(' '),
  verify: ({ stack }, answer) => judgeNumbers(answer, stack),
  mutants: ({ program, stack }, _knobs, rng) => {
    const right = stack.join(' ');
    const top = stack.at(-1) as number;
    const texts: Record<string, string> = {
      ...listMisses(right.split(' '), ' ', rng),
      'top off by one': [...stack.slice(0, -1), top + 1].join(' '),
      'one number more': `0 ${right}`,
      'last instruction left out': program
        .slice(0, -1)
        .reduce(stepped, [] as number[])
        .join(' '),
      'top negated': [...stack.slice(0, -1), -top].join(' '),
      'the program': program.join(' '),
      'a letter behind it': `${right}a`,
    };
    return onlyMisses(texts, (text) => judgeNumbers(text, stack));
  },
  chance: () => 0.06,
  longest: ({ length, max }) => ({
    prompt: 4 + length * Math.max(5, String(max).length + 1),
    answer: 6 * MOST_LEFT,
    question: 520 + length * 5,
  }),
});
