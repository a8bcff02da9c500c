/** One suite at several settings of the knobs; the tasks with a second checker have that of `checkTask` (test/data/tasks). */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitOf } from '../../../../src/data/split.ts';
import type { TaskItem } from '../../../../src/data/task.ts';
import type { TaskSet } from '../../../../src/data/task_set.ts';
import { type Rng, rngFor } from '../../../../src/kernels/philox.ts';
import { shareSolved } from '../../../../src/methods/statistics.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { registeredTasks } from '../../../../test/support/everything.ts';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { createTask, getTaskDefinition, onlyTask } from '../../../../test/support/tasks.ts';
import type { SecondChecker, TaskConfig } from '../../data/index.ts';
import { GAMES } from './second_checkers/games.ts';
import { SECOND_CHECKERS } from './second_checkers/index.ts';
import { TOOLS } from './second_checkers/tools.ts';

const SETTINGS: readonly TaskConfig[] = [
  { name: 'countdown' },
  { name: 'countdown', numbers: 2, max_target: 30 },
  { name: 'countdown', numbers: 4, max_number: 12, correct_share: 0.2 },
  { name: 'countdown', answer: 'expression' },
  { name: 'countdown', answer: 'expression', numbers: 4, max_number: 6, correct_share: 1 },
  { name: 'countdown', answer: 'expression', use: 'subset', allow_equals: true, integer_steps: true },
  { name: 'countdown', answer: 'search' },
  { name: 'countdown', answer: 'search', numbers: 4, restate: true, right_marks: 0.8, repeats: 0.3, gives_up: 0.3 },
  { name: 'sort_digits' },
  { name: 'sort_digits', digits: 7 },
  { name: 'reverse_text' },
  { name: 'reverse_text', min_length: 3, max_length: 12, letter_noise: 0 },
];

const NUM_ITEMS = budget({ quick: 50, all: 100, release: 200 });

// biome-ignore format: a list
const JUNK: readonly string[] = [
  '', ' ', '\n\t\r ', 'correct', 'True', 'x', '0', 'NaN', '-1', '('.repeat(10_000), '1 + '.repeat(250_000), '\0',
  '\ud800', '\u202e1 + 2\u200b', '<|im_end|>', '<eos>', '<answer></answer>', '__proto__', '1 + 2 = 3 , '.repeat(1000),
];

/** Items that a test looks at: training items of one seed and a stretch of the held-out ones. */
function someItems(task: TaskSet): TaskItem[] {
  const train = Array.from({ length: NUM_ITEMS }, (_, index) => task.trainItem(3, index));
  return [...train, ...task.heldOutItems().slice(0, NUM_ITEMS)];
}

function ended(task: TaskSet) {
  return { finishReason: task.fixedCompletionTokens === undefined ? 'eos' : 'stop' } as const;
}

function score(task: TaskSet, item: TaskItem, completion: string): number | null {
  return task.verify(item, completion, ended(task)).score;
}

/** A policy that emits ordinary tokens at random, with a right answer's length. */
function randomAnswer(task: TaskSet, item: TaskItem, rng: Rng): string {
  const length = task.codec.encode(item.answer).length;
  return task.codec.decode(Array.from({ length }, () => rng.int(0, task.codec.vocabSize - 1)));
}

it('every registered task is in the settings of this suite, has a second checker, or is played in turns', () => {
  const checked = new Set([...SETTINGS.map(({ name }) => name), ...Object.keys(SECOND_CHECKERS)]);
  const inOneText = Object.keys(registeredTasks).filter((name) => getTaskDefinition(name).environment === undefined);
  expect(inOneText.sort()).toEqual([...checked].filter((name) => !Object.hasOwn({ ...GAMES, ...TOOLS }, name)).sort());
  for (const [name, { card }] of Object.entries(registeredTasks)) {
    expect(card.name).toBe(name);
    expect(getTaskDefinition(name)).toMatchObject(card);
  }
});

it('every preset level makes a task', () => {
  for (const [name, { card }] of Object.entries(registeredTasks)) {
    for (const knobs of card.levels) {
      const task = createTask({ name, ...knobs });
      expect(onlyTask(task).knobs).toEqual({ ...onlyTask(createTask({ name })).knobs, ...knobs });
    }
  }
});

it('every card has an example in the language of its task, answered rightly, and a text for each knob', () => {
  for (const [name, { card }] of Object.entries(registeredTasks)) {
    const task = createTask({ name });
    const [prompt, answer] = card.example;
    expect(task.codec.decode(task.codec.encode(prompt))).toBe(prompt);
    expect(task.codec.decode(task.codec.encode(answer))).toBe(answer);
    for (const { schema } of Object.values(card.knobs)) expect(schema.description).toMatch(/^[A-Z].*\.$/);
    if (getTaskDefinition(name).environment !== undefined) continue; // its answer is a first action
    const second: SecondChecker | undefined = (SECOND_CHECKERS as Record<string, SecondChecker>)[name];
    expect(second?.({ prompt, identity: null, knobs: onlyTask(task).knobs }, answer), `${prompt} ${answer}`).toBe(true);
  }
});

