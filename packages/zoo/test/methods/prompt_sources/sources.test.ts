/** What each prompt source asks of what is drawn, by its formula, without a run. */
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../../src/config/dump.ts';
import type { TaskItem } from '../../../../../src/data/task.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { Ledger, observationsOf } from '../../../../../src/methods/ledger.ts';
import type { DrawItems, PromptSource, SourceTools } from '../../../../../src/methods/points.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { createMethods, parseConfig } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { weakProblems } from '../../../methods/prompt_sources/weakness.ts';

const itemOf = (key: string, more: Partial<TaskItem> = {}): TaskItem => ({
  ...groupOf([]).item,
  id: key,
  key,
  identity: key,
  ...more,
});

/** A source that gives these keys in turn, over and over. */
function cycle(...keys: readonly string[]): DrawItems & { drawn: number } {
  const draw = Object.assign(
    async (count: number) => Array.from({ length: count }, () => itemOf(keys[draw.drawn++ % keys.length])),
    { drawn: 0 },
  );
  return draw;
}

function sourceOf(line: string): PromptSource {
  const { promptSources } = createMethods(stageOf(`prompt_source: ${line}`));
  return promptSources[0].part;
}

/** Shares that were right of problems by their keys; a verdict of 1 for the first of them. */
function toolsFor(
  rates: Readonly<Record<string, number>> = {},
  ledger = new Ledger(),
): SourceTools & { readonly logged: Record<string, number>; attempts: number } {
  const logged: Record<string, number> = {};
  const tools = {
    ...stepContext(stageOf()),
    ledger,
    logged,
    attempts: 0,
    twin: () => undefined,
    solutionGradient: async () => new Float32Array(1),
    solutionText: ({ key }: TaskItem) => `right ${key}`,
    judge: async (answers: readonly { readonly item: TaskItem; readonly text: string }[]) =>
      answers.map(({ item, text }) => judged(item.key, text)),
    metric: (name: string, value: number) => {
      logged[name] = value;
    },
    async attempt(items: readonly TaskItem[], how: { readonly samples: number } | 'greedy') {
      const samples = how === 'greedy' ? 1 : how.samples;
      tools.attempts += items.length;
      return items.map(({ key }) =>
        Array.from({ length: samples }, (_, i) => {
          const score = i < Math.round((rates[key] ?? 0) * samples) ? 1 : 0;
          return { score, status: score === 1 ? ('correct' as const) : ('incorrect' as const), reason: '' };
        }),
      );
    },
  };
  return tools;
}

