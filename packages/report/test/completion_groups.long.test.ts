import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/run/json.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { processorMs } from '../../../test/support/processor_time.ts';
import { logLines } from '../../trackers/log_lines.ts';
import { type CompletionsLog, readCompletions as readLog } from '../completion_groups.ts';
import type { CompletionsData } from '../data.ts';
import { countVerdicts, search } from '../page/completion_search.ts';
import { completion } from './run_directory.ts';

const PLENTY = 1_000_000;

/** Of lines that lie in a file. */
async function readCompletions(
  lines: readonly JsonObject[],
  stages: readonly string[],
  mostBytes: number,
  newest?: { stage: number; step: number },
): Promise<CompletionsData> {
  const store = memoryStore();
  await store.append('completions.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return readLog((range) => logLines(store, 'completions.jsonl', range), stages, mostBytes, newest);
}

describe('completions for the page', () => {
  it('have what the reward functions logged, as texts, whatever else is missing', async () => {
    const lines = [
      completion(1, 0, { completion: 'a', extra: { tone: 'polite', words: 0.123456, note: null, ok: true } }),
      completion(1, 0, { completion: 'b', extra: 'no mapping' }),
    ];
    const { groups } = await readCompletions(lines, ['grpo'], PLENTY);
    const [a, b] = groups[0].members;
    expect(a.slice(5)).toEqual([
      null,
      null,
      [
        ['tone', 'polite'],
        ['words', '0.1235'],
        ['note', 'none'],
        ['ok', 'true'],
      ],
    ]);
    expect(b).toHaveLength(5);
  });

  it('are groups of a step, each member with verdict, reason, reward and advantage', async () => {
    const lines = [
      completion(1, 0, { completion: 'a', status: 'correct', reason: 'right on', reward: 1, advantage: 0.81234 }),
      completion(1, 0, { completion: 'b', finish_reason: 'length' }),
      completion(1, 1, { completion: 'c', reward: null, advantage: 0 }),
      completion(2, 0),
    ];
    const { groups, reasons, rewardNames } = await readCompletions(lines, ['grpo'], PLENTY);
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

  it('name the reward of each function where there are several', async () => {
    const lines = [completion(1, 0, { rewards: { lcs: 0.5, accuracy: null } })];
    const { groups, rewardNames } = await readCompletions(lines, ['grpo'], PLENTY);
    expect(rewardNames).toEqual(['lcs', 'accuracy']);
    expect(groups[0]?.members[0]?.[5]).toEqual([0.5, null]);
  });

  it('say how they came to be where they were not simply sampled', async () => {
    const marks = [[0, 2, 'given']];
    const lines = [
      completion(1, 0, { completion: '3 + 4', origin: 'hinted', given: '3', marks }),
      completion(1, 0, { sampled_under: '12 <eos> prompt 0', reference: 'x' }),
      completion(1, 0),
    ];
    const { groups } = await readCompletions(lines, ['grpo'], PLENTY);
    expect(groups[0]?.members.map((member) => member.slice(5))).toEqual([
      [null, { origin: 'hinted', marks }],
      [null, { sampled_under: '12 <eos> prompt 0' }],
      [],
    ]);
  });

  it('belong to the next grpo stage when their steps begin again', async () => {
    const lines = [completion(1, 0), completion(2, 0), completion(1, 0), completion(2, 0)];
    const { groups } = await readCompletions(lines, ['sft', 'grpo', 'sft', 'grpo'], PLENTY);
    expect(groups.map(({ stage, step }) => [stage, step])).toEqual([
      [1, 1],
      [1, 2],
      [3, 1],
      [3, 2],
    ]);
  });

  it('are thinned by steps until they fit, the last one kept', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => completion(i + 1, 0));
    const { groups, stepsRecorded, stepsKept } = await readCompletions(lines, ['grpo'], 2_500);
    expect(stepsRecorded).toBe(100);
    expect(groups).toHaveLength(stepsKept);
    expect(JSON.stringify(groups).length).toBeLessThan(2_600);
    expect(stepsKept).toBeGreaterThan(20);
    expect([groups[0]?.step, groups.at(-1)?.step]).toEqual([1, 100]);
  });

  it('are left out where not even one step fits', async () => {
    const lines = [completion(1, 0, { completion: 'x'.repeat(500) })];
    expect(await readCompletions(lines, ['grpo'], 100)).toMatchObject({ groups: [], stepsRecorded: 1, stepsKept: 0 });
  });

  it('are cut where they are very long, and say so', async () => {
    const { groups } = await readCompletions([completion(1, 0, { completion: 'x'.repeat(5_000) })], ['grpo'], PLENTY);
    expect(groups[0]?.members[0]?.[0]).toMatch(/^x{2000}… \(3000 more characters in completions\.jsonl\)$/);
  });
});

describe('completions of a run under way', () => {
  const lines = [1, 2, 1, 3].flatMap((step) => [completion(step, 0), completion(step, 1)]);
  const stages = ['grpo', 'grpo'];
  const steps = async (newest?: { stage: number; step: number }): Promise<number[][]> =>
    (await readCompletions(lines, stages, PLENTY, newest)).groups.map(({ stage, step, group }) => [stage, step, group]);

  it('are those up to the newest step that is whole', async () => {
    const all = await steps();
    expect(all).toHaveLength(8);
    expect(await steps({ stage: 1, step: 3 })).toEqual(all);
    expect(await steps({ stage: 1, step: 2 })).toEqual(all.slice(0, 6));
    expect(await steps({ stage: 0, step: 2 })).toEqual(all.slice(0, 4));
    expect(await steps({ stage: 0, step: 1 })).toEqual(all.slice(0, 2));
    expect(await steps({ stage: -1, step: 0 })).toEqual([]);
  });
});

describe('many completions', () => {
  it('of rewards that differ by stage all have the parts of each, and their size is known', async () => {
    const first = Array.from({ length: 50 }, (_, i) => completion(i + 1, 0, { rewards: { lcs: 0.5 } }));
    const later = Array.from({ length: 50 }, (_, i) => completion(i + 1, 0, { rewards: { accuracy: 1 } }));
    const { groups, rewardNames } = await readCompletions([...first, ...later], ['grpo', 'grpo'], 4_000);
    expect(rewardNames).toEqual(['lcs', 'accuracy']);
    expect(groups[0]?.members[0]?.[5]).toEqual([0.5, null]);
    expect(groups.at(-1)?.members[0]?.[5]).toEqual([null, 1]);
    expect(JSON.stringify(groups).length).toBeLessThan(4_100);
  });

  it('of 40,000 steps are thinned in about the time that reading them takes', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => completion(i + 1, 0));
    const start = processorMs();
    const { stepsRecorded, groups } = await readCompletions(lines, ['grpo'], 20_000);
    // 0.5 s; a try of every step for every k took over a minute.
    expect(processorMs() - start).toBeLessThan(15_000);
    expect(stepsRecorded).toBe(40_000);
    expect([groups[0]?.step, groups.at(-1)?.step]).toEqual([1, 40_000]);
  });
});

