/** What countdown says besides a verdict: hints to a problem, and what was wrong with an answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getTaskDefinition } from '../../../../../test/support/tasks.ts';
import { bindTask, oneTask } from '../../../data/index.ts';

const task = bindTask(getTaskDefinition('countdown'), {});
const tasks = oneTask(task);
const item = { ...task.trainItem(0, 0), identity: { numbers: [3, 7, 2], target: 13 } };

function feedbackOn(answer: string): string | undefined {
  return task.verify(item, answer, { finishReason: 'eos', wantsFeedback: true }).feedback;
}

describe('hints of countdown', () => {
  it('grow from the operators to the first step, and none is an answer', () => {
    for (let index = 0; index < 50; index++) {
      const problem = task.trainItem(1, index);
      const [operators, pair, step] = task.hints?.(problem) ?? [];
      expect(problem.answer.startsWith(`${step} ,`)).toBe(true);
      expect(step.startsWith(`${pair} = `)).toBe(true);
      expect(operators).toMatch(/^[-+*/] [-+*/]$/);
      for (const hint of [operators, pair, step]) {
        expect(task.verify(problem, hint, { finishReason: 'eos' }).score).toBe(0);
      }
      expect(tasks.hints(problem).map(({ length }) => length)).toEqual([2, 3, 5]);
    }
  });

  it('stand beside all further solutions, the own one first', () => {
    const [first, ...others] = task.solutions?.(item) ?? [];
    expect(first).toBe(item.answer);
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
    expect(tasks.solutions(item)[0]).toEqual(tasks.codec.encode(item.answer));
  });
});

describe('feedback of countdown', () => {
  it.each([
    ['3 * 2 = 7 , 7 + 7 = 14', '3 * 2 = ?'], // not true
    ['3 * 2 = 6 , 8 + 6 = 14', '7 6 ?'], // there is no 8
    ['3 * 2 = 6 , 7 * 6 = 42', '42 ?'], // not what was asked
    ['3 * 2 = 6', '7 6 ?'],
    ['7 / 2 = 3 , 3 * 3 = 9', '7 / 2 = ?'],
    ['nonsense', '3 7 2 ?'],
    ['', '3 7 2 ?'],
  ])('on %s is %s', (answer, expected) => {
    expect(feedbackOn(answer)).toBe(expected);
  });

  it('is given where it is asked for, and of a wrong answer alone', () => {
    expect(feedbackOn('3 * 2 = 6 , 7 + 6 = 13')).toBeUndefined();
    expect(task.verify(item, '3 * 2 = 7', { finishReason: 'eos' })).not.toHaveProperty('feedback');
  });

  it('can be written in its own vocabulary and has no number that was not read or written, whatever is answered', () => {
    const piece = fc.constantFrom('3', '7', '2', '6', '99', '0', '+', '-', '*', '/', '=', ',', '=');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        const feedback = feedbackOn(pieces.join(' '));
        if (feedback === undefined) return;
        expect(tasks.codec.decode(tasks.codec.encode(feedback))).toBe(feedback);
        const numbers = feedback.split(' ').filter((one) => /^[0-9]+$/.test(one));
        expect(['3', '7', '2', '13', ...pieces]).toEqual(expect.arrayContaining(numbers));
      }),
    );
  });
});
