/** The check of a task finds what is broken on purpose, in one place each. */
import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../zoo/data/check/check_task.ts';
import {
  type AnyTaskDefinition,
  type CheckTaskOptions,
  checkTask,
  correct,
  findingText,
  integer,
  lineTask,
  numberMisses,
  options,
  readNumber,
  type SecondChecker,
  type TaskDefinition,
} from '../../../zoo/data/index.ts';
import { malformed, wrongValue } from '../../rewards.ts';

type Sum = { readonly a: number; readonly b: number };
type Range = { readonly max: number };

const CARD = {
  name: 'addition',
  version: 1,
  category: 'arithmetic',
  tier: 1 as const,
  knobs: options({ max: integer({ min: 9, max: 999, example: 99 }).default(99).describe('Numbers up to this one.') }),
  levels: [{ max: 30 }, { max: 999 }],
};

const addition: TaskDefinition<Sum, Range> = lineTask<Sum, Range>(CARD, {
  family: 'addition',
  characters: '0123456789+=',
  generate: (rng, { max }) => ({ a: rng.int(0, max), b: rng.int(0, max) }),
  key: ({ a, b }) => `add|${Math.min(a, b)}|${Math.max(a, b)}`,
  prompt: ({ a, b }) => `${a}+${b}=`,
  question: ({ a, b }) => `What is ${a} plus ${b}?`,
  oracle: ({ a, b }) => String(a + b),
  verify({ a, b }, answer) {
    if (!/^(?:0|[1-9][0-9]*)$/.test(answer)) return malformed('not a whole number');
    return answer === String(a + b) ? correct('the sum', answer) : wrongValue('not the sum');
  },
  mutants: ({ a, b }) => numberMisses(a + b),
  chance: ({ max }) => Math.min(0.5, 5 / (max + 1)),
  longest: ({ max }) => ({ prompt: 2 * String(max).length + 2, answer: String(2 * max).length }),
});

const sumOf: SecondChecker = ({ prompt }, answer) => {
  const [a, b] = prompt.slice(0, -1).split('+').map(Number) as [number, number];
  return answer === `${a + b}`;
};

const QUICK: CheckTaskOptions = { items: 60, attempts: 800, settings: [{}, { style: 'plain' }] };

function findingsOf(broken: Partial<TaskDefinition<Sum, Range>>, more: CheckTaskOptions = {}): string {
  const definition = { ...addition, ...broken } as unknown as AnyTaskDefinition; // knobs and identity are its own
  return checkTask(definition, { ...QUICK, ...more })
    .findings.map(findingText)
    .join('\n');
}

const right = ({ a, b }: Sum): string => String(a + b);
const accept = (answer: string) => correct('taken for the sum', answer);
type Verify = TaskDefinition<Sum, Range>['verify'];
/** The verifier, with one more kind of answer that it takes. */
const alsoTakes =
  (isTaken: (answer: string, truth: string, item: Sum) => boolean): Verify =>
  (item, answer, knobs, context) =>
    isTaken(answer, right(item), item) ? accept(right(item)) : addition.verify(item, answer, knobs, context);

describe('a sound task', () => {
  it('has no findings, with and without a second checker', () => {
    expect(findingsOf({})).toBe('');
    expect(findingsOf({}, { second: sumOf })).toBe('');
  });

  it('is looked at with its own levels, attributes and styles', () => {
    const definition = { ...addition, attributes: { max: [9, 99, 999] } } as unknown as AnyTaskDefinition;
    const { settings, count } = checkTask(definition, { items: 20, attempts: 50 });
    expect(settings.map(({ name }) => name)).toEqual([
      'default knobs',
      '{"level":0}',
      '{"level":1}',
      '{"max":9}',
      '{"style":"plain"}',
      '{"level":1,"style":"plain"}',
    ]);
    // Two ways to say one setting, as level 1 and its maximum of 999, are looked at once.
    const twice = { ...definition, levels: [{}, { max: 99 }, { max: 9 }] } as AnyTaskDefinition;
    expect(settingsOf(twice)).toEqual([
      {},
      { level: 2 },
      { max: 999 },
      { style: 'plain' },
      { level: 2, style: 'plain' },
    ]);
    expect(count).toBe(0);
  });
});

