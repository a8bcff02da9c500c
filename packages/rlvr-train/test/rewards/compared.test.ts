/** Rewards that compare an answer with the truth, with the values that their formulas give by hand. */

import { describe, expect, it } from 'vitest';
import { builtInRewards, getReward } from '../../../../test/support/everything.ts';
import { batchOf, oneValue, type Row, values } from './reward_batch.ts';

type Case = readonly [answer: string, truth: string, expected: number];

// biome-ignore format: a table
const VECTORS: readonly (readonly [name: string, options: Record<string, unknown>, cases: readonly Case[]])[] = [
  ['exp-decay', { alpha: 0.1 }, [
    ['7', '7', 1],
    ['17', '7', Math.exp(-1)],
    ['-3', '7', Math.exp(-1)],
    ['<think>5</think><answer>8</answer>', '7', Math.exp(-0.1)],
    ['7 or 8', '7', 0],
    ['', '7', 0],
  ]],
  ['similarity', { measure: 'jaccard', most_copied: 1 }, [
    ['select a from t', 'select b from t', 3 / 5],
    ['a a a', 'a', 1],
    ['', 'a', 0],
  ]],
  ['interval-iou', {}, [
    ['2-6', '4-8', 1 / 3],
    ['4..8', '4-8', 1],
    ['[4, 8]', '4-8', 1],
    ['4.5 to 6.5', '4-8', 0.5],
    ['0-4', '5-8', 0],
    ['5-5', '5-5', 1],
    ['8-4', '4-8', 0],
    ['all', '4-8', 0],
  ]],
  ['span-f1', {}, [
    ['3-7', '3-7', 1],
    ['3-7;12-15', '3-7;12-15', 1],
    ['3-7', '3-7;12-15', (2 * 5) / (5 + 9)],
    ['3-7,3-7,3-7', '3-7', 1],
    ['0-99', '3-7', 10 / 105],
    ['1-2', '3-7', 0],
    ['3', '3-7', 0],
  ]],
  ['ordered-match', {}, [
    ['1 2 3', '1 2 3', 1],
    ['1, 3', '1 2 3', 2 / 3],
    ['3 2 1', '1 2 3', 1 / 3],
    ['1 2 3 1 2 3', '1 2 3', 1 / 2],
    ['', '1 2 3', 0],
  ]],
  ['kendall', {}, [
    ['1 2 3 4', '1 2 3 4', 1],
    ['4 3 2 1', '1 2 3 4', 0],
    ['2 1 3 4', '1 2 3 4', 5 / 6],
    ['1 2 3', '1 2 3 4', 0],
    ['1 2 3 3', '1 2 3 4', 0],
    ['1 1 2', '1 1 2', 1],
    ['1', '1', 1],
  ]],
  ['kendall', { measure: 'places' }, [['2 1 3 4', '1 2 3 4', 1 / 2], ['4 3 2 1', '1 2 3 4', 0]]],
  ['similarity', {}, [
    ['the cat sat', 'The cat sat.', 1],
    ['the cat', 'the cat sat', 4 / 5],
    ['sat cat the', 'the cat sat', 1],
    ['cat cat cat', 'the cat sat', 1 / 3],
    ['', 'the cat sat', 0],
  ]],
  ['similarity', { measure: 'rouge-l' },
    [['the cat sat', 'the cat sat', 1], ['sat cat the', 'the cat sat', 1 / 3], ['the cat', 'the cat sat', 4 / 5]]],
  ['similarity', { measure: 'bleu' }, [
    ['the cat sat down', 'the cat sat down', 1],
    // p1 = 2/3, p2 = (1 + 1)/(2 + 1), p3 = (0 + 1)/(1 + 1), as long as the truth
    ['the cat ran', 'the cat sat', ((2 / 3) * (2 / 3) * (1 / 2)) ** (1 / 3)],
    // p1 = 1, p2 = 1, half as long: exp(1 − 4/2)
    ['the cat', 'the cat sat down', Math.exp(-1)],
    ['a dog', 'the cat', 0],
  ]],
  ['similarity', { measure: 'chrf' }, [
    ['abcdef', 'abc def', 1],
    // characters: 1 of 2 are found, of both; pairs: none
    ['ab', 'ac', 1 / 4],
    ['AB', 'aC', 1 / 4],
    ['xy', 'ab', 0],
  ]],
  ['rank-piecewise', {}, [
    ['a', 'a', 2],
    ['b c d e f g h i j a', 'a', 1],
    ['b c d e f g h i j k a', 'a', 89 / 90],
    [`${Array.from({ length: 99 }, (_, i) => `x${i}`).join(' ')} a`, 'a', 0],
    [`${Array.from({ length: 100 }, (_, i) => `x${i}`).join(' ')} a`, 'a', 0],
    ['b c', 'a', 0],
    ['a a', 'a', -0.1],
    ['', 'a', -0.1],
  ]],
  ['rank-piecewise', { late: true }, [['b a', 'a', 17 / 9], ['b c d e f g h i j k a', 'a', -0.2]]],
];

