/** Countdown answered by a search: its form, its teacher, and attacks on its verifier. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { budget } from '../../../../../test/support/budget.ts';
import { createTask, getTaskDefinition, onlyTask } from '../../../../../test/support/tasks.ts';
import { attemptKinds, attemptOf } from '../../../data/check/attempts.ts';
import { bindTask, checkTask, findingText, type Task } from '../../../data/index.ts';
import { ARITHMETIC } from '../second_checkers/arithmetic.ts';

const definition = getTaskDefinition('countdown');
const second = ARITHMETIC.countdown;
const ENDED = { finishReason: 'eos' } as const;

// biome-ignore format: a table
const SETTINGS = [
  { numbers: 2 },
  { numbers: 2, listed: 'steps' },
  {},
  { restate: false },
  { listed: 'steps', max_tokens: 350 },
  { listed: 'nothing' },
  { numbers: 4 },
  { numbers: 4, restate: false, max_tokens: 200 },
  { numbers: 4, listed: 'nothing', max_number: 5 },
].map((knobs) => ({ answer: 'search', ...knobs }));

function boundTo(knobs: Readonly<Record<string, unknown>>): Task {
  return bindTask(definition, { answer: 'search', ...knobs });
}

/** Scores of answers to a problem, by default in the shortest form, with what is said of each that is wrong. */
function judged(numbers: readonly number[], target: number, answer: string, knobs = {}) {
  const { length } = numbers;
  const task = boundTo({ numbers: length, ...(length > 2 && { restate: false }), ...knobs });
  const item = { ...task.trainItem(0, 0), identity: { numbers, target } };
  return task.verify(item, answer, { ...ENDED, wantsFeedback: true, wantsSteps: true });
}