describe('a verifier that takes too much is found without a second checker', () => {
  it.each<[string, Verify]>([
    ['a number that begins the answer', alsoTakes((answer, truth) => String(Number.parseInt(answer, 10)) === truth)],
    ['an answer that contains the sum', alsoTakes((answer, truth) => answer.includes(truth))],
    ['an answer that begins with it', alsoTakes((answer, truth) => answer.startsWith(truth))],
    ['an answer that ends with it', alsoTakes((answer, truth) => answer.endsWith(truth))],
    ['one more', alsoTakes((answer, truth) => answer === String(Number(truth) + 1))],
    ['the prompt', alsoTakes((answer, _truth, { a, b }) => answer === `${a}+${b}=`)],
    ['nothing', alsoTakes((answer) => answer.trim() === '')],
    ['the word correct', alsoTakes((answer) => answer === 'correct')],
    ['the sum twice', alsoTakes((answer, truth) => answer === `${truth}${truth}`)],
    ['one of two answers', alsoTakes((answer, truth) => answer.split(' or ').includes(truth))],
    ['the last line', alsoTakes((answer, truth) => answer.split('\n').at(-1) === truth)],
    ['what stands before a comment', alsoTakes((answer, truth) => answer.split(' #')[0] === truth)],
    ['an infinite loop of brackets', alsoTakes((answer) => answer.startsWith('(((('))],
    ['NaN', alsoTakes((answer) => Number.isNaN(Number(answer)) && answer.length === 3)],
    [
      'the digits in another order',
      alsoTakes((answer, truth) => [...answer].sort().join('') === [...truth].sort().join('')),
    ],
    [
      'a number within one percent',
      (item, answer) => (Math.abs(Number(answer) - item.a - item.b) <= 1 ? accept(answer) : wrongValue('too far')),
    ],
  ])('%s', (_what, verify) => {
    expect(findingsOf({ verify })).not.toBe('');
  });
});

describe('a verifier that differs in notation alone is found by a second checker', () => {
  it.each<[string, Verify]>([
    ['leading zeros', alsoTakes((answer, truth) => /^0+[0-9]/.test(answer) && String(Number(answer)) === truth)],
    [
      'a fraction',
      alsoTakes((answer, truth) => {
        const reading = readNumber(answer);
        return reading.ok && reading.value.equals(Number(truth));
      }),
    ],
    ['white space', alsoTakes((answer, truth) => answer.trim() === truth)],
    [
      'capital letters are refused',
      (item, answer, knobs, context) =>
        answer === '7' ? wrongValue('not seven') : addition.verify(item, answer, knobs, context),
    ],
  ])('%s', (_what, verify) => {
    expect(findingsOf({ verify }, { second: sumOf, settings: [{ max: 9 }], items: 200, attempts: 2000 })).toMatch(
      /false accept|false reject|oracle|second checker/,
    );
  });
});