describe.each(VECTORS)('%s %j', (name, options, cases) => {
  it.each(cases)('%j for the truth %j gives %d', (text, answer, expected) => {
    expect(oneValue(name, { text, answer }, options)).toBeCloseTo(expected, 12);
  });

  it('gives an answer that the token limit cut its least, and null where there is no truth', () => {
    const [text, answer] = cases[0];
    const least = Math.min(0, oneValue(name, { text: '', answer }, options) ?? 0);
    expect(oneValue(name, { text, answer, status: 'truncated', score: 0 }, options)).toBe(least);
    const column = { ...options, column: 'truth' };
    expect(oneValue(name, { text, answer }, column)).toBeNull();
    expect(oneValue(name, { text, columns: { truth: answer } }, column)).toBeCloseTo(cases[0][2], 12);
  });
});

describe('a truth that a task lacks', () => {
  it.each([
    ['exp-decay', {}, 'the right answer "a" is not a number; name a column that is, or another reward'],
    ['span-f1', {}, 'is not a list of spans such as 3-7;12-15'],
    ['context-f', {}, 'has no column evidence (it has none); give one by `columns` of the task'],
    ['ndcg', {}, 'has no column grades'],
    ['path-decay', {}, 'has no column way'],
    ['kendall', { column: 'order' }, 'has no column order'],
    ['keyword-coverage', { column: 'words' }, 'has no column words'],
    ['rubric', { column: 'criteria' }, 'column criteria of a problem is no list of {id, weight, check}'],
  ])('is refused by %s %j', (name, options, rule) => {
    const [item] = batchOf([{}]).items;
    expect(getReward(name, options).refuses?.(item)).toContain(rule);
  });

  it('is not refused where it is there', () => {
    const [item] = batchOf([{ answer: '3 1 2', columns: { evidence: ['a'], grades: { a: 1 } } }]).items;
    for (const name of ['kendall', 'ordered-match', 'similarity', 'context-f', 'ndcg']) {
      expect(getReward(name).refuses?.(item)).toBeUndefined();
    }
  });
});

describe('similarity', () => {
  const prompt = 'repeat after me: the cat sat on the mat';

  it('gives nothing for a copy of the prompt, unless the truth is one', () => {
    expect(oneValue('similarity', { prompt, text: prompt, answer: 'the dog sat on the mat' })).toBe(0);
    expect(
      oneValue('similarity', { prompt, text: prompt, answer: 'the dog sat on the mat' }, { most_copied: 1 }),
    ).toBeGreaterThan(0.5);
    expect(oneValue('similarity', { prompt, text: prompt, answer: prompt })).toBe(1);
  });

  it.each(['token-f1', 'jaccard', 'rouge-l', 'bleu', 'chrf'])(
    'by %s, capitals pay nothing and hide no copy',
    (measure) => {
      const [text, answer] = ['The Cat ran home', 'a cat ran back home'];
      const paid = (own: string) => oneValue('similarity', { text: own, answer }, { measure });
      expect(paid(text.toUpperCase())).toBe(paid(text));
      expect(oneValue('similarity', { prompt, text: prompt.toUpperCase(), answer: 'the dog sat' }, { measure })).toBe(
        0,
      );
    },
  );
});

describe('exp-decay', () => {
  it('grows stricter over the run', () => {
    const strictest = values(
      'exp-decay',
      [{ text: '9', answer: '8' }],
      { alpha_end: 0.1 },
      { trainerState: { step: 10, progress: 1 } },
    );
    expect(strictest[0]).toBeCloseTo(Math.exp(-0.1), 12);
  });
});

describe('exp-decay, consistent', () => {
  it('pays both numbers, times how well they fit their difference', () => {
    const paid = (text: string): number =>
      oneValue('exp-decay', { text, answer: '10, 15' }, { alpha: 0.1, consistent: true }) ?? NaN;
    expect(paid('10, 15, 5')).toBe(1);
    expect(paid('10, 15, 8')).toBeCloseTo(Math.exp(-0.3), 12);
    expect(paid('12, 15, 3')).toBeCloseTo((1 + Math.exp(-0.2)) / 2, 12);
    for (const other of ['10, 15', '10, 15, x', '10']) expect(paid(other)).toBe(0);
  });
});

