import { describe, expect, it } from 'vitest';
import { readCompletions } from '../../src/report/completion_groups.ts';
import { countVerdicts, search } from '../../src/report/page/completion_search.ts';
import { completion } from './run_directory.ts';

const PLENTY = 1_000_000;

describe('completions for the page', () => {
  it('are groups of a step, each member with verdict, reason, reward and advantage', () => {
    const lines = [
      completion(1, 0, { completion: 'a', status: 'correct', reason: 'right on', reward: 1, advantage: 0.81234 }),
      completion(1, 0, { completion: 'b', finish_reason: 'length' }),
      completion(1, 1, { completion: 'c', reward: null, advantage: 0 }),
      completion(2, 0),
    ];
    const { groups, reasons, rewardNames } = readCompletions(lines, ['grpo'], PLENTY);
    expect(reasons).toEqual(['right on', 'not it']);
    expect(rewardNames).toEqual(['accuracy']);
    expect(groups).toEqual([
      {
        stage: 0,
        step: 1,
        group: 0,
        prompt: 'prompt 0',
        members: [
          ['a', 'right', 0, 1, 0.8123],
          ['b', 'truncated', 1, 0, -1],
        ],
      },
      { stage: 0, step: 1, group: 1, prompt: 'prompt 1', members: [['c', 'wrong', 1, null, 0]] },
      { stage: 0, step: 2, group: 0, prompt: 'prompt 0', members: [['text', 'wrong', 1, 0, -1]] },
    ]);
  });

  it('name the reward of each function where there are several', () => {
    const lines = [completion(1, 0, { rewards: { lcs: 0.5, accuracy: null } })];
    const { groups, rewardNames } = readCompletions(lines, ['grpo'], PLENTY);
    expect(rewardNames).toEqual(['lcs', 'accuracy']);
    expect(groups[0]?.members[0]?.[5]).toEqual([0.5, null]);
  });

  it('belong to the next grpo stage when their steps begin again', () => {
    const lines = [completion(1, 0), completion(2, 0), completion(1, 0), completion(2, 0)];
    const { groups } = readCompletions(lines, ['sft', 'grpo', 'sft', 'grpo'], PLENTY);
    expect(groups.map(({ stage, step }) => [stage, step])).toEqual([
      [1, 1],
      [1, 2],
      [3, 1],
      [3, 2],
    ]);
  });

  it('are thinned by steps until they fit, the last one kept', () => {
    const lines = Array.from({ length: 100 }, (_, i) => completion(i + 1, 0));
    const { groups, stepsRecorded, stepsKept } = readCompletions(lines, ['grpo'], 2_500);
    expect(stepsRecorded).toBe(100);
    expect(groups).toHaveLength(stepsKept);
    expect(JSON.stringify(groups).length).toBeLessThan(2_600);
    expect(stepsKept).toBeGreaterThan(20);
    expect([groups[0]?.step, groups.at(-1)?.step]).toEqual([1, 100]);
  });

  it('are left out where not even one step fits', () => {
    const lines = [completion(1, 0, { completion: 'x'.repeat(500) })];
    expect(readCompletions(lines, ['grpo'], 100)).toMatchObject({ groups: [], stepsRecorded: 1, stepsKept: 0 });
  });

  it('are cut where they are very long, and say so', () => {
    const { groups } = readCompletions([completion(1, 0, { completion: 'x'.repeat(5_000) })], ['grpo'], PLENTY);
    expect(groups[0]?.members[0]?.[0]).toMatch(/^x{2000}… \(3000 more characters in completions\.jsonl\)$/);
  });
});

describe('the search', () => {
  const lines = [
    completion(1, 0, { completion: '3 + 4 = 7', status: 'correct', reason: 'reaches the target' }),
    completion(1, 0, { completion: '3 + 4 = 8' }),
    completion(1, 1, { prompt: '1 2 = 7 ?', completion: 'no' }),
    completion(2, 0, { completion: '3', finish_reason: 'length' }),
  ];
  const data = readCompletions(lines, ['grpo'], PLENTY);
  const texts = (query: Parameters<typeof search>[1]): string[][] =>
    search(data, query).map(({ groups }) => groups.flatMap(({ matching }) => [...matching].map(([text]) => text)));

  it.each([
    [{ verdict: 'all', text: '' }, [['3 + 4 = 7', '3 + 4 = 8', 'no'], ['3']]],
    [{ verdict: 'right', text: '' }, [['3 + 4 = 7']]],
    [{ verdict: 'truncated', text: '' }, [['3']]],
    [{ verdict: 'all', text: ' = 7' }, [['3 + 4 = 7', 'no']]],
    [{ verdict: 'wrong', text: '= 7' }, [['no']]],
    [{ verdict: 'all', text: 'REACHES' }, [['3 + 4 = 7']]],
    [{ verdict: 'all', text: 'nowhere' }, []],
  ] as const)('for %j finds %j', (query, found) => {
    expect(texts(query)).toEqual(found);
  });

  it('counts verdicts', () => {
    expect(countVerdicts(data.groups)).toEqual({ right: 1, wrong: 2, truncated: 1 });
  });
});
