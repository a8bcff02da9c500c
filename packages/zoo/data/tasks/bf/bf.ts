/** What a Brainf*** program prints: the numbers in its cells (`0:`), or the letters of these codes (`a:`). */
import { judgeNumbers } from '../../judging/judge.ts';
import { judgeText, LETTERS, lineTask, listMisses, type Rng, textMisses } from '../../kit.ts';
import { type BfKnobs, bfCard } from './card.ts';
import { printed } from './interpreter.ts';

export type BfItem = {
  readonly program: string;
  readonly output: 'numbers' | 'letters';
  /** What it prints. */
  readonly cells: readonly number[];
};

/** Largest change of a cell between two prints, first and second factor of a loop. */
const MOST_CHANGE = 6;
const MOST_FACTOR = 5;
/** Letters are this near each other, so that few signs lead from one to the next. */
const MOST_LETTER_STEP = 9;
const FIRST_LETTER = 97;

const times = (sign: string, count: number): string => sign.repeat(count);
const changed = (by: number): string => (by < 0 ? times('-', -by) : times('+', by));

/** A loop that leaves the product of its factors in the next cell, and goes there. */
const product = (a: number, b: number): string => `${times('+', a)}[>${times('+', b)}<-]>`;

/** Cells to the right are 0 at each step: they are not used before. */
function numbersProgram(rng: Rng, prints: number, loops: number): string {
  let program = '';
  let value = 0;
  let left = rng.int(0, loops);
  for (let print = 0; print < prints; print++) {
    const isFresh = value === 0;
    if (left > 0 && rng.int(0, prints - print) <= left) {
      const [a, b] = [rng.int(2, MOST_FACTOR), rng.int(2, MOST_FACTOR)];
      const more = rng.int(-2, 2);
      program += `${isFresh ? '' : '>'}${product(a, b)}${changed(more)}`;
      value = a * b + more;
      left--;
    } else {
      if (!isFresh && rng.int(0, 2) === 0) {
        program += '>';
        value = 0;
      }
      const by = value > 1 && rng.int(0, 1) === 0 ? -rng.int(1, Math.min(value, MOST_CHANGE)) : rng.int(1, MOST_CHANGE);
      program += changed(by);
      value += by;
    }
    program += '.';
  }
  return program;
}

function lettersProgram(rng: Rng, prints: number): string {
  let letter = rng.int(0, LETTERS.length - 1);
  const a = rng.int(8, 12);
  const b = Math.floor((FIRST_LETTER + letter) / a);
  let program = `${product(a, b)}${changed(FIRST_LETTER + letter - a * b)}.`;
  for (let print = 1; print < prints; print++) {
    const least = Math.max(0, letter - MOST_LETTER_STEP);
    const next = rng.int(least, Math.min(LETTERS.length - 1, letter + MOST_LETTER_STEP));
    program += `${changed(next - letter)}.`;
    letter = next;
  }
  return program;
}

const textOf = ({ output, cells }: BfItem): string =>
  output === 'numbers' ? cells.join(' ') : String.fromCharCode(...cells);

export const bf = lineTask<BfItem, BfKnobs>(bfCard, {
  characters: `bf 0123456789a:[]<>+-.${LETTERS}`,
  generate(rng, { prints, loops, output }) {
    const count = rng.int(2, prints);
    const program = output === 'numbers' ? numbersProgram(rng, count, loops) : lettersProgram(rng, count);
    const cells = printed(program);
    return cells === undefined ? null : { program, output, cells };
  },
  key: ({ program, output }) => `bf|${output}|${program}`,
  splitKey: ({ program }) => `bf|${program}`,
  prompt: ({ program, output }) => `bf ${output === 'numbers' ? '0' : 'a'}: ${program} >`,
  question: ({ program, output }) =>
    `This is a program of a machine whose cells are 0 at first: ${program} ` +
    'The signs > and < go to the next and the previous cell, + and - change it by 1, [ and ] enclose what is done again ' +
    `while the cell is not 0, and . prints the cell as ${output === 'numbers' ? 'a number' : 'the letter of this ASCII code'}. ` +
    `What does it print? Give the ${output === 'numbers' ? 'numbers, separated by spaces' : 'letters without spaces'}.`,
  oracle: textOf,
  verify: (item, answer) =>
    item.output === 'numbers' ? judgeNumbers(answer, item.cells) : judgeText(answer, textOf(item)),
  mutants: (item, _knobs, rng) => {
    const right = textOf(item);
    const [first = 0, ...rest] = item.cells;
    const numbers = [first + 1, ...rest].join(' ');
    return {
      ...(item.output === 'numbers' ? listMisses(right.split(' '), ' ', rng) : textMisses(right, LETTERS, rng)),
      'first one off by one': item.output === 'numbers' ? numbers : String.fromCharCode(first + 1, ...rest),
      'in the other form':
        item.output === 'numbers' ? String.fromCharCode(...item.cells.map((n) => 97 + (n % 26))) : item.cells.join(' '),
      'the program': item.program,
    };
  },
  chance: () => 0.03,
  longest: ({ prints, loops, output }) => {
    const program =
      output === 'numbers'
        ? prints * (MOST_CHANGE + 2) + loops * (2 * MOST_FACTOR + 9)
        : 50 + prints * (MOST_LETTER_STEP + 1);
    return { prompt: program + 8, answer: 4 * prints, question: 400 + program };
  },
});
