/** Every task whose answer is a number reads it alike, however it is written. */
import { expect, it } from 'vitest';
import { createTask, registeredTasks } from '../../../../test/support/everything.ts';

/** Answers that are digits and no number: a row of them, moves, names, cells of a grid. Their cards or pages say which. */
const DIGITS = [
  ...['sort_digits', 'spiral_matrix', 'needle_haystack', 'copy', 'corrupt_span', 'ssl_tasks'],
  ...['topological_order', 'lights_out', 'knights_knaves', 'mastermind', 'minesweeper', 'tic_tac_toe', 'guess_number'],
  ...['manipulate_matrix', 'mini_sudoku', 'round_trip'],
];

const FORMS: Readonly<Record<string, (sign: string, digits: string) => string>> = {
  'in a box': (sign, digits) => `\\boxed{${sign}${digits}}`,
  'in dollars': (sign, digits) => `$${sign}${digits}$`,
  'zero in front': (sign, digits) => `${sign}0${digits}`,
  'its sign': (sign, digits) => `${sign || '+'}${digits}`,
  'in white space': (sign, digits) => ` ${sign}${digits}\n`,
};

it.each(Object.keys(registeredTasks))('%s', async (name) => {
  const task = await createTask({ name });
  const drawn = Array.from({ length: 60 }, (_, i) => task.trainItem(11, i));
  const asked = drawn.flatMap((item) => {
    const [, sign = '', digits] = /^(-?)(\d+)$/.exec(item.answer) ?? [];
    return digits === undefined ? [] : [{ item, sign, digits }];
  });
  if (DIGITS.includes(name)) return;
  for (const { item, sign, digits } of asked) {
    for (const [form, written] of Object.entries(FORMS)) {
      const { score } = task.verify(item, written(sign, digits), { finishReason: 'eos' });
      expect(score, `${item.prompt} ${form}: ${written(sign, digits)}`).toBe(1);
    }
  }
});

it('no task is excepted that is none, or that reads numbers after all', async () => {
  for (const name of DIGITS) {
    const task = await createTask({ name });
    const items = Array.from({ length: 60 }, (_, i) => task.trainItem(11, i)).filter(({ answer }) =>
      /^\d+$/.test(answer),
    );
    // Of several right rows of code words, one may begin with a zero; none has a sign.
    const form = name === 'round_trip' ? 'its sign' : 'zero in front';
    const scores = items.map(
      ({ answer }, i) => task.verify(items[i], FORMS[form]('', answer), { finishReason: 'eos' }).score,
    );
    expect(
      scores.every((score) => score !== 1),
      name,
    ).toBe(true);
  }
});
