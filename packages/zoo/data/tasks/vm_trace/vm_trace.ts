/**
 * A program of the machine of stack_machine, and the stack after each of its instructions.
 *
 *   parts       output: the stack at the end; trace: share of the stacks that are right, in their places
 *   split       that of stack_machine, by hash of the program
 *
 * @see ExecVerify: an answer for the output and one for each step
 */
import { stepsBetween } from '../../../rewards/verdict_steps.ts';
import type { Verdict } from '../../kit.ts';
import { lineTask, listMisses, malformed, missing, onlyMisses, trimAscii, wrongValue } from '../../kit.ts';
import type { StackMachineKnobs } from '../stack_machine/card.ts';
import {
  drawProgram,
  MACHINE_RULES,
  type StackMachineItem,
  stackMachine,
  stepped,
} from '../stack_machine/stack_machine.ts';
import { vmTraceCard } from './card.ts';

/** Numbers of a stack at most, while it runs. */
const MOST_DEPTH = 6;
const STATE = /^-?[0-9]{1,9}(?: -?[0-9]{1,9})*$/;
/** Characters of an answer that is read. */
const MOST_CHARACTERS = 2000;

function traceOf({ program }: StackMachineItem): string[] {
  let stack: readonly number[] = [];
  return program.map((instruction) => {
    stack = stepped(stack, instruction);
    return stack.join(' ');
  });
}

function judge(item: StackMachineItem, answer: string): Verdict {
  const text = trimAscii(answer);
  const failed = { parts: { output: 0, trace: 0 } };
  if (text === '') return { ...missing('the answer is empty'), ...failed };
  const given = text.length > MOST_CHARACTERS ? [] : text.split('/');
  if (!given.every((state) => STATE.test(state)) || given.length === 0)
    return { ...malformed('not a trace'), ...failed };
  const right = traceOf(item);
  const same = right.filter((state, i) => state === given[i]).length;
  const output = given.at(-1) === right.at(-1) ? 1 : 0;
  const parts = { output, trace: same / Math.max(right.length, given.length) };
  if (text === right.join('/'))
    return { score: 1, status: 'correct', reason: 'the right trace', canonical: text, parts };
  return { ...wrongValue('not the right trace'), canonical: text, parts };
}

export const vmTrace = lineTask<StackMachineItem, StackMachineKnobs>(vmTraceCard, {
  family: stackMachine.family,
  characters: 'trace 0123456789+-*dupswaover/>',
  generate(rng, knobs) {
    const item = drawProgram(rng, knobs);
    return item !== null && traceOf(item).every((state) => state !== '' && state.split(' ').length <= MOST_DEPTH)
      ? item
      : null;
  },
  key: stackMachine.key,
  prompt: ({ program }) => `trace ${program.join(' ')}>`,
  question: ({ program }) =>
    `A stack machine runs this program: ${program.join(' ')}. ${MACHINE_RULES}` +
    'Give the stack after each instruction, the top last: numbers separated by spaces, stacks by a slash.',
  oracle: (item) => traceOf(item).join('/'),
  verify: judge,
  steps(item, answer) {
    const right = traceOf(item);
    return stepsBetween(answer, '/', (state, i) => state === right[i]);
  },
  mutants: (item, _knobs, rng) => {
    const trace = traceOf(item);
    const right = trace.join('/');
    const texts: Record<string, string> = {
      ...listMisses(trace, '/', rng),
      'the end alone': item.stack.join(' '),
      'the end once more': `${right}/${trace.at(-1)}`,
      'last one off by one': [
        ...trace.slice(0, -1),
        [...item.stack.slice(0, -1), (item.stack.at(-1) ?? 0) + 1].join(' '),
      ].join('/'),
      'a leading zero': right.replace(/[0-9]/, '0$&'),
      'a sign more': `+${right}`,
      'the program': item.program.join(' '),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.01,
  longest: ({ length, max }) => ({
    prompt: 7 + length * Math.max(5, String(max).length + 1),
    answer: length * (6 * MOST_DEPTH),
    question: 560 + length * 5,
  }),
});