describe('marginal-utility', () => {
  it('has the weights of its tiers, .369 .131 .113 .071 .315', () => {
    const columns = { gains: { a: 1, b: 0, c: 0, d: 0 } };
    const paid = (text: string): unknown => oneValue('marginal-utility', { text, columns });
    expect(paid('a, b, c, d')).toBeCloseTo(1, 12);
    expect(paid('b, a, c, d')).toBeCloseTo(1 - 0.369, 3);
    expect(paid('b, c, a, d')).toBeCloseTo(1 - 0.369 - 0.131, 3);
    expect(paid('b, c, d, a')).toBeCloseTo(0.071 + 0.315, 2);
    for (const wrong of ['a, a', 'a, z', '']) expect(paid(wrong)).toBe(0);
  });
});

it.each([
  ['[1] a is 3\n[2] b is 4\nby [1] and [2], 7', 1],
  ['[1] a is 3\n[2] b is 4\nby [1], 3', 1 / 2],
  ['[1] a is 3\nby [1] and [7]', 1 / 2],
  ['by [1]\n[1] a is 3', 0],
  ['[1] a is 3', 0],
  ['seven', 0],
])('structure-crossref of %j is %d', (text, expected) =>
  expect(oneValue('structure-crossref', { text })).toBe(expected),
);

it.each([
  ['he said a rose is a rose', 5 / 7],
  ['a rose is red', 3 / 4],
  ['rose a is', 0],
  ['', 0],
])('quote-rate of %j is %d', (text, expected) => {
  expect(oneValue('quote-rate', { text }, { n: 3, corpus: ['a rose is a rose'] })).toBe(expected);
  expect(oneValue('quote-rate', { text, columns: { context: 'a rose is a rose' } }, { n: 3 })).toBe(expected);
  expect(oneValue('quote-rate', { text }, { n: 3 })).toBeNull();
});

describe('sections', () => {
  const sections = [{ tag: 'plan', check: { contains: '+' } }, { tag: 'work', check: 'equations' }, { tag: 'answer', check: 'correct', weight: 2 }]; // biome-ignore format: one line
  const paid = (text: string, score = 1): unknown => oneValue('sections', { text, score }, { sections });

  it('checks each section by its own rule, and wants them in order, each once and filled', () => {
    expect(paid('<plan>a+b</plan> <work>1+2 = 3</work>\n<answer>3</answer>')).toBe(1);
    expect(paid('<plan>a+b</plan><work>1+2 = 4</work><answer>4</answer>', 0)).toBe(0.25);
    expect(paid('<plan>?</plan><work>none</work><answer>3</answer>')).toBe(0.5);
    for (const broken of [
      '<plan>a+b</plan><answer>3</answer>',
      '<work>1+2 = 3</work><plan>+</plan><answer>3</answer>',
      '<plan>+</plan><work> </work><answer>3</answer>',
      '<plan>+<plan>+</plan></plan><work>1+2 = 3</work><answer>3</answer>',
      '<plan>+</plan> so <work>1+2 = 3</work><answer>3</answer>',
      '<plan>+</plan><work>1+2 = 3</work><answer>3</answer>!',
    ]) expect(paid(broken), broken).toBe(0); // biome-ignore format: one line
  });

  it('refuses a tag that is there twice', () => {
    expect(() => getReward('sections', { sections: [{ tag: 'a' }, { tag: 'a' }] })).toThrow(/twice/);
  });
});

describe('cost-metric', () => {
  it('is the share of the cost that a right answer saves, and 0 for a wrong one', () => {
    const paid = (text: string, right: boolean, options = {}, parts?: Record<string, number>): unknown =>
      oneValue('cost-metric', { text, answer: 'a b\nc d', score: right ? 1 : 0, ...(parts && { parts }) }, options);
    expect(paid('a b', true)).toBeCloseTo((7 - 3) / 7, 12);
    expect(paid('a b', false)).toBe(0);
    expect(paid('a b c d e f', true, { of: 'words' })).toBe(-0.5);
    expect(paid('a\nb\n\nc', true, { of: 'lines' })).toBe(-0.5);
    expect(paid('x'.repeat(99), true)).toBe(-1);
    expect(paid('x', true, { of: 'fuel' }, { fuel: 0.25 })).toBe(0.75);
    expect(paid('x', true, { of: 'fuel' })).toBeNull();
  });
});

