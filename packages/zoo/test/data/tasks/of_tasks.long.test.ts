/** Tasks made of tasks: the suite that every task passes, and what is theirs alone. */
import { describe, expect, it } from 'vitest';
import { createTask, registeredTasks } from '../../../../../test/support/everything.ts';
import { bindTask } from '../../../data/index.ts';
import { describeTasks } from '../../support/task_rules.ts';
import { OF_TASKS } from '../second_checkers/of_tasks.ts';

describeTasks(OF_TASKS, {
  mask_fill: ['eaf64ca5', '7e59c0d7', '807bd2ba'],
  reorder: ['7940c691', 'ddb897fe'],
  corrupt_span: ['d2fce605', '332b3ffd'],
  mcq_fim: ['89f824c0', 'dbc76a75', '073c375b'],
  vmr: ['41b5b229', 'ba9fd2c4'],
  next_segment: ['48840295', 'd75eccd2', '1ad6b7d8'],
  verify_tasks: ['c886d616', '068a8773'],
  verify_steps: ['b8eafcf4', '8f0d6f43'],
  in_form: ['400f58bc', '8ea3f70b', '6ffdfe21', '592178af'],
  critique_tasks: ['aee5b492', 'fd8d7186'],
  ssl_tasks: ['40dd9d23', '65191a12'],
});

const NAMES = Object.keys(OF_TASKS);
/** A task of characters and one of words, of several right answers and of one. */
const INNER = ['chain_sum', 'number_sorting', 'topological_order'];

describe.each(NAMES)('%s of other tasks', (name) => {
  it.each(INNER)('is made of %s', async (task) => {
    if (name === 'next_segment' && task === 'topological_order') return;
    if (name === 'verify_steps' && task !== 'number_sorting') return; // the others' verifiers judge no steps
    const made = await createTask({ name, of: { task, level: 1 } });
    const inner = await createTask({ name: task, level: 1 });
    for (let index = 0; index < 20; index++) {
      const item = made.trainItem(3, index);
      expect(made.verify(item, item.answer, { finishReason: 'eos' }).score, `${item.prompt} ${item.answer}`).toBe(1);
      expect(made.language.tokenizer.encode(item.prompt).length).toBeLessThanOrEqual(made.language.promptTokens);
      expect(made.language.tokenizer.encode(item.answer).length).toBeLessThan(made.language.completionTokens);
    }
    // What one side has seen is never on the other, in whichever of the two tasks.
    const heldOut = new Set(inner.heldOutItems().map(({ prompt }) => prompt));
    for (let index = 0; index < 100; index++) {
      const prompt = made.trainItem(5, index).prompt;
      for (const end of ['>', '?']) {
        const asked = prompt.slice(0, prompt.indexOf(end) + 1);
        expect(asked !== '' && heldOut.has(asked)).toBe(false);
      }
    }
  });
});

describe('a task made of a task', () => {
  it('takes the name alone, and every knob of the other one', async () => {
    const short = await createTask({ name: 'reorder', of: 'number_sorting' });
    const long = await createTask({ name: 'reorder', of: { task: 'number_sorting' } });
    expect(short.trainItem(0, 0)).toEqual(long.trainItem(0, 0));
  });

  it.each([
    [{ of: 'chain_summ' }, 'no such task; did you mean "chain_sum"?'],
    [{ of: { task: 'chain_sum', term: 3 } }, 'task.of.term: 3 — no such knob of chain_sum'],
    [{ of: 'mask_fill' }, 'it is made of a task itself; name that one'],
    [{ of: { task: 'chain_sum', style: 'plain' } }, 'style says how a problem is asked'],
    [{ of: 3 }, 'must be a task, or {task: NAME, …} with its knobs'],
  ])('refuses %j', async (knobs, rule) => {
    await expect((async () => (await createTask({ name: 'reorder', ...knobs })).trainItem(0, 0))()).rejects.toThrow(
      rule,
    );
  });

  it('refuses to go on with answers that are not listed', async () => {
    await expect(createTask({ name: 'next_segment', of: 'topological_order' })).rejects.toThrow(
      'it has right answers that it does not list',
    );
  });
});

describe('critique_tasks', () => {
  it('pays half for kind or place, and nothing for a false alarm', async () => {
    const definition = await registeredTasks.critique_tasks.load();
    const task = bindTask(definition, { clean: 0 });
    const clean = bindTask(definition, { clean: 1 });
    const partOf = (of: typeof task, index: number, answer: (right: string) => string) => {
      const item = of.trainItem(1, index);
      return of.verify(item, answer(item.answer), { finishReason: 'eos' }).parts?.critique;
    };
    const parts = (answer: (right: string) => string, of = task) =>
      new Set(Array.from({ length: 40 }, (_, index) => partOf(of, index, answer)));
    expect(parts((right) => right)).toEqual(new Set([1]));
    expect(parts(() => 'C')).toEqual(new Set([0]));
    expect(parts((right) => `${right.startsWith('A') ? 'B' : 'A'}${right.slice(1)}`)).toContain(0.5);
    expect(parts(() => 'A 2', clean)).toEqual(new Set([0]));
    expect(parts(() => 'C', clean)).toEqual(new Set([1]));
  });
});