describe('verifier of searches', () => {
  it.each(SETTINGS)(
    'keeps the rules of a task at %j, and agrees with its second checker',
    (knobs) => {
      const { findings } = checkTask(definition, {
        items: 6,
        attempts: budget({ quick: 100, all: 1000 }),
        settings: [knobs, { ...knobs, style: 'plain' }],
        second,
      });
      expect(findings.map(findingText).join('\n')).toBe('');
    },
    300_000,
  );

  // biome-ignore format: a table
  it.each([
    [[7, 3], 21, ': 10 4 21 y , 7 * 3 = 21'],
    [[3, 7, 2], 13, '7 + 3 = 10 : 12 8 20 5 n , 7 - 3 = 4 : 6 2 8 2 n , 3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 + 6 = 13'],
    [[3, 7, 2], 13, '7 - 3 = 4 : 6 2 8 2 n , 7 - 3 = 4 : 6 2 8 2 n , 3 * 2 = 6 : 13 y , 3 * 2 = 6 , 6 + 7 = 13'],
    [[9, 8, 2, 3], 77, '9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 y , 9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77'],
    [[9, 8, 2, 3], 77, '9 + 2 = 11 ( 8 + 3 = 11 : 22 1 n ) , 9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 y , 9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77'],
  ])('accepts %j = %d: %s', (numbers, target, answer) => {
    const { score, reason, canonical } = judged(numbers, target, answer);
    expect([score, reason]).toEqual([1, 'reaches the target']);
    expect(canonical).toBeTruthy();
  });

  // biome-ignore format: a table
  it.each([
    ['a hit passed over', '3 * 2 = 6 : 13 1 42 n , 7 - 3 = 4 : 6 2 8 2 n', 'wrong_value', '3 * 2 = 6 : 13 ?', '0'],
    ['a list that is cut', '7 - 3 = 4 : 6 n , 3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 + 6 = 13', 'illegal', '7 - 3 = 4 : 6 ?', '0'],
    ['a hit that is none', '7 - 3 = 4 : 6 2 8 2 y , 7 - 3 = 4 , 4 * 2 = 8', 'wrong_value', '7 - 3 = 4 : 6 2 8 2 ?', '0'],
    ['a try that is not true', '7 - 3 = 4 : 6 2 8 2 n , 3 * 2 = 5 : 12 2 35 n', 'illegal', '3 * 2 = ?', '10'],
    ['a number that is not there', '7 - 3 = 4 : 6 2 8 2 n , 7 - 4 = 3 : 5 1 6 n', 'illegal', '3 7 2 ?', '10'],
    ['the smaller number on the left', '3 + 7 = 10 : 12 8 20 5 n', 'illegal', '2 10 ?', '0'],
    ['a search without a hit', '7 - 3 = 4 : 6 2 8 2 n', 'wrong_value', '3 7 2 ?', '1'],
    ['steps that reach another number', '3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 - 6 = 1', 'wrong_value', '1 ?', '111'],
    ['steps alone', '3 * 2 = 6 , 7 + 6 = 13', 'bad_format', '3 * 2 = 6 ?', '0'],
    ['nothing', '', 'no_answer', '3 7 2 ?', ''],
  ])('refuses %s, and says where', (_what, answer, failure, feedback, steps) => {
    const verdict = judged([3, 7, 2], 13, answer);
    expect([verdict.score, verdict.failure, verdict.feedback]).toEqual([0, failure, feedback]);
    expect(verdict.steps?.map(({ score }) => score).join('')).toBe(steps);
  });

  it('reads what a try repeats of the numbers that are left, in any order, and nothing else', () => {
    const answer = (first: string, second: string) =>
      `9 - 2 = 7${first}( 8 + 3 = 11${second}: 18 4 77 y , 9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77`;
    const scores = [
      [' 8 3 ', ' 7 '],
      [' 3 8 ', ' 7 '],
      [' 8 ', ' 7 '],
      [' 8 3 ', ' '],
      [' 8 3 ', ' 11 7 '],
      [' ', ' '],
      ['8 3  ', ' 7 '],
      [' 8 3 ', '7  '],
      [' 8  3 ', ' 7 '],
    ].map(([first = '', second = '']) => judged([9, 8, 2, 3], 77, answer(first, second), { restate: true }).score);
    expect(scores).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('judges answers as its second checker does, whatever is done to them', () => {
    const rng = rngFor('attack on searches');
    const each = Math.ceil(budget({ quick: 4000, all: 20_000, release: 1_000_000 }) / SETTINGS.length);
    const tried = { right: 0, wrong: 0 };
    for (const knobs of SETTINGS) {
      const tasks = createTask({ name: 'countdown', ...knobs });
      const slips =
        knobs.numbers === 2
          ? { right_marks: 0.9 }
          : { random_order: 0.8, right_marks: 0.9, repeats: 0.2, gives_up: 0.1 };
      const task = boundTo({ ...knobs, ...slips });
      const alphabet = Array.from({ length: tasks.codec.vocabSize }, (_, id) => tasks.codec.tokenText(id));
      for (let index = 0; index < each; index++) {
        const item = task.trainItem(1, Math.floor(index / 8));
        const answer = task.demonstration(item, 1, index);
        const anotherAnswer = () => task.demonstration(item, 2, index);
        const source = { answer, prompt: item.prompt, anotherAnswer, alphabet, codec: tasks.codec, rng };
        // Half of them differ by one word: most others fall at their first.
        const text = attemptOf[rng.float() < 0.5 ? 'by token' : rng.pick(attemptKinds)](source);
        const isRight = second({ prompt: item.prompt, identity: item.identity, knobs: onlyTask(tasks).knobs }, text);
        const { score, reason } = task.verify(item, text, ENDED);
        tried[isRight ? 'right' : 'wrong']++;
        if ((score === 1) !== isRight) expect([item.prompt, text, reason]).toEqual(isRight ? 'right' : 'wrong');
      }
    }
    expect(Math.min(tried.right, tried.wrong)).toBeGreaterThan((SETTINGS.length * each) / 20);
  }, 600_000);
});

describe('teacher of searches', () => {
  const right = (knobs: Readonly<Record<string, unknown>>, count = 300) => {
    const task = boundTo(knobs);
    const answers = Array.from({ length: count }, (_, index) => {
      const item = task.trainItem(0, index);
      const text = task.demonstration(item, 0, index);
      return { text, item, length: text.split(' ').length, isRight: task.verify(item, text, ENDED).score === 1 };
    });
    return { answers, share: answers.filter(({ isRight }) => isRight).length / count };
  };

  it.each(SETTINGS)('is always right at %j, and within the limit', (knobs) => {
    const { answers, share } = right(knobs, 100);
    expect(share).toBe(1);
    const { completionTokens } = boundTo(knobs).language;
    expect(Math.max(...answers.map(({ length }) => length))).toBeLessThan(completionTokens);
  });

  it('goes straight to a solution where no search is short enough', () => {
    const { answers, share } = right({ max_tokens: 25 }, 50);
    expect(share).toBe(1);
    expect(answers.every(({ length }) => length <= 24)).toBe(true);
  });

  it('tries in one order, or in any', () => {
    const { numbers } = { numbers: [3, 7, 2] };
    const item = { ...boundTo({}).trainItem(0, 0), identity: { numbers, target: 13 } };
    const firsts = (random_order: number) => {
      const task = boundTo({ random_order });
      return new Set(Array.from({ length: 40 }, (_, index) => task.demonstration(item, 0, index).slice(0, 10)));
    };
    expect([...firsts(0)]).toEqual(['7 + 3 = 10']);
    expect(firsts(1).size).toBeGreaterThan(4);
  });

  it('repeats, gives up and errs as it is told', () => {
    const tries = (text: string) => text.split(' n').length - 1;
    const failed = (text: string) => new Set(text.split(/ n(?: , |$)/).slice(0, -1)).size;
    const repeating = right({ repeats: 0.5 });
    expect(repeating.share).toBe(1);
    expect(repeating.answers.some(({ text }) => tries(text) > failed(text))).toBe(true);
    expect(right({ gives_up: 0.5 }).share).toBeLessThan(0.8);
    expect(right({ right_marks: 0.8 }).share).toBeLessThan(0.8);
    expect(right({ right_marks: 0 }).share).toBe(0);
  });
});

it('asks what the other forms ask, of the same held-out problems', () => {
  const [searched, stepped] = ['search', 'steps'].map((answer) =>
    bindTask(definition, { answer, train_max_number: 12 }),
  );
  const shown = (task: Task) => task.heldOutItems().map(({ key, prompt, weight }) => [key, prompt, weight]);
  expect(shown(searched)).toEqual(shown(stepped));
  expect(searched.heldOutItems().length).toBe(571);
  expect(searched.chance).toBe(stepped.chance);
});

// biome-ignore format: a table
it.each([
  [{ answer: 'steps', repeats: 0.1 }, 'task.repeats: 0.1 — a rule for searches; set answer: search or remove it'],
  [{ use: 'subset' }, 'task.use: "subset" — a rule for expressions; set answer: expression or remove it'],
  [{ correct_share: 1 }, 'task.correct_share: 1 — a rule for steps and expressions; set right_marks'],
  [{ numbers: 2, restate: false }, 'task.restate: false — two numbers need one try; remove it'],
  [{ max_tokens: 24 }, 'task.max_tokens: 24 — must be 25 or more here'],
  [{ numbers: 2, listed: 'nothing' }, 'task.listed: "nothing" — two numbers are listed'],
  [{ numbers: 2, random_order: 1 }, 'task.random_order: 1 — two numbers need one try; remove it'],
])('refuses %j', (knobs, message) => {
  expect(() => createTask({ name: 'countdown', answer: 'search', ...knobs })).toThrow(message);
});