describe('ndcg', () => {
  const columns = { grades: { a: 3, b: 1, c: 0 } };
  const best = 7 + 1 / Math.log2(3);

  it.each(
    /* biome-ignore format: a list */ [
      ['a, b, c', 1], ['[a], [b], [c]', 1], ['b, a, c', (1 + 7 / Math.log2(3)) / best],
      ['c, b, a', (1 / Math.log2(3) + 7 / 2) / best], ['c: 0.5\nb: 1\na: 2', 1], ['a, b', 0], ['a, b, b', 0],
      ['a, b, d', 0], ['a: 1, b, c', 0], ['', 0],
    ],
  )('%j gives %d', (text, expected) => {
    expect(oneValue('ndcg', { text, columns })).toBeCloseTo(expected, 12);
  });

  it('pays grades that are distributed as the true ones', () => {
    const given = (text: string) => oneValue('ndcg', { text, columns }, { distribution: 0.5 });
    expect(given('a: 3, b: 1, c: 0')).toBeCloseTo(1, 12);
    expect(given('a: 9, b: 8, c: 7')).toBeCloseTo(0.5, 12);
    expect(given('a, b, c')).toBeCloseTo(0.5, 12);
  });
});

describe('path-decay', () => {
  const columns = { way: ['b', 'c', 'd'] };

  it.each([
    ['d', 1],
    [' c ', 0.5],
    ['b', 0.25],
    ['a', 0],
    ['c d', 0],
    ['', 0],
  ])('%j gives %d', (text, expected) => {
    expect(oneValue('path-decay', { text, columns }, { gamma: 0.5 })).toBe(expected);
  });
});

describe('context-f', () => {
  const columns = { evidence: ['1', '2'] };
  const give = (text: string, score = 1) => oneValue('context-f', { text, score, columns });

  it('adds the answer, the evidence alone, and both together', () => {
    expect(give('7 [1] [2]')).toBeCloseTo(2, 12);
    expect(give('7 [1][2]', 0)).toBeCloseTo(0.1, 12);
    expect(give('7')).toBeCloseTo(1, 12);
    // P = 1, C = 1/2: 5·½/(4 + ½)
    expect(give('7 [1]', 0)).toBeCloseTo((0.1 * 2.5) / 4.5, 12);
  });

  it('pays neither citing twice nor citing all', () => {
    expect(give('7 [1] [1] [1]', 0)).toBe(give('7 [1]', 0));
    expect(give('7 [1] [2] [3] [4] [5]')).toBeLessThan(give('7 [1] [2]') as number);
  });

  it('gives nothing for an answer that cannot be read', () => {
    expect(oneValue('context-f', { text: '? [1] [2]', score: 0, status: 'invalid', columns })).toBe(0);
  });

  it('lets the verifier read the completion without its citations', () => {
    const read: string[] = [];
    const judge = (_: number, completion: string) => {
      read.push(completion);
      return { score: 1, status: 'correct', reason: 'as given' } as const;
    };
    values('context-f', [{ text: '7 [1] [2]', score: 0, status: 'invalid', columns }], {}, { judge });
    expect(read).toEqual(['7']);
  });
});

describe('every built-in reward with a range', () => {
  const rows: Row[] = /* biome-ignore format: a list */ [
    '', '7', '1 2 3', '3-7', 'a: 1', '<answer>7</answer> <confidence> 0.7', '7 [1]', '2+2=5, 7',
  ].flatMap((text) =>
    [1, 0].map((score) => ({
      text,
      score,
      answer: '1 2 3',
      columns: { evidence: ['1'], grades: { a: 1 }, keywords: ['7'] },
    })),
  );
  const OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
    rubric: { criteria: [{ id: 'right', weight: 1, check: 'correct' }] },
    'rubric-pairwise': { criteria: [{ id: 'right', weight: 1, check: 'correct' }] },
    'keyword-coverage': { column: 'keywords' },
    'keyword-chain': { column: 'keywords' },
    'op-curiosity': { op: '*' },
    http: { url: 'http://127.0.0.1:1/score' },
    sections: { sections: [{ tag: 'answer' }] },
    part: { of: 'lcs' },
    soft_overlong: { max_tokens: 8, cache: 4 },
    cosine: { max_len: 8 },
  };

  it.each(Object.keys(builtInRewards).filter((name) => !/^(classifier|python)$/.test(name)))(
    '%s keeps to it',
    (name) => {
      const { range } = getReward(name, OPTIONS[name]);
      if (range === undefined) return;
      for (const value of values(name, rows, OPTIONS[name])) {
        if (value === null) continue;
        expect(value).toBeGreaterThanOrEqual(range[0]);
        expect(value).toBeLessThanOrEqual(range[1]);
      }
    },
  );
});