const ASKED = fewOf(SETTINGS, { quick: 5, all: 8 }).map((config) => [JSON.stringify(config), config] as const);

describe.each(ASKED)('%s', (_label, config) => {
  const task = createTask(config);
  const definition = getTaskDefinition(config.name);
  const items = someItems(task);

  it('scores its own answer and every further solution 1', () => {
    for (const item of items) {
      expect(score(task, item, item.answer)).toBe(1);
      for (const solution of definition.solutions?.(item.identity, onlyTask(task).knobs) ?? []) {
        expect(score(task, item, solution), `${item.prompt} ${solution}`).toBe(1);
      }
    }
  });

  it('scores every mutant at most its maximum, below 1', () => {
    for (const [index, item] of items.entries()) {
      const mutants = definition.mutants(item.identity, onlyTask(task).knobs, rngFor(`mutants ${index}`));
      expect(mutants.length).toBeGreaterThan(4);
      for (const { name, text, maxScore } of mutants) {
        expect(maxScore).toBeLessThan(1);
        expect(score(task, item, text), `${item.prompt} ${name}: ${text}`).toBeLessThanOrEqual(maxScore);
      }
    }
  });

  it('scores the answer of another item 0, where it is not right by chance', () => {
    let wrong = 0;
    for (let index = 1; index < items.length; index++) {
      if (score(task, items[index], items[index - 1].answer) === 0) wrong++;
    }
    expect(wrong / (items.length - 1)).toBeGreaterThan(0.9);
  });

  it('scores junk 0, quickly', () => {
    const item = items[0];
    for (const junk of [...JUNK, item.prompt]) {
      const start = processorMs();
      const verdict = task.verify(item, junk, ended(task));
      expect(verdict.score, junk.slice(0, 40)).toBe(0);
      // The bound for a 1 MB text; a busy machine may stretch it, a quadratic verifier would take minutes.
      expect(processorMs() - start).toBeLessThan(100);
    }
  });

  it('gives a verdict for any string, the same each time, in less than 10 ms', () => {
    const alphabet = [...'0123456789+-*/()=, >abcxyz\u00d7\u2212', ' + ', ' = ', ' , ', items[0].answer];
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 90 }),
    );
    task.verify(items[0], items[0].answer, ended(task)); // warm
    fc.assert(
      fc.property(text, fc.nat(items.length - 1), (completion, index) => {
        const verdict = task.verify(items[index], completion, ended(task));
        expect(verdict.score).toBeGreaterThanOrEqual(0);
        expect(verdict.score).toBeLessThanOrEqual(1);
        expect(verdict.score === 1).toBe(verdict.status === 'correct');
        for (const part of Object.values(verdict.parts ?? {})) expect(part >= 0 && part <= 1).toBe(true);
        expect(task.verify(items[index], completion, ended(task))).toEqual(verdict);
      }),
      { numRuns: budget({ quick: 60, all: 100, release: 200 }), seed: 11 },
    );
    let fastest = Number.POSITIVE_INFINITY;
    const long = alphabet.join('').repeat(100).slice(0, 4096);
    // The best of five calls: a pause of the machine is not the verifier's.
    for (let run = 0; run < 5; run++) {
      const start = processorMs();
      task.verify(items[0], long, ended(task));
      fastest = Math.min(fastest, processorMs() - start);
    }
    expect(fastest).toBeLessThan(10);
  });

  it('never says the answer in a reason', () => {
    for (const item of items.slice(0, 50)) {
      const verdict = task.verify(item, `${item.answer} 1`, ended(task));
      expect(verdict.reason.length).toBeGreaterThan(3);
      expect(verdict.reason.includes(item.answer)).toBe(false);
    }
  });

  it('judges an item that went through JSON alike, and leaves it unchanged', () => {
    for (const item of items.slice(0, 50)) {
      const text = JSON.stringify(item);
      const copy = JSON.parse(text) as TaskItem;
      expect(copy).toEqual(item);
      expect(task.verify(copy, item.answer, ended(task))).toEqual(task.verify(item, item.answer, ended(task)));
      expect(JSON.stringify(copy)).toBe(text);
    }
  });

  it('rejects a right answer that the token limit cut, where the policy has to end itself', () => {
    const verdict = task.verify(items[0], items[0].answer, { finishReason: 'length' });
    if (task.fixedCompletionTokens === undefined) expect([verdict.score, verdict.status]).toEqual([0, 'truncated']);
    else expect(verdict.score).toBe(1);
  });

  it('shares no key and no split class between training and held-out items', () => {
    const splitKey = (item: TaskItem) => definition.splitKey?.(item.identity) ?? item.key;
    const heldOut = task.heldOutItems();
    const heldOutKeys = new Set(heldOut.map((item) => item.key));
    const heldOutClasses = new Set(heldOut.map(splitKey));
    expect(heldOutKeys.size).toBe(heldOut.length);
    for (let index = 0; index < 1000; index++) {
      const item = task.trainItem(index % 7, index);
      expect([item.split, splitOf(definition.family, splitKey(item))]).toEqual(['train', 'train']);
      expect(heldOutKeys.has(item.key)).toBe(false);
      expect(heldOutClasses.has(splitKey(item))).toBe(false);
    }
    for (const item of heldOut)
      expect([item.split, splitOf(definition.family, splitKey(item))]).toEqual(['eval', 'eval']);
  });

  it('has item ids that are unique', () => {
    expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
  });

  it('gives the same training item for the same seed and index, from any instance and in any order', () => {
    const other = createTask(config);
    for (const index of [NUM_ITEMS - 1, 0, 37]) expect(other.trainItem(3, index)).toEqual(items[index]);
    expect(other.heldOutItems()).toEqual(task.heldOutItems());
    const differing = [0, 1, 2, 3, 4].filter((index) => other.trainItem(4, index).key !== items[index].key);
    expect(differing.length).toBeGreaterThan(0);
  });

  it('encodes and decodes prompt and answer to themselves, within the limits', () => {
    const { codec: tokenizer } = task;
    for (const item of items) {
      expect(tokenizer.decode(task.promptTokens(item))).toBe(item.prompt);
      expect(tokenizer.decode(tokenizer.encode(item.answer))).toBe(item.answer);
      expect(task.promptTokens(item).length).toBeLessThanOrEqual(task.maxPromptTokens);
    }
  });

  it('reads the problem back from its prompt, and judges it alike', () => {
    for (const item of items) {
      const read = task.parse(item.prompt);
      expect(read).toMatchObject({ key: item.key, split: item.split, prompt: item.prompt, identity: item.identity });
      expect(score(task, read as TaskItem, item.answer)).toBe(1);
    }
  });

  it('reads no problem from a text that is no prompt of it, whatever the text', () => {
    for (const text of [
      ...JUNK,
      `${items[0].prompt} `,
      ` ${items[0].prompt}`,
      `${items[0].prompt}${items[0].prompt}`,
    ]) {
      expect(task.parse(text), text.slice(0, 40)).toBeNull();
    }
    const alphabet = [...'0123456789 =?>+-.eabz', ' = ', ' ?', ...items.slice(0, 3).map(({ prompt }) => prompt)];
    const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 });
    fc.assert(
      fc.property(text, (typed) => {
        const read = task.parse(typed);
        if (read !== null) expect(definition.prompt(read?.identity ?? null, onlyTask(task).knobs)).toBe(typed);
      }),
      { numRuns: budget({ quick: 100, all: 150, release: 300 }), seed: 5 },
    );
  });

  it('demonstrates in its language, within the limits, and purely', () => {
    const { codec: tokenizer } = task;
    for (const [index, item] of items.entries()) {
      const tokens = task.demonstrationTokens(item, 5, index);
      expect(task.demonstrationTokens(item, 5, index)).toEqual(tokens);
      expect(tokens.length).toBeLessThanOrEqual(task.maxCompletionTokens);
      if (task.fixedCompletionTokens === undefined) expect(tokens.at(-1)).toBe(tokenizer.eosTokenId);
      else expect(tokens.length).toBe(task.fixedCompletionTokens);
      const answer = task.fixedCompletionTokens === undefined ? tokens.subarray(0, -1) : tokens;
      const verdict = task.verify(item, tokenizer.decode(answer), ended(task));
      expect(['correct', 'incorrect']).toContain(verdict.status);
      expect(['wrong_value', undefined]).toContain(verdict.failure);
    }
  });

  it('leaves room for every right answer and its EOS', () => {
    const eos = task.fixedCompletionTokens === undefined ? 1 : 0;
    for (const item of items) {
      const solutions = definition.solutions?.(item.identity, onlyTask(task).knobs) ?? [item.answer];
      for (const solution of solutions) {
        expect(task.codec.encode(solution).length + eos).toBeLessThanOrEqual(task.maxCompletionTokens);
      }
    }
  });

  it('is not solved above chance by constant or random answers', () => {
    const heldOut = task.heldOutItems();
    const allowed =
      onlyTask(task).chance + 3 * Math.sqrt((onlyTask(task).chance * (1 - onlyTask(task).chance)) / heldOut.length);
    const rng = rngFor('random policy');
    const weights = heldOut.map(({ weight }) => weight);
    const accuracy = (answerTo: (item: TaskItem) => string) =>
      shareSolved(
        heldOut.map((item) => (score(task, item, answerTo(item)) === 1 ? 1 : 0)),
        weights,
      ).mean;
    expect(onlyTask(task).chance).toBeGreaterThan(0);
    expect(onlyTask(task).chance).toBeLessThan(0.5);
    expect(accuracy((item) => randomAnswer(task, item, rng))).toBeLessThanOrEqual(allowed);
    for (const constant of heldOut.slice(0, 8)) {
      expect(accuracy(() => constant.answer)).toBeLessThanOrEqual(allowed);
    }
  });
});