describe('a log larger than a piece', () => {
  /** 12 MiB, whose lines and steps lie across the borders of pieces. */
  const lines = Array.from({ length: 3_000 }, (_, i) =>
    completion(Math.floor(i / 4) + 1, 0, { completion: 'é'.repeat(2_000 + (i % 7)) }),
  );

  it('is read in pieces, never whole, and gives the same groups', async () => {
    const store = memoryStore();
    await store.append('log', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const ranges: number[] = [];
    const counting: Store = Object.create(store, {
      size: { value: (path: string) => store.size(path) },
      read: { value: () => Promise.reject(new Error('the whole file is read')) },
      readRange: {
        value: (path: string, begin: number, end: number) => {
          ranges.push(end - begin);
          return store.readRange(path, begin, end);
        },
      },
    });
    const log: CompletionsLog = (range) => logLines(counting, 'log', range);
    const { groups, stepsKept } = await readLog(log, ['grpo'], 200_000);
    expect(Math.max(...ranges)).toBe(512 * 1024);
    expect(stepsKept).toBeGreaterThan(3);
    for (const { step, members } of groups) {
      expect(members.map(([text]) => text.replace(/….*/, '').length)).toEqual([2_000, 2_000, 2_000, 2_000]);
      expect(members).toHaveLength(4);
      expect(step).toBeLessThanOrEqual(750);
    }
  });

  it('may have a line longer than a piece, but not one that never ends', async () => {
    const store = memoryStore();
    const long = { ...completion(1, 0), completion: 'x'.repeat(9_000_000) };
    await store.append('log', `${JSON.stringify(long)}\n${JSON.stringify(completion(2, 0))}\n`);
    const found: unknown[] = [];
    for await (const some of logLines(store, 'log')) found.push(...some.map(({ record }) => record.step));
    expect(found).toEqual([1, 2]);
    const endless: Store = Object.create(store, {
      size: { value: async () => 3 * 1024 ** 3 },
      readRange: { value: async (_: string, begin: number, end: number) => new Uint8Array(end - begin) },
    });
    await expect(logLines(endless, 'log').next()).rejects.toThrow('log:1  not a JSON object.');
  });
});

describe('the search', async () => {
  const lines = [
    completion(1, 0, { completion: '3 + 4 = 7', status: 'correct', reason: 'reaches the target' }),
    completion(1, 0, { completion: '3 + 4 = 8' }),
    completion(1, 1, { prompt: '1 2 = 7 ?', completion: 'no' }),
    completion(2, 0, { completion: '3', finish_reason: 'length' }),
  ];
  const data = await readCompletions(lines, ['grpo'], PLENTY);
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

  it('counts verdicts', async () => {
    expect(countVerdicts(data.groups)).toEqual({ right: 1, wrong: 2, truncated: 1 });
  });
});