describe('each other part is found when it is broken', () => {
  let calls = 0;
  it.each<[rule: string, Partial<TaskDefinition<Sum, Range>>]>(
    /* biome-ignore format: a table */ [
      ['oracle', { oracle: ({ a, b }) => String(a + b + 1) }],
      ['total', {
        verify: (item, answer, knobs, context) => {
          if (answer === '') throw new TypeError('empty');
          return addition.verify(item, answer, knobs, context);
        },
      }],
      ['verdict', {
        verify: (item, answer, knobs, context) => ({
          ...addition.verify(item, answer, knobs, context),
          status: 'incorrect',
        }),
      }],
      ['verdict', {
        verify: (item, answer, knobs, context) => ({
          ...addition.verify(item, answer, knobs, context),
          parts: { hidden: 1 },
        }),
      }],
      ['verdict', {
        verify: (item, answer) =>
          answer === right(item)
            ? accept(answer)
            : wrongValue(`it is ${1000 + item.a + item.b}, less 1000: ${right(item)}`),
        generate: (rng, { max }) => ({ a: 100 + rng.int(0, max), b: rng.int(0, max) }),
        limits: () => ({ promptTokens: 12, completionTokens: 9 }),
      }],
      ['verdict', { verify: (item, answer, knobs) => addition.verify(item, answer, knobs, { finishReason: 'eos' }) }],
      ['pure', {
        verify: (item, answer, knobs, context) => ({
          ...addition.verify(item, answer, knobs, context),
          reason: `call ${calls++}`,
        }),
      }],
      ['pure', {
        verify: (item, answer, knobs, context) => {
          Object.assign(item, { asked: calls++ });
          return addition.verify(item, answer, knobs, context);
        },
      }],
      ['chance', { chance: () => 0.0001, generate: (rng) => ({ a: rng.int(0, 40), b: rng.int(0, 40) }) }],
      ['chance', { chance: () => 0.9 }],
      ['mutants', { mutants: () => [] }],
      ['mutants', { mutants: (item) => [{ name: 'itself', text: right(item), maxScore: 0 }] }],
      ['key', { key: ({ a }) => `add|${a}`, prompt: () => '1+1=' }],
      ['split', { splitKey: ({ a, b }) => `${a}|${b}`, key: ({ a, b }) => `add|${Math.min(a, b)}|${Math.max(a, b)}` }],
      ['reproducible', { generate: (rng, { max }) => ({ a: rng.int(0, max), b: (calls++ * 7) % max }) }],
      ['demonstration', { demonstration: () => '12+' }],
      ['limits', { limits: () => ({ promptTokens: 3, completionTokens: 9 }) }],
      ['limits', { limits: () => ({ promptTokens: 12, completionTokens: 2 }) }],
      ['language', { prompt: ({ a, b }) => `${a} + ${b} =` }],
      ['parse', {
        parse: (text) => {
          const [a, b] = text.split('+');
          return { a: Number.parseInt(a as string, 10), b: Number.parseInt(b ?? '0', 10) };
        },
        prompt: ({ a }) => `${a}+0=`,
      }],
    ],
  )('%s', (rule, broken) => {
    expect(findingsOf(broken)).toMatch(new RegExp(`^${rule}`, 'm'));
  });
});

describe('time', () => {
  /** A verifier that takes this many milliseconds of a clock that nothing else moves. */
  const checked = (msOf: (characters: number) => number) => {
    let now = 0;
    let longest = 0;
    const verify: Verify = (item, answer, ...rest) => {
      now += msOf(answer.length);
      longest = Math.max(longest, answer.length);
      return addition.verify(item, answer, ...rest);
    };
    const definition = { ...addition, verify } as unknown as AnyTaskDefinition; // knobs and identity are its own
    const { settings, count } = checkTask(definition, { items: 10, attempts: 50, settings: [{}], clock: () => now });
    return { remarks: settings[0]?.remarks, count, longest };
  };

  it('decides no finding: what a busy machine does is a remark', () => {
    expect(checked(() => 0)).toEqual({ remarks: [], count: 0, longest: 2 ** 20 });
    expect(checked((characters) => (characters === 4096 ? 80 : 0))).toMatchObject({ count: 0, longest: 2 ** 20 });
    const [remark] = checked((characters) => (characters === 4096 ? 80 : 0)).remarks ?? [];
    expect(remark).toMatch(/^a verdict on 4096 characters, "\d+" again and again, took 80 ms here; 10 are usual$/);
  });

  it('of a quadratic reader is remarked, and what is longer is not tried', () => {
    const { remarks, count, longest } = checked((characters) => characters ** 2 / 1e6);
    expect(remarks).toHaveLength(1);
    expect(count).toBe(0);
    expect(longest).toBe(2 ** 16);
  });
});

it('says the problem, the answer and the verdict', () => {
  const text = findingsOf({ verify: alsoTakes((answer) => answer === 'correct') });
  expect(text).toContain('junk (default knobs): what is no answer scores\n  prompt   "');
  expect(text).toContain('\n  answer   "correct"\n  verdict  1, correct: taken for the sum');
});
