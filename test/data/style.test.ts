/** The two ways to ask a problem. */
import { describe, expect, it } from 'vitest';
import { bindTask } from '../../src/data/create_task.ts';
import type { TaskItem } from '../../src/data/problem.ts';
import { openingOf, withOpening } from '../../src/data/prompts/style.ts';
import { oneTask, taskSet } from '../../src/data/task_set.ts';
import type { Message } from '../../src/text/codec.ts';
import { getTaskDefinition } from '../support/tasks.ts';

const ENDED = { finishReason: 'eos' } as const;
const CUT = { finishReason: 'length' } as const;

describe.each([['countdown'], ['sort_digits'], ['reverse_text']])('%s in plain style', (name) => {
  const definition = getTaskDefinition(name);
  const plain = bindTask(definition, { style: 'plain' });
  const compact = bindTask(definition);
  const tasks = oneTask(plain);
  const items = Array.from({ length: 100 }, (_, index) => tasks.trainItem(1, index));

  it('asks the same problems with other words', () => {
    for (const [index, item] of items.entries()) {
      const other = compact.trainItem(1, index);
      expect(item).toMatchObject({ id: other.id, key: other.key, identity: other.identity });
      expect(item.prompt).not.toBe(other.prompt);
      expect(item.prompt).toMatch(/^[A-Z][^<]*\nWrite the answer between <answer> and <\/answer>\.\n$/);
    }
  });

  it('reads the answer between its tags, once', () => {
    const [item] = items;
    const answer = compact.trainItem(1, 0).answer;
    const score = (text: string, context: typeof ENDED | typeof CUT = ENDED) => tasks.verify(item, text, context);
    expect(item.answer).toBe(`<answer>${answer}</answer>`);
    expect(score(item.answer).score).toBe(1);
    expect(score(`so it is ${item.answer} `, CUT).score).toBe(1);
    expect(score(answer)).toMatchObject({ score: 0, failure: 'no_answer' });
    expect(score(`${item.answer}${item.answer}`)).toMatchObject({ score: 0, failure: 'bad_format' });
    expect(score(`<think>${item.answer}</think>`).score).toBe(0);
    expect(score(`<think>${item.answer}`).score).toBe(0);
    expect(score(`<answer>${answer}`, CUT)).toMatchObject({ score: 0, status: 'truncated' });
    expect(score(`${item.prompt}${item.answer}`).score).toBe(0);
  });

  it('keeps prompts, answers and demonstrations within its limits, in its characters', () => {
    for (const [index, item] of items.entries()) {
      expect(tasks.codec.decode(tasks.promptTokens(item))).toBe(item.prompt);
      expect(tasks.codec.encode(item.answer).length).toBeLessThan(tasks.maxCompletionTokens);
      const demonstration = tasks.codec.decode(tasks.demonstrationTokens(item, 0, index).subarray(0, -1));
      expect(demonstration).toMatch(/^<answer>.*<\/answer>$/);
    }
    expect(tasks.fixedCompletionTokens).toBeUndefined();
    expect(tasks.parse(items[0].prompt)).toBeUndefined();
  });
});

describe('a style', () => {
  it('joins tasks whose compact vocabularies cannot be one', () => {
    const both = ['countdown', 'reverse_text'].map((name) => ({
      task: bindTask(getTaskDefinition(name), { style: 'plain' }),
      weight: 1,
    }));
    expect(taskSet(both).codec.vocabSize).toBe(98);
  });

  it('is one of two', () => {
    expect(() => bindTask(getTaskDefinition('countdown'), { style: 'chat' })).toThrow(
      'task.style: "chat" — not a way to ask; use compact or plain.',
    );
  });

  it('is compact alone for a task without a question', () => {
    const { question: _, ...terse } = getTaskDefinition('countdown');
    expect(() => bindTask(terse, { style: 'plain' }, { path: 'tasks.1' })).toThrow(
      'tasks.1.style: "plain" — countdown has a compact prompt alone: it has no question(); leave it out.',
    );
  });
});

describe('an item', () => {
  it('says the preset of its task, and what the task says of it', () => {
    const definition = { ...getTaskDefinition('reverse_text'), columns: () => ({ kind: 'made up' }) };
    const task = bindTask(definition, { level: 2 });
    expect(task.trainItem(0, 0)).toMatchObject({ level: 2, columns: { kind: 'made up' } });
    expect(task.heldOutItems()[0]).toMatchObject({ level: 2, columns: { kind: 'made up' } });
    expect(bindTask(getTaskDefinition('reverse_text')).trainItem(0, 0)).not.toHaveProperty('level');
  });
});

describe('a conversation has one system message, at its start', () => {
  const row = (question: string): TaskItem => ({
    ...{ id: question, key: question, split: 'train', prompt: question, answer: 'a', identity: null, weight: 1 },
    messages: [
      { role: 'system', content: 'Of the row.' },
      { role: 'user', content: question },
    ],
  });
  const [EXAMPLE, ASKED] = [row('e'), row('q')];
  const rolesOf = (turns: readonly Message[]): string =>
    turns.map(({ role, content }) => `${role}: ${content}`).join('|');
  const conversation = (system: string | undefined, examples: number, turns = ASKED.messages ?? []): string =>
    rolesOf(
      withOpening(
        openingOf({ system, examples }, () => EXAMPLE),
        turns,
      ),
    );

  it.each([
    ['of the row', undefined, 0, 'system: Of the row.|user: q'],
    ['of the row, before examples too', undefined, 1, 'system: Of the row.|user: e|assistant: a|user: q'],
    ['of both', 'Of the run.', 0, 'system: Of the run.\n\nOf the row.|user: q'],
    ['of both, before examples', 'Of the run.', 1, 'system: Of the run.\n\nOf the row.|user: e|assistant: a|user: q'],
  ])('%s', (_, system, examples, turns) => expect(conversation(system, examples)).toBe(turns));

  it('of the run, where the row has none', () => {
    const turns: Message[] = [{ role: 'user', content: 'q' }];
    expect(conversation('Of the run.', 1, turns)).toBe('system: Of the run.|user: e|assistant: a|user: q');
  });
});
