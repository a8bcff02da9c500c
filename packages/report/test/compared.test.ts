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
    expect(text).toContain('<th scope="row">accuracy</th><td>33.3 %</td><td>66.7 %</td><td>+33.3</td>');
    expect(text).toContain('exact McNemar p = 1.0');
    expect(text).toContain('<polyline class="a" points="0.0,80.0 480.0,53.3"/>');
    expect(text).toContain(
      'In 2 samples, A solves 2 of 3 problems and B 2; B solves 1 that A never does (1 of them by its greedy answer), and A 1 that B never does.',
    );
  });

  it('shows what a policy has written as text', () => {
    expect(text).toContain('<code>&lt;i&gt;1&lt;/i&gt;</code></td><td><code>one &amp; more</code>');
    expect(text).not.toContain('<i>');
  });

  it('asks for nothing, and says why two are not compared', async () => {
    const page = await makeComparisonPage([{ a: ['one'], b: ['three'], reason: 'three: another split' }], 'final');
    expect(page).toContain('Not compared: three: another split');
    expect(page).not.toContain('connect-src');
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
  });
});
