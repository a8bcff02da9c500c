/** The page of a comparison: its figures, its problems as text, and why two are not compared. */
import { describe, expect, it } from 'vitest';
import { type ComparedRun, compareRuns } from '../../compare/compare.ts';
import { makeComparisonPage, renderComparisons } from '../compared.ts';

/** @param right  of each problem, how many of two samples are; its greedy answer is right where both are */
function run(name: string, right: readonly number[]): ComparedRun {
  const verdict = (isRight: boolean) =>
    ({ score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect', canonical: '<b>' }) as const;
  const problems = right.map((count, i) => ({
    key: String(i),
    weight: 1,
    prompt: `<i>${i}</i>`,
    greedy: { ...verdict(count === 2), text: `${name} & more`, length: 1 },
    samples: [0, 1].map((sample) => ({ ...verdict(sample < count), tokens: [1], logprob: -1 })),
  }));
  const head = {
    version: 1,
    stageIndex: 0,
    stage: 'grpo',
    step: 1,
    tasks: [{ task: { name: 'parity' }, weight: 1 }],
    problems: 'p',
    count: problems.length,
    samples: 2,
    sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
    seed: 0,
  } as const;
  return { name, records: { head, problems }, config: { seed: 0 } };
}

describe('the page of a comparison', () => {
  const comparison = compareRuns([run('one', [2, 0, 1])], [run('two', [2, 2, 0])]);
  const { text } = renderComparisons([comparison]);

  it('has the figures of both sides, their difference and the curve', () => {
    expect(text).toContain(
      '<th scope="row">accuracy</th><td data-head="A">33.3 %</td><td data-head="B">66.7 %</td><td data-head="B − A">+33.3</td>',
    );
    expect(text).toContain('exact McNemar p = 1.0');
    expect(text).toContain(
      '<polyline class="a" points="0.0,90.0 480.0,60.0"/><text class="a" x="484" y="53.0">A</text>',
    );
    expect(text).toContain(
      'In 2 samples, A solves 2 of 3 problems and B 2; B solves 1 that A never does (1 of them by its greedy answer), and A 1 that B never does.',
    );
  });

  it('has axes: shares on the left, k below', () => {
    const words = [...text.matchAll(/<text class="[xy]"[^>]*>([^<]+)</g)].map(([, word]) => word);
    expect(words).toEqual(['0 %', '25 %', '50 %', '75 %', '100 %', 'k = 1', '2']);
  });

  it('says so where an interval leaves all open, and of what there is too little', () => {
    const interval = (one: readonly ComparedRun[], two: readonly ComparedRun[]): string | undefined =>
      /accuracy<\/th>.*?data-head="95 %">([^<]+)/.exec(renderComparisons([compareRuns(one, two)]).text)?.[1];
    expect(interval([run('one', [2, 0, 1])], [run('two', [2, 2, 0])])).toBe('too few problems to tell');
    const many = [0, 2, 2, 2, 0, 0, 2, 0, 2, 0, 2, 2];
    expect(interval([run('one', many)], [run('two', [2, 0, ...many.slice(2)])])).toMatch(/^−\d+\.\d to \+\d+\.\d$/);
  });

  it('shows what a policy has written as text', () => {
    expect(text).toContain('<code>&lt;i&gt;1&lt;/i&gt;</code></td><td data-head="A"><code>one &amp; more</code>');
    expect(text).not.toContain('<i>');
  });

  it('asks for nothing, and says why two are not compared', async () => {
    const page = await makeComparisonPage([{ a: ['one'], b: ['three'], reason: 'three: another split' }], 'final');
    expect(page).toContain('Not compared: three: another split');
    expect(page).not.toContain('connect-src');
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
  });
});
