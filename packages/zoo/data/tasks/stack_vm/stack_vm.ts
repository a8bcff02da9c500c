/**
 * A program for the machine of stack_machine, from examples of what it makes of its input: the input is on the stack at the
 * start, and the result alone at the end.
 *
 *   verdict     right where it passes the three examples and twenty inputs that are not shown
 *   parts       syntax: it runs to its end and leaves one number; tests: share of all inputs; brevity: the length of the
 *               shortest known program over its own, where all tests pass. A ladder of the three pays them in this order
 *   split       by hash of the function, which is a polynomial of the input: three examples tell it apart
 */
import type { Verdict } from '../../kit.ts';
import { illegal, lineTask, malformed, missing, onlyMisses, rngFor, trimAscii, wrongValue } from '../../kit.ts';
import { MACHINE_RULES } from '../stack_machine/stack_machine.ts';
import { type StackVmKnobs, stackVmCard } from './card.ts';

/** Coefficients: constant, of x, of x². */
export type StackVmItem = { readonly coefficients: readonly [number, number, number] };

/** What the examples show: enough for a polynomial of degree 2. */
const SHOWN = [1, 2, 3];
const HIDDEN_TESTS = 20;
const LARGEST_HIDDEN = 99;
/** Instructions of an answer, at most: no polynomial so short meets another at all of the inputs by chance. */
const MOST_INSTRUCTIONS = 16;
/** Characters of an answer that is read. */
const MOST_CHARACTERS = 200;

const resultFor = ({ coefficients: [constant, slope, square] }: StackVmItem, x: number): number =>
  constant + slope * x + square * x * x;

/** A short program: by x·(square·x + slope) + constant, without what changes nothing. */
function programOf({ coefficients: [constant, slope, square] }: StackVmItem): string[] {
  const times = (factor: number): string[] => (factor === 1 ? [] : [String(factor), '*']);
  const plus = (term: number): string[] => (term === 0 ? [] : [String(Math.abs(term)), term < 0 ? '-' : '+']);
  return square === 0
    ? [...times(slope), ...plus(constant)]
    : ['dup', ...times(square), ...plus(slope), '*', ...plus(constant)];
}

const keyOf = ({ coefficients }: StackVmItem): string => `stack_vm|${coefficients.join()}`;

/** Whether a function is one to ask: not that which gives its input again. */
const isAsked = ({ coefficients: [constant, slope, square] }: StackVmItem): boolean =>
  square !== 0 || slope > 1 || constant !== 0;

/** Twenty inputs, the same each time that the function is asked for. */
function hiddenInputs(item: StackVmItem): number[] {
  const rng = rngFor(`hidden inputs|${keyOf(item)}`);
  return Array.from({ length: HIDDEN_TESTS }, () => rng.int(-LARGEST_HIDDEN, LARGEST_HIDDEN));
}

function judge(item: StackVmItem, answer: string): Verdict {
  const parts = (syntax: number, tests: number, brevity: number) => ({ parts: { syntax, tests, brevity } });
  const failed = parts(0, 0, 0);
  const text = trimAscii(answer);
  if (text === '') return { ...missing('the answer is empty'), ...failed };
  if (text.length > MOST_CHARACTERS) return { ...malformed('the program is too long'), ...failed };
  const program = text.split(' ');
  if (!program.every(isInstruction)) return { ...malformed('not a program'), ...failed };
  if (program.length > MOST_INSTRUCTIONS) return { ...illegal('the program has too many instructions'), ...failed };
  const inputs = [...SHOWN, ...hiddenInputs(item)];
  const results = inputs.map((x) => ran(program, BigInt(x)));
  if (results.includes(undefined)) return { ...illegal('the program does not leave one number'), ...failed };
  const passed = results.filter((result, i) => result === BigInt(resultFor(item, inputs[i] as number))).length;
  const canonical = program.join(' ');
  if (passed < inputs.length) {
    return { ...wrongValue('it fails a test'), canonical, ...parts(1, passed / inputs.length, 0) };
  }
  const brevity = Math.min(1, programOf(item).length / program.length);
  return { score: 1, status: 'correct', reason: 'it passes all tests', canonical, ...parts(1, 1, brevity) };
}

