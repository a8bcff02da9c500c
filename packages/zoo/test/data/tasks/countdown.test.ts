import { describe, expect, it } from 'vitest';
import { tracesOf } from '../../../../../src/data/tasks/countdown/solver.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { shareSolved } from '../../../../../src/methods/statistics.ts';
import { createTask, getTaskDefinition, onlyTask } from '../../../../../test/support/tasks.ts';
import type { TaskItem, TaskSet } from '../../../data/index.ts';

const ENDED = { finishReason: 'eos' } as const;

function shareCorrect(task: TaskSet, numItems: number): number {
  let correct = 0;
  for (let index = 0; index < numItems; index++) {
    const item = task.trainItem(1, index);
    const text = task.codec.decode(task.demonstrationTokens(item, 1, index).subarray(0, -1)); // without EOS
    if (task.verify(item, text, ENDED).score === 1) correct++;
  }
  return correct / numItems;
}

/** Values in 1..99 that can be reached through integers in 1..99, by plain recursion over ordered pairs. */
function reachableByBruteForce(pool: readonly number[], into = new Set<number>()): Set<number> {
  if (pool.length === 1) into.add(pool[0]);
  for (let i = 0; i < pool.length; i++) {
    for (let j = 0; j < pool.length; j++) {
      if (i === j) continue;
      const rest = pool.filter((_, index) => index !== i && index !== j);
      const results = [pool[i] + pool[j], pool[i] - pool[j], pool[i] * pool[j], pool[i] / pool[j]];
      for (const result of results) {
        if (Number.isInteger(result) && result >= 1 && result <= 99) reachableByBruteForce([...rest, result], into);
      }
    }
  }
  return into;
}

describe('tracesOf', () => {
  it.each([[[3, 7, 2]], [[5, 5, 5]], [[10, 9, 10]], [[1, 1, 2, 2]], [[8, 3, 8, 3]], [[99, 98]]])(
    'reaches what brute force reaches from %j, each trace once',
    (numbers) => {
      const table = tracesOf(numbers);
      const reached = Array.from({ length: 100 }, (_, value) => value).filter((value) => table.count(value) > 0);
      expect(new Set(reached)).toEqual(reachableByBruteForce(numbers));
      const texts = Array.from({ length: table.numTraces }, (_, index) => JSON.stringify(table.trace(index)));
      expect(new Set(texts).size).toBe(texts.length);
    },
  );

  it('groups traces by the value that they end in', () => {
    const table = tracesOf([3, 7, 2]);
    expect(table.count(13)).toBeGreaterThan(0);
    for (let index = 0; index < table.count(13); index++) {
      expect(table.trace(table.firstIndex(13) + index).at(-1)?.result).toBe(13);
    }
  });
});

