/** Rewards that weigh a verdict with what else a completion says, with the values that their formulas give by hand. */

import { describe, expect, it } from 'vitest';
import { getReward } from '../../../../test/support/everything.ts';
import type { Verdict } from '../../rewards.ts';
import { oneValue, type Row, values } from './reward_batch.ts';

/** A verifier for which one text is right, in tags or without. */
function judging(right: string) {
  return {
    judge: (_: number, completion: string): Verdict => {
      const score = Number(completion.replace(/<\/?answer>/g, '') === right);
      return { score, status: score === 1 ? 'correct' : 'incorrect', reason: 'as compared' };
    },
  };
}

describe('rubric', () => {
  const criteria = [
    { id: 'right', weight: 2, check: 'correct' },
    { id: 'because', weight: 1, check: { contains: 'because' } },
    { id: 'short', weight: 1, check: { most_words: 3 } },
  ];
  const long = 'because of this and that';

  it('is the share of the weight that is met', () => {
    expect(values('rubric', [{ text: long }, { text: 'because' }, { text: 'no', score: 0 }], { criteria })).toEqual([
      0.75, 1, 0.25,
    ]);
  });

  it('is 0 where a veto is not met, and counts nothing behind a gate that is shut', () => {
    const vetoed = criteria.map((one) => ({ ...one, ...(one.id === 'short' && { veto: true }) }));
    expect(oneValue('rubric', { text: long }, { criteria: vetoed })).toBe(0);
    const gated = criteria.map((one) => ({ ...one, ...(one.id === 'right' && { gate: true }) }));
    expect(oneValue('rubric', { text: 'because', score: 0 }, { criteria: gated })).toBe(0);
  });

  it('takes away for what must not be there, down to 0, and pays no repetition', () => {
    const minus = [...criteria, { id: 'sorry', weight: -3, check: { contains: 'sorry' } }];
    expect(oneValue('rubric', { text: 'because sorry' }, { criteria: minus })).toBe(0.25);
    expect(oneValue('rubric', { text: 'sorry', score: 0 }, { criteria: minus })).toBe(0);
    expect(oneValue('rubric', { text: 'because because because', score: 0 }, { criteria })).toBe(0.5);
  });

  it('saturates graded criteria, and leaves none and all as they are', () => {
    const graded = [{ id: 'positions', weight: 1, check: { part: 'positions' } }];
    const give = (positions: number) =>
      oneValue('rubric', { parts: { positions } }, { criteria: graded, saturation: 2 }) as number;
    expect([give(0), give(1)]).toEqual([0, 1]);
    expect(give(0.5)).toBeCloseTo(Math.tanh(1) / Math.tanh(2), 12);
  });

  it('reads the criteria of each problem from a column', () => {
    const rows: Row[] = [
      { text: 'because', columns: { rubric: criteria } },
      { text: 'because', columns: { rubric: JSON.stringify(criteria.slice(0, 2)) } },
      { text: 'because', columns: { rubric: 'be kind' } },
    ];
    expect(values('rubric', rows, { column: 'rubric' })).toEqual([1, 1, null]);
  });

  it.each([
    [{ criteria: [criteria[0]], column: 'rubric' }, 'is not read beside criteria'],
    [{ criteria: [] }, 'must name a criterion'],
    [{ criteria: [{ id: 'a', weight: 1, check: 'nice' }] }, 'not a check; use correct, readable'],
    [{ criteria: [criteria[0], criteria[0]] }, 'right is there twice'],
    [{ criteria: [{ id: 'a', weight: -1, check: 'correct' }] }, 'no weight is above 0'],
  ])('refuses %j', (options, rule) => {
    expect(() => getReward('rubric', options)).toThrow(rule);
  });
});

describe('rubric-pairwise', () => {
  it('is what each wins over the others, criterion by criterion, and adds up to 0 in a group', () => {
    const criteria = [
      { id: 'right', weight: 2, check: 'correct' },
      { id: 'short', weight: 1, check: { most_words: 1 } },
    ];
    const rows: Row[] = [{ text: 'a' }, { text: 'a b' }, { text: 'a', score: 0 }, { text: 'a', score: 0, group: 1 }];
    const given = values('rubric-pairwise', rows, { criteria }) as number[];
    [(1 / 3 + 2 / 3) / 2, (-1 / 3 + 1 / 3) / 2, (-2 / 3 - 1 / 3) / 2, 0].forEach((expected, row) => {
      expect(given[row]).toBeCloseTo(expected, 12);
    });
  });
});

describe('multi-answer', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['7', 1], ['8', -1], ['7, 1, 2, 9', 0.5], ['1, 7, 2, 9', 1 / Math.sqrt(8)], ['1, 2, 5, 9', -0.25],
      ['<answer>1, 7</answer>', 0.5], ['5, 6, 7', -1], ['7, 7', -1], ['7,', -1], ['', -1],
      ['1, 2, 4, 8, 16, 32, 64, 7, 9', -1],
    ],
  )('%j gives %d where 7 is right', (text, expected) => {
    const score = Number(text === '7');
    expect(values('multi-answer', [{ text, score }], {}, judging('7'))[0]).toBeCloseTo(expected, 12);
  });

  it('falls with the number of candidates and with the rank of the first right one', () => {
    const at = (rank: number, count: number): number => {
      const list = Array.from({ length: count }, (_, i) => (i + 1 === rank ? '7' : `x${i}`));
      return values('multi-answer', [{ text: list.join(','), score: Number(count === 1) }], {}, judging('7'))[0] ?? 0;
    };
    for (let count = 2; count <= 8; count++) {
      expect(at(1, count)).toBeLessThan(at(1, count - 1));
      for (let rank = 2; rank <= count; rank++) expect(at(rank, count)).toBeLessThan(at(rank - 1, count));
    }
  });
});