export const stackVm = lineTask<StackVmItem, StackVmKnobs>(stackVmCard, {
  answers: 'open',
  characters: '0123456789:+-* dupswaover>',
  generate(rng, { degree, max }) {
    const slope = degree === 1 ? rng.int(1, max) : rng.int(-max, max);
    const item: StackVmItem = { coefficients: [rng.int(-max, max), slope, degree === 1 ? 0 : rng.int(1, max)] };
    return isAsked(item) ? item : null;
  },
  *enumerate({ degree, max }) {
    for (let square = degree === 1 ? 0 : 1; square <= (degree === 1 ? 0 : max); square++) {
      for (let slope = degree === 1 ? 1 : -max; slope <= max; slope++) {
        for (let constant = -max; constant <= max; constant++) {
          const item: StackVmItem = { coefficients: [constant, slope, square] };
          if (isAsked(item)) yield item;
        }
      }
    }
  },
  key: keyOf,
  prompt: (item) => `${SHOWN.map((x) => `${x}:${resultFor(item, x)}`).join(' ')}>`,
  question: (item) =>
    `A stack machine has a number on its stack and runs a program. ${MACHINE_RULES}` +
    `Write a program of at most ${MOST_INSTRUCTIONS} instructions, separated by spaces, that leaves one number alone: ` +
    `${SHOWN.map((x) => `${resultFor(item, x)} for ${x}`).join(', ')}. ` +
    'It computes a polynomial of degree 2 or less, and is tried on other numbers too. Answer with the program alone.',
  oracle: (item) => programOf(item).join(' '),
  verify: judge,
  mutants: (item, _knobs, rng) => {
    const program = programOf(item);
    const at = rng.int(0, program.length - 1);
    const replaced = (by: string): string => program.map((one, i) => (i === at ? by : one)).join(' ');
    const texts: Record<string, string> = {
      'last instruction left out': program.slice(0, -1).join(' '),
      'first instruction left out': program.slice(1).join(' '),
      'one number more': `${program.join(' ')} 1`,
      'one more than right': `${program.join(' ')} 1 +`,
      'an instruction that it has not': replaced('/'),
      'another instruction': replaced(rng.pick(['+', '-', '*', 'dup', '1', '2'])),
      twice: `${program.join(' ')} ${program.join(' ')}`,
      'without spaces': `${program.join('')}x`,
      'with a comma': `${program.join(' ')},`,
      'padded beyond the limit': `${program.join(' ')}${' 0 +'.repeat(MOST_INSTRUCTIONS / 2)}`,
      'the result of an example': String(resultFor(item, 1)),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.08,
  longest: ({ degree, max }) => {
    const result = { coefficients: [max, max, degree === 1 ? 0 : max] } as const;
    return {
      prompt: 3 * (String(resultFor(result, 3)).length + 4),
      answer: programOf(result).join(' ').length + 4,
      question: 760,
    };
  },
});

interface Operation {
  readonly operands: number;
  apply(one: bigint, two: bigint): readonly bigint[];
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': { operands: 2, apply: (one, two) => [one + two] },
  '-': { operands: 2, apply: (one, two) => [one - two] },
  '*': { operands: 2, apply: (one, two) => [one * two] },
  dup: { operands: 1, apply: (one) => [one, one] },
  swap: { operands: 2, apply: (one, two) => [two, one] },
  over: { operands: 2, apply: (one, two) => [one, two, one] },
  drop: { operands: 1, apply: () => [] },
};

/** Whether a word is an instruction: an operation, or a number without a sign. */
function isInstruction(word: string): boolean {
  return Object.hasOwn(OPERATIONS, word) || /^(?:0|[1-9][0-9]{0,3})$/.test(word);
}

/** The one number that a program leaves of its input; undefined where an operand is missing, or the stack has another size. */
function ran(program: readonly string[], input: bigint): bigint | undefined {
  const stack = [input];
  for (const word of program) {
    if (!Object.hasOwn(OPERATIONS, word)) stack.push(BigInt(word));
    else {
      const { operands, apply } = OPERATIONS[word] as Operation;
      if (stack.length < operands) return undefined;
      const [one = 0n, two = 0n] = stack.splice(-operands);
      stack.push(...apply(one, two));
    }
  }
  return stack.length === 1 ? stack[0] : undefined;
}
