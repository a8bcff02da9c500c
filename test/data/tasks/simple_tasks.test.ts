import { describe, expect, it } from 'vitest';
import type { TaskItem } from '../../../src/data/task.ts';
import { createTask } from '../../support/tasks.ts';

const ENDED = { finishReason: 'eos' } as const;

/** An item of any task, made by hand. */
function itemOf(identity: TaskItem['identity']): TaskItem {
  return { id: 'x', key: 'x', split: 'train', prompt: '', answer: '', identity, weight: 1 };
}

describe('sort_digits', () => {
  const task = createTask({ name: 'sort_digits' });
  const item = itemOf({ digits: '9190' });

  it.each([
    ['0199', 1, 1],
    ['0919', 0, 0.5],
    ['9190', 0, 0.5],
    ['9910', 0, 0],
    ['019', 0, 0],
    ['01990', 0, 0],
    ['0199>', 0, 0],
    ['', 0, 0],
  ])('9190: %j scores %d, with %d of the positions right', (answer, score, positions) => {
    const verdict = task.verify(item, answer, { finishReason: 'stop' });
    expect([verdict.score, verdict.parts?.positions]).toEqual([score, positions]);
  });

  it('stops after as many tokens as digits, without EOS', () => {
    expect(task.fixedCompletionTokens).toBe(4);
    expect(task.maxCompletionTokens).toBe(4);
    expect(task.maxPromptTokens).toBe(5);
    expect([...task.demonstrationTokens(item, 0, 0)]).not.toContain(task.codec.eosTokenId);
  });

  it('holds out whole multisets: no held-out answer is an answer in training', () => {
    const heldOut = task.heldOutItems();
    const answers = new Set(heldOut.map((held) => held.answer));
    for (let index = 0; index < 2000; index++) expect(answers.has(task.trainItem(0, index).answer)).toBe(false);
    expect(heldOut.length).toBeGreaterThan(1400);
    expect(heldOut.length).toBeLessThan(2600);
  });
});

describe('reverse_text', () => {
  const task = createTask({ name: 'reverse_text' });
  const item = itemOf({ word: 'abc' });

  it.each([
    ['cba', 1, 1],
    ['CBA', 0, 0],
    ['cb', 0, 0.8],
    ['cba cba', 0, 0.6],
    ['abc', 0, 1 / 3],
    ['', 0, 0],
  ])('abc: %j scores %d with LCS ratio %d', (answer, score, lcs) => {
    const verdict = task.verify(item, answer, ENDED);
    expect(verdict.score).toBe(score);
    expect(verdict.parts?.lcs).toBeCloseTo(lcs, 12);
  });

  it('demonstrates each letter wrong with the chance of the knob', () => {
    let wrong = 0;
    let letters = 0;
    for (let index = 0; index < 800; index++) {
      const problem = task.trainItem(0, index);
      const text = task.codec.decode(task.demonstrationTokens(problem, 0, index).subarray(0, -1)); // without EOS
      for (let i = 0; i < text.length; i++) if (text[i] !== problem.answer[i]) wrong++;
      letters += text.length;
    }
    // 4 standard deviations of about 5,200 letters.
    expect(Math.abs(wrong / letters - 0.2)).toBeLessThan(0.023);
  });

  it('holds out a fixed sample of unique words of every length', () => {
    const words = task.heldOutItems().map((held) => (held.identity as { word: string }).word);
    expect(new Set(words).size).toBe(512);
    expect([...new Set(words.map((word) => word.length))].sort()).toEqual([5, 6, 7, 8]);
    expect(createTask({ name: 'reverse_text' }, { heldOutSample: 20 }).heldOutItems()).toEqual(
      task.heldOutItems().slice(0, 20),
    );
  });

  it('refuses lengths in the wrong order', () => {
    expect(() => createTask({ name: 'reverse_text', min_length: 9 })).toThrow(
      'task.max_length: 8 — must be at least min_length (9); raise it or lower min_length.',
    );
  });
});