describe('op-curiosity', () => {
  it('pays the use while it is rare, and charges overuse', () => {
    const texts = ['2*3', '1', '1', '1', '1', '1', '1', '1*1*1'];
    const given = values(
      'op-curiosity',
      texts.map((text): Row => ({ text })),
      { op: '*' },
    ) as number[];
    expect(given[0]).toBeCloseTo(0.5 * (0.3 - 0.25), 12);
    expect(given[1]).toBe(0);
    expect(given[7]).toBeCloseTo(0.5 * (0.3 - 0.25) - 0.05, 12);
  });

  it('pays nothing once the share of its group is reached, and never less than -1', () => {
    const rows = [{ text: '*' }, { text: '' }, { text: '*', group: 1 }, { text: '*'.repeat(500), group: 1 }];
    expect(values('op-curiosity', rows, { op: '*', target: 0.5 })).toEqual([0, 0, 0, -1]);
  });
});

describe('flaw-penalty', () => {
  it.each([
    ['2+2=4, 4+3=7', 1, 1],
    ['so 2+2 = 4 and then 4+3 = 7', 1, 1], // two equal signs in one part: it cannot be read for sure
    ['<think>2+2=5. 4+3=7</think><answer>7</answer>', 1, 0],
    ['<think>2+2=4</think><answer>7</answer>', 1, 0], // does not lead to the answer
    ['<answer>7</answer> as 4+3=7', 1, 0], // the answer comes first
    ['<think>it is 7</think><answer>7</answer>', 1, 1],
    ['<think>x-3+5=2 and 1.5+1=2.5</think><answer>7</answer>', 1, 1], // of signs and decimals nothing is said
    ['2+2=4', 0, -1],
    ['2+2=5', 0, -1],
  ])('%j with a score of %d gives %d', (text, score, expected) => {
    expect(oneValue('flaw-penalty', { text, score })).toBe(expected);
  });

  it('may ask for equations, and takes what a flaw costs', () => {
    expect(oneValue('flaw-penalty', { text: '7' }, { needs_equations: true, penalty: 0.5 })).toBe(0.5);
    expect(oneValue('flaw-penalty', { text: '7', score: null })).toBeNull();
  });
});

describe('calibration', () => {
  it.each([
    ['7 <confidence> 1', 1],
    ['7 <confidence> 0.5', 0.75],
    ['7 <confidence>80%</confidence>', 1 - 0.2 ** 2],
    ['8 <confidence> 0', 1],
    ['8 <confidence> 1', 0],
    ['7 <confidence> 2', 0],
    ['7', 0],
  ])('%j gives %d where 7 is right', (text, expected) => {
    expect(values('calibration', [{ text, score: 0 }], {}, judging('7'))[0]).toBeCloseTo(expected, 12);
  });

  it('is best in the mean where the confidence is the chance of being right', () => {
    const expectedAt = (confidence: number, chance: number): number => {
      const [right, wrong] = values(
        'calibration',
        ['7', '8'].map((answer): Row => ({ text: `${answer} <confidence> ${confidence}` })),
        {},
        judging('7'),
      ) as number[];
      return chance * right + (1 - chance) * wrong;
    };
    for (const chance of [0.1, 0.3, 0.9]) {
      const all = Array.from({ length: 11 }, (_, i) => expectedAt(i / 10, chance));
      expect(all.indexOf(Math.max(...all))).toBe(Math.round(chance * 10));
    }
  });
});

describe('self-score-honesty', () => {
  it.each([
    ['7 <confidence> 1', 1],
    ['7 <confidence> 0', 0.76],
    ['8 <confidence> 0', 0.24],
    ['8 <confidence> 1', 0],
    ['7', 0],
  ])('%j gives %d where 7 is right', (text, expected) => {
    expect(values('self-score-honesty', [{ text, score: 0 }], {}, judging('7'))[0]).toBeCloseTo(expected, 12);
  });
});

describe('keyword-coverage and keyword-chain', () => {
  const keywords = ['first', 'then', 'so'];
  const give = (name: string, text: string, score = 1) => oneValue(name, { text, score }, { keywords });

  it.each([
    ['First add, then halve; so 7', 1, 1],
    ['so then first', 1, 1 / 3],
    ['first first first', 1 / 3, 1 / 3 - 2 / 3],
    ['first then so first then so', 1, 1 - 1 / 2],
    ['firstly', 0, 0],
    ['', 0, 0],
  ])('%j gives %d and %d', (text, coverage, chain) => {
    expect(give('keyword-coverage', text)).toBeCloseTo(coverage, 12);
    expect(give('keyword-chain', text)).toBeCloseTo(chain, 12);
  });

  it('pay no wrong answer, unless asked to', () => {
    expect(give('keyword-coverage', 'first then so', 0)).toBe(0);
    expect(give('keyword-chain', 'first then so', 0)).toBe(0);
    expect(oneValue('keyword-chain', { text: 'first then so', score: 0 }, { keywords, gated: false })).toBe(1);
  });

  it('refuse a keyword that no word can be', () => {
    expect(() => getReward('keyword-chain', { keywords: ['a', '…'] })).toThrow('"…" has neither a letter nor a digit');
    expect(() => getReward('keyword-chain', { keywords, column: 'k' })).toThrow('is not read beside keywords');
  });
});

describe('step-cost', () => {
  it.each([
    ['1+1=2', 1, -0.1],
    ['1+1=2,2+1=3', 1, -0.2],
    [','.repeat(30), 1, -1],
    ['1', 0, -1],
  ])('%j with a score of %d gives %d', (text, score, expected) => {
    expect(oneValue('step-cost', { text, score })).toBeCloseTo(expected, 12);
  });
});