describe('countdown', () => {
  const task = createTask({ name: 'countdown' });

  it('has the vocabulary and lengths of the recipe', () => {
    expect(task.codec.vocabSize).toBe(110);
    expect(task.maxPromptTokens).toBe(6);
    // 11 tokens and EOS, and two to spare.
    expect(task.maxCompletionTokens).toBe(14);
    expect(createTask({ name: 'countdown', answer: 'expression' }).codec.vocabSize).toBe(112);
  });

  it('has 2,894 problems, of which about a fifth is held out, all of them listed', () => {
    const heldOut = task.heldOutItems();
    // Four standard deviations of a binomial(2894, 0.2).
    expect(Math.abs(heldOut.length - 2894 * 0.2)).toBeLessThan(86);
    const seen = new Set(Array.from({ length: 3000 }, (_, index) => task.trainItem(0, index).key));
    expect(seen.size).toBeLessThanOrEqual(2894 - heldOut.length);
    expect(seen.size).toBeGreaterThan(0.5 * (2894 - heldOut.length));
  });

  it('asks what a random valid calculation gives, and weighs held-out problems by how often that is', () => {
    expect(onlyTask(task).chance).toBeCloseTo(0.1093, 4);
    const definition = getTaskDefinition('countdown');
    const rng = rngFor('countdown frequency');
    const drawn = new Map<string, number>();
    const numDraws = 40_000;
    for (let i = 0; i < numDraws; i++) {
      const key = definition.key(
        definition.generate(rng, onlyTask(task).knobs) as { numbers: number[]; target: number },
      );
      drawn.set(key, (drawn.get(key) ?? 0) + 1);
    }
    for (const { key, weight } of task.heldOutItems()) {
      const expected = (numDraws * weight) / 10 ** 3; // 10³ draws of three numbers are alike
      expect(Math.abs((drawn.get(key) ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected) + 1);
    }
  });

  it('asks the same held-out problems in both answer forms', () => {
    const expressions = createTask({ name: 'countdown', answer: 'expression' });
    expect(expressions.heldOutItems().map((item) => item.key)).toEqual(task.heldOutItems().map((item) => item.key));
  });

  it('has one key for every order of the numbers, and another for another target', () => {
    const { key } = getTaskDefinition('countdown');
    const expected = 'cd|13|2,3,10';
    expect(key({ numbers: [3, 10, 2], target: 13 })).toBe(expected);
    expect(key({ numbers: [10, 2, 3], target: 13 })).toBe(expected);
    expect(key({ numbers: [10, 2, 3], target: 14 })).not.toBe(expected);
    expect(key({ numbers: [10, 2, 2], target: 13 })).not.toBe(expected);
  });

  it('shows the numbers in every order', () => {
    const isSorted = (numbers: readonly number[]) => numbers.every((value, i) => i === 0 || numbers[i - 1] <= value);
    const identities = task.heldOutItems().map((item) => item.identity as { numbers: number[] });
    const sortedShare = identities.filter(({ numbers }) => isSorted(numbers)).length / identities.length;
    // One order of six for distinct numbers, more with repeated ones.
    expect(sortedShare).toBeGreaterThan(0.1);
    expect(sortedShare).toBeLessThan(0.4);
  });

  it.each([0, 0.2, 0.5, 1])('demonstrates the asked target in a share of %d, and by luck beyond', (correctShare) => {
    const numItems = 1500;
    const share = shareCorrect(createTask({ name: 'countdown', correct_share: correctShare }), numItems);
    // The other traces reach the target by luck, once in about 1 / chance.
    const expected = correctShare + (1 - correctShare) * onlyTask(task).chance;
    const spread = Math.sqrt((expected * (1 - expected)) / numItems);
    expect(Math.abs(share - expected)).toBeLessThanOrEqual(4 * spread + 0.01);
  });

  it('is solved by random valid traces no more often than chance says', () => {
    const rng = rngFor('random valid traces');
    const solved = task.heldOutItems().map((item) => {
      const table = tracesOf((item.identity as { numbers: number[] }).numbers);
      const last = table.lastValue(rng.int(0, table.numTraces - 1));
      return last === (item.identity as { target: number }).target ? 1 : 0;
    });
    const { low, high } = shareSolved(
      solved,
      task.heldOutItems().map(({ weight }) => weight),
    );
    expect(onlyTask(task).chance).toBeGreaterThan(low);
    expect(onlyTask(task).chance).toBeLessThan(high);
  });

  it.each([
    [{ numbers: 5 }, 'task.numbers: 5 — must be from 2 to 4; for example 3.'],
    [{ max_nubmer: 9 }, /^task.max_nubmer: 9 — no such knob of countdown \(.*\); the nearest is max_number\.$/],
    [{ answer: 'words' }, 'task.answer: "words" — not one of the choices; use steps, expression'],
    [{ correct_share: 1.5 }, 'task.correct_share: 1.5 — must be at least 0 and at most 1'],
    [{ use: 'subset' }, 'task.use: "subset" — a rule for expressions; set answer: expression'],
  ])('refuses %j', (knobs, message) => {
    expect(() => createTask({ name: 'countdown', ...knobs })).toThrow(message);
  });
});

describe('createTask', () => {
  it.each([
    ['coundown', 'did you mean "countdown"?'],
    ['toString', 'no such task'],
  ])('refuses the name %s', (name, message) => {
    expect(() => createTask({ name })).toThrow(message);
  });
});

describe('train_max_number', () => {
  const wide = createTask({ name: 'countdown', max_number: 10, train_max_number: 15 });
  const narrow = createTask({ name: 'countdown', max_number: 10 });
  const items = Array.from({ length: 400 }, (_, index) => wide.trainItem(0, index));
  const numbersOf = (item: TaskItem): number[] => (item.identity as { numbers: number[] }).numbers;

  it('widens the problems to train on, not those that are held out', () => {
    expect(Math.max(...items.flatMap(numbersOf))).toBe(15);
    expect(wide.heldOutItems().map(({ key }) => key)).toEqual(narrow.heldOutItems().map(({ key }) => key));
  });
  it('keeps the split: no held-out problem is trained on', () => {
    const heldOut = new Set(wide.heldOutItems().map(({ key }) => key));
    expect(items.filter(({ key }) => heldOut.has(key))).toEqual([]);
  });
  it('cannot be narrower than max_number', () => {
    expect(() => createTask({ name: 'countdown', max_number: 10, train_max_number: 9 })).toThrow(
      'task.train_max_number: 9 — must be max_number (10) or more; raise it or leave it out.',
    );
  });
});
