/** What tasks say besides a verdict: steps, hints and feedback, on every task that has them. */
import { describe, expect, it } from 'vitest';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { bindTask, oneTask } from '../../../data/index.ts';

const LEAST = 20;
const definitions = await Promise.all(
  Object.entries(registeredTasks).map(async ([name, { load }]) => [name, await load()] as const),
);
const helping = definitions.filter(
  ([name, { environment, hints, givesSteps, feedback }]) =>
    name !== 'countdown' && environment === undefined && (hints ?? givesSteps ?? feedback) !== undefined,
);

it('there are at least twenty with steps, with hints and with feedback', () => {
  const having = (what: 'givesSteps' | 'hints' | 'feedback') =>
    definitions.filter(([, definition]) => definition[what] !== undefined).length;
  for (const what of ['givesSteps', 'hints', 'feedback'] as const) {
    expect(having(what), what).toBeGreaterThanOrEqual(LEAST);
  }
});

describe.each(helping)('%s', (_name, definition) => {
  const task = bindTask(definition, { level: 1 });
  const { codec } = oneTask(task);
  const items = Array.from({ length: 20 }, (_, index) => task.trainItem(0, index));
  const said = (text: string) => expect(codec.decode(codec.encode(text))).toBe(text);

  it('hints and feedback are in its notation, and none is an answer', () => {
    items.forEach((item, index) => {
      const other = items[(index + 1) % items.length].answer;
      const feedback = [item.answer, other, `${other}${other}`].map(
        (answer) => definition.feedback?.(item.identity, answer, task.knobs) ?? '',
      );
      for (const text of [...(task.hints?.(item) ?? []), ...feedback]) {
        said(text);
        expect(task.verify(item, text, { finishReason: 'eos' }).score, `${item.prompt} ${text}`).not.toBe(1);
      }
    });
  });

  it('feedback calculates nothing: it is the start of the answer, a piece of the prompt, or a place', () => {
    const bare = (text: string): string => text.replace(/\s+/g, '');
    for (const [index, item] of items.entries()) {
      const other = items[(index + 1) % items.length].answer;
      for (const answer of [other, `${other}${other}`, item.answer.slice(0, -1) + other]) {
        const text = definition.feedback?.(item.identity, answer, task.knobs) ?? '';
        const isPlace = /^[1-9][0-9]?$/.test(text) && Number(text) <= answer.length + 1;
        const isGiven = bare(answer).startsWith(bare(text)) || item.prompt.includes(text);
        expect(isGiven || isPlace, `${item.prompt} ${answer}: ${text}`).toBe(true);
      }
    }
  });

  it('all steps of a right answer are right, one of a wrong one is not, and none is left out', () => {
    if (task.givesSteps !== true) return;
    for (const item of items) {
      const stepsOf = (answer: string) =>
        task.verify(item, answer, { finishReason: 'eos', wantsSteps: true }).steps ?? [];
      const right = stepsOf(item.answer);
      expect(right.map(({ score }) => score)).toEqual(right.map(() => 1));
      expect(right[0]?.from).toBe(0);
      expect(right.at(-1)?.to).toBe(item.answer.length);
      for (const [place, { to }] of right.entries()) expect(right[place + 1]?.from ?? to).toBe(to);
      expect(stepsOf(`${item.answer}~`).map(({ score }) => score)).toContain(0);
    }
  });
});
