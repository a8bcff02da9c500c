/** Tasks that are asked again where the answer was wrong. */
import { describe, expect, it } from 'vitest';
import { playEpisode } from '../../../../../src/data/play.ts';
import type { Task, TaskDefinition } from '../../../../../src/data/task.ts';
import { createTask, registeredTask } from '../../../../../test/support/everything.ts';
import { openSmallPretrained } from '../../../../models/test/support/small_pretrained.ts';
import { bindTask, checkTask, findingText, retried, taskSet } from '../../../../zoo/data/index.ts';
import { product } from '../../support/product_task.ts';

function played(task: Task, answers: readonly string[]) {
  const { environment } = task;
  if (environment === undefined) throw new RangeError('not played');
  return playEpisode(environment, task.trainItem(0, 0), '0', (_, turn) => answers[turn]);
}

describe('retry', () => {
  it('says what the inner task says of a wrong answer, and the last attempt counts', async () => {
    const task = await createTask({ name: 'retry', of: { task: 'countdown' } });
    const item = task.trainItem(0, 0);
    const [wrong] = item.answer.split(' , ');
    const { turns, verdict } = played(task, [wrong, '1 1 1', item.answer]);
    expect(turns.map(({ from }) => from)).toEqual(['policy', 'environment', 'policy', 'environment', 'policy']);
    expect(turns[1].text).toMatch(/^\| /);
    expect(turns[3].text.split(' ')[0]).toMatch(/^[?_]$/);
    expect(verdict.score).toBe(1);
    expect(played(task, [wrong, wrong, wrong, item.answer]).verdict.score).toBe(0);
    expect(played(task, [item.answer, wrong]).turns).toHaveLength(1);
  });

  it('asks the problems of the inner task, on their sides of its split', async () => {
    const [inner, again] = await Promise.all([
      createTask({ name: 'sort_digits' }),
      createTask({ name: 'retry', of: 'sort_digits' }),
    ]);
    const facts = (task: Task) =>
      Array.from({ length: 20 }, (_, i) => [task.trainItem(1, i).split, task.trainItem(1, i).prompt.length > 0]);
    expect(facts(again)).toEqual(facts(inner));
    const keys = new Set(inner.heldOutItems().map(({ key }) => key));
    for (let i = 0; i < 200; i++) expect(keys.has(again.trainItem(2, i).key)).toBe(false);
  });

  it('is refused of what is played in turns, and of what is made of a task', async () => {
    await expect(createTask({ name: 'retry', of: 'guess_number' })).rejects.toThrow(
      'task.of: "guess_number" — it is played in turns already; name a task that is answered at once.',
    );
    await expect(createTask({ name: 'retry', of: 'mask_fill' })).rejects.toThrow('it is made of a task itself');
    await expect(createTask({ name: 'retry', of: 'countdwn' })).rejects.toThrow('no such task');
  });

  it.each(['chain_sum', 'sort_digits', 'course_schedule', 'number_sorting'])(
    'keeps the rules of an environment: %s',
    async (of) => {
      const definition = await registeredTask('retry').load({ of });
      const { findings } = checkTask(definition, { items: 8, settings: [{ of, attempts: 2 }] });
      expect(findings.map(findingText)).toEqual([]);
    },
  );

  it('says a verdict in words to a pretrained model', async () => {
    const { codec } = await openSmallPretrained();
    const task = await createTask({ name: 'retry', of: 'chain_sum', examples: 0 }, { codec, heldOutSample: 4 });
    const tasks = taskSet([{ task, weight: 1 }], codec);
    const item = tasks.trainItem(0, 0);
    const { environment } = tasks;
    const step = environment.step(item, environment.start(item, '0'), ' 123456 \n', '0', { finishReason: 'eos' });
    expect(step.observation).toBe('Wrong: not the right number. Try again.');
    expect(codec.decode(environment.observationTokens(item, step, 'eos'))).toContain('Wrong: not the right number.');
    expect(environment.step(item, step.next, ` ${item.answer}\n`, '0', { finishReason: 'eos' }).verdict?.score).toBe(1);
  });
});

describe('a task of your own', () => {
  it('is asked again with its own knobs', () => {
    const definition = retried(product);
    expect(checkTask(definition as never, { items: 8 }).findings.map(findingText)).toEqual([]);
    const task = bindTask(definition as never, { max: 9, attempts: 2 });
    expect(task.name).toBe('product_retried');
    expect(task.language.turns?.maxTurns).toBe(2);
    const item = task.trainItem(0, 0);
    expect(played(task, ['0', item.answer]).turns.map(({ text }) => text)).toEqual(['0', '|', item.answer]);
  });

  it('that is played in turns already is refused', async () => {
    const game = (await registeredTask('guess_number').load()) as unknown as TaskDefinition<never, never>;
    expect(() => retried(game)).toThrow('task: "guess_number" — it is played in turns already');
  });
});