/** Problems whose verifier is right, but for some by their names. */
function judged(key: string, text: string): Verdict {
  const isRight =
    key === 'broken'
      ? false
      : key === 'open'
        ? true
        : key === 'free'
          ? text.startsWith('right')
          : text === `right ${key}`;
  return { score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect', reason: '' };
}

const keysOf = (items: readonly TaskItem[]): string => items.map(({ key }) => key).join('');

/** Groups of four completions each; the shares of `solved` were right, one group after the other. */
function record(ledger: Ledger, item: TaskItem, solved: readonly number[], step = 0): void {
  for (const share of solved) {
    const rollouts = [0, 1, 2, 3].map((i) => rolloutOf(1, i < 4 * share ? 1 : 0));
    ledger.record(observationsOf([{ ...groupOf(rollouts), item }], true), step);
  }
}

describe('few-shot-data', () => {
  it('asks the first different problems over and over, also behind a checkpoint', async () => {
    const source = sourceOf('{name: few-shot-data, limit: 3}');
    const draw = cycle('a', 'a', 'b', 'a', 'c', 'd');
    expect(keysOf(await source.next(4, draw, toolsFor()))).toBe('abca');
    const drawn = draw.drawn;
    const resumed = sourceOf('{name: few-shot-data, limit: 3}');
    resumed.restore?.(JSON.parse(JSON.stringify(source.state?.())));
    expect(keysOf(await source.next(4, draw, toolsFor()))).toBe('bcab');
    expect(keysOf(await resumed.next(4, draw, toolsFor()))).toBe('bcab');
    expect(draw.drawn).toBe(drawn);
  });

  it('takes fewer where there are no more', async () => {
    const tools = toolsFor();
    const items = await sourceOf('{name: few-shot-data, limit: 8}').next(3, cycle('a', 'b'), tools);
    expect(keysOf(items)).toBe('aba');
    expect(tools.logged.problems).toBe(2);
  });

  it('refuses a state that holds something else', () => {
    const source = sourceOf('few-shot-data');
    for (const state of [null, {}, { items: [7], next: 0 }, { items: [itemOf('a')], next: 2 }]) {
      expect(() => source.restore?.(state as never)).toThrow(TypeError);
    }
  });
});

describe('prefilter', () => {
  const line = '{name: prefilter, problems: 4, samples: 4}';
  const rates = { a: 0, b: 0.25, c: 1, d: 0.75 };

  it('keeps the problems that are solved sometimes, and tries none a second time', async () => {
    const [source, tools] = [sourceOf(line), toolsFor(rates)];
    const draw = cycle('a', 'b', 'c', 'd');
    expect(keysOf(await source.next(3, draw, tools))).toBe('bdb');
    expect(tools.logged.kept).toBe(0.5);
    expect(keysOf(await source.next(3, draw, tools))).toBe('dbd');
    expect([draw.drawn, tools.attempts]).toEqual([4, 4]);
  });

  it('says where none is left', async () => {
    const asked = sourceOf(line).next(3, cycle('a', 'c'), toolsFor(rates));
    await expect(asked).rejects.toMatchObject({
      code: 'nothing-to-learn',
      message: expect.stringMatching(/of 2 problems 1 were solved every time of 4, and the others never/),
    });
  });
});

describe('sources by solve rate', () => {
  const ledger = new Ledger();
  record(ledger, itemOf('a'), [0], 3);
  record(ledger, itemOf('b'), [0.5], 3);
  record(ledger, itemOf('c'), [1], 3);

  it('keep-range leaves out what is solved almost always or never, solve-rate-prune only the former', async () => {
    const tools = toolsFor({}, ledger);
    const draw = cycle('a', 'b', 'c', 'd');
    expect(keysOf(await sourceOf('keep-range').next(4, draw, tools))).toBe('bdbd');
    expect(tools.logged.left_out).toBe(0.5);
    expect(keysOf(await sourceOf('solve-rate-prune').next(4, cycle('a', 'b', 'c', 'd'), tools))).toBe('abda');
  });

  it('ask again what was left out for long enough', async () => {
    const tools = { ...toolsFor({}, ledger), step: 8 };
    const line = (steps: number): string => `{name: keep-range, revisit_after: ${steps}}`;
    expect(keysOf(await sourceOf(line(5)).next(4, cycle('a', 'b', 'c', 'd'), tools))).toBe('abcd');
    expect(keysOf(await sourceOf(line(6)).next(4, cycle('a', 'b', 'c', 'd'), tools))).toBe('bdbd');
  });

  it('ask what there is where all of it is left out, and say that they starve', async () => {
    const tools = toolsFor({}, ledger);
    expect(keysOf(await sourceOf('keep-range').next(2, cycle('a', 'c'), tools))).toHaveLength(2);
    expect(tools.logged.starved).toBe(1);
    await sourceOf('keep-range').next(2, cycle('a', 'b'), tools);
    expect(tools.logged.starved).toBe(0);
  });

  it('refuse a range without an inside', () => {
    expect(() => stageOf('prompt_source: {name: keep-range, lowest: 0.9, highest: 0.2}')).toThrow(/above highest/);
  });
});

describe('admission', () => {
  it('admits what has a right answer that is right, others that are wrong, and a policy that is right sometimes', async () => {
    const rates = { good: 0.5, easy: 1, hard: 0, broken: 0.5, open: 0.5, free: 0.5 };
    const tools = toolsFor(rates);
    const names = Object.keys(rates);
    const source = sourceOf('{name: admission, samples: 4}');
    expect((await source.next(6, cycle(...names), tools)).every(({ key }) => key === 'good')).toBe(false); // filled up
    expect(keysOf(await source.next(1, cycle('broken', 'open', 'good'), tools))).toBe('good');
    const again = sourceOf('{name: admission, samples: 4}');
    await again.next(6, cycle(...names), tools);
    expect(Object.fromEntries(again.state?.() as [string, string][])).toEqual({
      good: 'admitted',
      easy: 'solved',
      hard: 'impossible',
      broken: 'reference',
      open: 'empty',
      free: 'guessed',
    });
    expect(tools.logged['refused/guessed']).toBeGreaterThan(0);
    const resumed = sourceOf('{name: admission, samples: 4}');
    resumed.restore?.(JSON.parse(JSON.stringify(again.state?.())));
    tools.attempts = 0;
    expect(keysOf(await resumed.next(1, cycle('hard', 'good'), tools))).toBe('good');
    expect(tools.attempts).toBe(0);
  });
});

describe('hardest', () => {
  it('asks the part of what is drawn that was solved least, what was never asked first', async () => {
    const ledger = new Ledger();
    for (const [key, share] of [['a', 0.75], ['b', 0.25], ['c', 1], ['d', 0.5]] as const) record(ledger, itemOf(key), [share]); // biome-ignore format: one line
    const tools = toolsFor({}, ledger);
    const line = '{name: hardest, fraction: 0.5}';
    expect(keysOf(await sourceOf(line).next(2, cycle('a', 'b', 'c', 'd'), tools))).toBe('bd');
    expect(tools.logged.solved).toBe(0.375);
    expect(keysOf(await sourceOf(line).next(2, cycle('a', 'b', 'new', 'd'), tools))).toBe('bnew');
    expect(keysOf(await sourceOf('{name: hardest, fraction: 1}').next(2, cycle('a', 'c'), tools))).toBe('ac');
  });
});

describe('greedy-filter', () => {
  it('asks what the greedy completion gets wrong, and fills up with the rest', async () => {
    const tools = toolsFor({ a: 1, b: 0, c: 1, d: 0 });
    expect(keysOf(await sourceOf('greedy-filter').next(3, cycle('a', 'b', 'c', 'd'), tools))).toBe('bdb');
    const one = sourceOf('{name: greedy-filter, drawing_rounds: 1}');
    expect(keysOf(await one.next(3, cycle('a', 'b', 'c', 'd'), tools))).toBe('bac');
    expect(tools.logged.solved).toBeCloseTo(2 / 3);
    expect(tools.logged.starved).toBeCloseTo(2 / 3);
  });
});

describe('weakness', () => {
  const [first, second] = [{ task: 'one', level: 2 }, { task: 'two' }];

  it('is a share that never came to a half, and falls', () => {
    const ledger = new Ledger();
    record(ledger, itemOf('falls', first), [0.25, 0.25, 0]);
    record(ledger, itemOf('falls too', second), [0.25, 0]);
    record(ledger, itemOf('once high', first), [0.5, 0]);
    record(ledger, itemOf('rises', first), [0, 0.25]);
    record(ledger, itemOf('stays', first), [0.25, 0.25]);
    record(ledger, itemOf('seen once', first), [0]);
    expect([...weakProblems(ledger)]).toEqual([
      ['one/2', 1],
      ['two', 1],
    ]);
  });

  it('gets its share of the places, by category', async () => {
    const ledger = new Ledger();
    record(ledger, itemOf('falls', second), [0.25, 0]);
    const both = async (count: number) =>
      Array.from({ length: count }, (_, i) => itemOf(`p${i}`, rng.float() < 0.9 ? first : second));
    const rng = rngFor('both');
    const items = await sourceOf('{name: weakness, share: 0.3}').next(1000, both, toolsFor({}, ledger));
    const share = items.filter(({ task }) => task === 'two').length / 1000;
    expect(Math.abs(share - (0.3 + 0.7 * 0.1))).toBeLessThan(0.05);
  });

  it('draws as the source before does where nothing is weak', async () => {
    expect(keysOf(await sourceOf('weakness').next(3, cycle('a', 'b'), toolsFor()))).toBe('aba');
  });
});

describe('the ledger', () => {
  it('keeps a short history of shares through JSON, and the moving share', () => {
    const ledger = new Ledger();
    const item = itemOf('a', { task: 'one' });
    record(ledger, item, [0, 1, 0.5, 0.25, 0, 1, 0.5, 0.25, 0, 1]);
    const again = new Ledger();
    again.restore(JSON.parse(JSON.stringify(ledger.state())));
    expect(again.get(item)).toEqual(ledger.get(item));
    expect(again.get(item)).toMatchObject({ visits: 10, history: [0.5, 0.25, 0, 1, 0.5, 0.25, 0, 1] });
    expect(again.get(itemOf('a', { task: 'two' }))).toBeUndefined();
  });

  it('reads what was written before there were histories', () => {
    const ledger = new Ledger();
    ledger.restore([['a', 2, 0.5, 7]]);
    expect(ledger.get(itemOf('a'))).toEqual({ visits: 2, solved: 0.5, lastStep: 7 });
    expect(ledger.state()).toEqual([['a', 2, 0.5, 7]]);
  });
});

describe('several sources in a row', () => {
  const text = (sources: string) => `task: sort_digits\nmax_steps: 2\nprompt_source: ${sources}`;

  it('come back from the config that is written out, one by itself as it was written', () => {
    const { config } = parseConfig(text('[few-shot-data, {name: keep-range, lowest: 0.2}]'), { file: 'a' });
    expect(parseConfig(resolvedYaml(config), { file: 'b' }).config).toEqual(config);
    const alone = parseConfig(text('[prioritized]'), { file: 'a' }).config;
    expect(alone).toEqual(parseConfig(text('prioritized'), { file: 'a' }).config);
    expect(resolvedYaml(alone)).toMatch(/prompt_source:\n\s+candidates: 4\n/);
  });

  it('are refused where one stands twice, is unknown, or none is named', () => {
    expect(() => parseConfig(text('[prefilter, prefilter]'), { file: 'a' })).toThrow(/in this stage twice/);
    expect(() => parseConfig(text('[prefiltre]'), { file: 'a' })).toThrow(/the nearest is prefilter/);
    expect(() => parseConfig(text('[]'), { file: 'a' })).toThrow(/must be a name/);
  });
});
