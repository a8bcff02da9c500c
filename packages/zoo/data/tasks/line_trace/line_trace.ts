/**
 * A program of numbered lines, two variables that begin at 0, and jumps.
 *
 *   prompt      run 1a=3 2b+a 3a-1 4a?2|b>     completion  6    the value of b at the end
 *               …|@5>                          completion  2    the line that runs as the fifth
 *   lines       a=3 sets, a+3 and a-b add and take away, a?2 goes to line 2 where a is above 0
 *   hints       the lines that run first
 *
 * @see ExecVerify: questions about single states and the next statement, beside the output
 */
import { judgeNumber, lineTask, numberMisses, type Rng } from '../../kit.ts';
import { type LineTraceKnobs, lineTraceCard } from './card.ts';

/** `lines` without their numbers; `asked`: a variable, or a step as `@5`. */
export type LineTraceItem = { readonly lines: readonly string[]; readonly asked: string };

const NAMES = 'ab';
const MOST_NUMBER = 5;
const MOST_VALUE = 99;

interface Run {
  /** The lines that ran, in their order, from 1. */
  readonly trace: readonly number[];
  readonly values: ReadonlyMap<string, number>;
}

/** Undefined where it does not end within `most` steps. */
function run(lines: readonly string[], most: number): Run | undefined {
  const values = new Map(NAMES.split('').map((name) => [name, 0]));
  const trace: number[] = [];
  let at = 1;
  while (at <= lines.length) {
    if (trace.length === most) return undefined;
    trace.push(at);
    const [name, action, operand] = lines[at - 1];
    const value = values.get(name) ?? 0;
    const given = values.get(operand) ?? Number(operand);
    if (action === '?' && value > 0) at = given;
    else at++;
    if (action === '=') values.set(name, given);
    if (action === '+') values.set(name, value + given);
    if (action === '-') values.set(name, value - given);
  }
  return { trace, values };
}

/** Runs a program that ends, as one that is drawn does. */
const runOf = ({ lines }: LineTraceItem): Run => run(lines, Number.POSITIVE_INFINITY) as Run;

function answerOf(item: LineTraceItem): number {
  const { trace, values } = runOf(item);
  return item.asked.startsWith('@') ? trace[Number(item.asked.slice(1)) - 1] : (values.get(item.asked) ?? 0);
}

/** A value first, a jump back last or last but one, and what there is between. */
function drawLines(rng: Rng, count: number): string[] {
  const names = NAMES.split('');
  const counter = rng.pick(names);
  const other = names.find((name) => name !== counter) as string;
  const lines = [`${counter}=${rng.int(1, MOST_NUMBER)}`];
  const jump = rng.int(Math.max(3, count - 1), count);
  const least = rng.int(2, jump - 1);
  const falls = rng.int(least, jump - 1);
  for (let line = 2; line <= count; line++) {
    const operand = rng.int(0, 2) === 0 ? counter : rng.int(1, MOST_NUMBER);
    if (line === jump) lines.push(`${counter}?${least}`);
    else if (line === falls) lines.push(`${counter}-${rng.int(1, 2)}`);
    else lines.push(`${rng.int(0, 4) === 0 ? counter : other}${rng.pick(['+', '-', '+', '='])}${operand}`);
  }
  return lines;
}

function inEnglish(line: string, place: number): string {
  const [name, action, operand] = line;
  const words = {
    '=': `set ${name} to ${operand}`,
    '+': `add ${operand} to ${name}`,
    '-': `take ${operand} from ${name}`,
    '?': `if ${name} is above 0, go to line ${operand}`,
  }[action];
  return `${place + 1}: ${words}`;
}

export const lineTrace = lineTask<LineTraceItem, LineTraceKnobs>(lineTraceCard, {
  characters: `run 0123456789${NAMES}=+-?|@>`,
  generate(rng, { lines: count, asks, steps }) {
    const lines = drawLines(rng, count);
    const ran = run(lines, steps);
    if (ran === undefined || [...ran.values.values()].some((value) => Math.abs(value) > MOST_VALUE)) return null;
    const kind = asks === 'either' ? rng.pick(['value', 'statement']) : asks;
    // The first lines run in their order.
    if (kind === 'statement' && ran.trace.length < 3) return null;
    return { lines, asked: kind === 'value' ? rng.pick(NAMES.split('')) : `@${rng.int(3, ran.trace.length)}` };
  },
  key: ({ lines, asked }) => `line_trace|${lines.join(' ')}|${asked}`,
  prompt: ({ lines, asked }) => `run ${lines.map((line, i) => `${i + 1}${line}`).join(' ')}|${asked}>`,
  question: ({ lines, asked }) =>
    `A program has these lines, and a and b begin at 0. ${lines.map(inEnglish).join('. ')}. It begins at line 1, and ends after its last line. ` +
    (asked.startsWith('@')
      ? `Count each line that runs. Which line runs as number ${asked.slice(1)}?`
      : `What is ${asked} at the end?`),
  oracle: (item) => String(answerOf(item)),
  verify: (item, answer) => judgeNumber(answer, answerOf(item)),
  hints(item) {
    const { trace } = runOf(item);
    return [2, 4, 6].filter((count) => count < trace.length).map((count) => trace.slice(0, count).join(' '));
  },
  mutants: (item) => ({
    ...numberMisses(answerOf(item)),
    'all lines that run': `${runOf(item).trace.join(' ')} `,
    'the last line': `${runOf(item).trace.at(-1)}.${item.lines.length}`,
    'what is asked': item.asked,
  }),
  /** Counted: the line or the value that is commonest. */
  chance: ({ lines }) => (lines <= 3 ? 0.5 : 0.35),
  longest: ({ lines }) => ({ prompt: 9 + 5 * lines, answer: 3, question: 240 + 36 * lines }),
});
