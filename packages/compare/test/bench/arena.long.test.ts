/** The arena: every row is a config, its figures are those of `compare`, and its table follows from the records alone. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { overBudget, solvedAt } from '../../../../bench/arena/budgets.mjs';
import { rowsByChance, spreadsOf } from '../../../../bench/arena/chance.mjs';
import { arenaFigures } from '../../../../bench/arena/figures.mjs';
import { compactRecord, Records } from '../../../../bench/arena/records.mjs';
import { resultsText } from '../../../../bench/arena/results_text.mjs';
import { type ArenaRow, assignments, readRows, runOf } from '../../../../bench/arena/rows.mjs';
import { twinsOf } from '../../../../bench/arena/twins.mjs';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { passAtK } from '../../../../src/methods/statistics.ts';
import type { KeptProblem, KeptRecords } from '../../../../src/run/logs/problem_records.ts';
import { METHODS, parseConfig } from '../../../../test/support/everything.ts';
import { majorityAt } from '../../../zoo/methods/support/figures/majority_at.ts';
import { ZOO } from '../../../zoo/registries.ts';
import { compareRuns } from '../../compare.ts';
import { spelledMethods } from '../../same_methods.ts';
import { differenceOf, holm } from '../../statistics.ts';

const FOLDER = fileURLToPath(new URL('../../../../bench/arena/', import.meta.url));
const known = new Set(METHOD_POINTS.flatMap((point) => METHODS[point].map(({ id }) => id)));
const texts = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml') && name !== 'rows.yaml')
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);
const configs = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parse(text)]));
const parsed = parse(readFileSync(join(FOLDER, 'rows.yaml'), 'utf8'));
const rows = readRows(parsed, { file: 'rows.yaml', configs, known });

describe('rows.yaml', () => {
  it('has sixty methods and more on the main task, each in a config that is accepted', () => {
    const main = rows.filter(({ task }) => task === 'countdown');
    expect(new Set(main.flatMap(({ of }) => of)).size).toBeGreaterThanOrEqual(60);
    for (const { config, set, of, id, block } of rows) {
      const [stage] = parseConfig(texts[config], { file: config }, assignments('grpo', set)).config.stages;
      const named = JSON.stringify(stage);
      for (const method of of) expect(named, `${block}/${id} is about ${method}`).toContain(`"name":"${method}"`);
    }
  });

  it('refuses a method that there is not, a baseline that is no row, a row twice, and a key that none has', () => {
    const rowsWith = (block: object) =>
      readRows({ tasks: parsed.tasks, blocks: { tried: block } }, { file: 'rows.yaml', configs, known });
    const one = { id: 'one', of: ['group'] };
    expect(() => rowsWith({ baseline: 'one', rows: [{ id: 'one', of: ['grupo'] }] })).toThrow(
      'rows.yaml: blocks.tried, row one — grupo is no method; rlvr-train methods ls lists them.',
    );
    expect(() => rowsWith({ baseline: 'two', rows: [one] })).toThrow(/two is no row/);
    expect(() => rowsWith({ baseline: 'one', rows: [one, one] })).toThrow(/one is there twice/);
    expect(() => rowsWith({ baseline: 'one', rows: [{ ...one, sets: {} }] })).toThrow(/row one — sets is no key of it/);
  });

  it('says of each row that does not learn why not; of a hard start the block does', () => {
    const records = new Records(join(FOLDER, 'records'));
    const idle = rows.flatMap((row) => {
      const runs = [0, 1, 2].flatMap((index) => records.of(runOf(row, index, configs)) ?? []);
      const gains = runs.map(({ sampled, before }) => sampled - before.sampled);
      const isIdle = runs.length === 3 && gains.reduce((sum, gain) => sum + gain / 3, 0) < 0.02;
      return isIdle && row.block !== 'hard-start' ? [row] : [];
    });
    expect(idle.length).toBeGreaterThan(5);
    for (const { task, block, id, why } of idle) expect(why, `${task}: ${block}/${id}`).toMatch(/\w+ \w+/);
  });

  it('gives a run another digest with each change of what it is made of', () => {
    const [row] = rows;
    const digests = [
      runOf(row, 0, configs),
      runOf(row, 1, configs),
      runOf(row, 0, configs, 2),
      runOf({ ...row, set: { beta: 0.1 } }, 0, configs),
      runOf({ ...row, start: { config: 'countdown-start.yaml', set: { max_steps: 9 } } }, 0, configs),
    ].map(({ digest }) => digest);
    expect(new Set(digests).size).toBe(digests.length);
  });
});

const SAMPLES = 16;
/** Records of a policy that solves each problem as often as it says. */
function drawn(name: string, solved: number): KeptRecords {
  const rng = rngFor(name);
  const problems = Array.from({ length: 60 }, (_, i): KeptProblem => {
    const sample = () => {
      const isRight = rng.float() < solved;
      const canonical = isRight ? '12' : `wrong ${rng.int(0, 2)}`;
      return { score: Number(isRight), status: isRight ? 'correct' : 'incorrect', canonical } as const;
    };
    const samples = Array.from({ length: SAMPLES }, () => ({ ...sample(), tokens: [1, 2], logprob: -1 }));
    return { key: `p${i}`, weight: 1 + (i % 3), prompt: 'p', greedy: { ...sample(), text: '', length: 2 }, samples };
  });
  const sampling = { temperature: 1, topK: 0, topP: 1, minP: null };
  const task = { name: 'sort_digits' };
  const head = { version: 1, stageIndex: 0, stage: 'grpo', step: 4, tasks: [{ task, weight: 1 }] } as const;
  return { head: { ...head, problems: 'abc', count: 60, samples: SAMPLES, sampling, seed: 0 }, problems };
}

const compact = (records: KeptRecords) =>
  compactRecord({
    records,
    summary: {
      baseline: { eval_accuracy: 0.1, 'eval_mean@16': 0.1 },
      final: { 'eval_mean@16': 0.5, 'eval_completions/mean_length': 2 },
      wallSeconds: 3,
      diagnoses: [],
    },
    metrics: Array.from({ length: 40 }, (_, i) => ({
      loss: 0,
      num_tokens: 100 * (i + 1),
      step_time: 0.5,
      solve_rate: i / 40,
    })),
    majorityAt,
    machine: 'a machine',
    commit: 'c0ffee',
  });

const folders: string[] = [];
const folder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), 'rlvr-train-arena-')));
  return folders[folders.length - 1];
};
afterEach(() => {
  for (const place of folders.splice(0)) rmSync(place, { recursive: true });
});

describe('records', () => {
  const two: readonly ArenaRow[] = rows.filter(
    ({ task, block, id }) => task === 'countdown' && block === 'on-policy' && ['grpo', 'dr-grpo'].includes(id),
  );
  const all = [0, 1, 2].flatMap((index) =>
    two.map((row, i) => ({ run: runOf(row, index, configs), records: drawn(`${row.id}${index}`, 0.3 + 0.3 * i) })),
  );
  const figuresOf = (records: Records) =>
    arenaFigures(
      two,
      {
        recordOf: (row, index, rate) => records.of(runOf(row, index, configs, rate)),
        headOf: (row) => records.head(row),
      },
      { differenceOf, holm, passAtK },
      3,
    );
  const textOf = (records: Records): string =>
    resultsText(figuresOf(records), {
      blocks: parsed.blocks,
      count: 3,
      rates: () => [],
      chance: () => undefined,
      differenceOf,
    });

  it('come to the figures and differences of `compare`', () => {
    const records = new Records(folder());
    for (const { run, records: kept } of all) records.add(run, compact(kept));
    const [, row] = figuresOf(records);
    const runs = (which: number) =>
      all
        .filter(({ run }) => run.row === two[which])
        .map(({ run, records: kept }) => ({
          name: `${run.row.id}${run.index}`,
          records: kept,
          config: { seed: run.index },
        }));
    const { figures } = compareRuns(runs(0), runs(1));
    const names: Readonly<Record<string, string>> = { accuracy: 'greedy' };
    const shared = figures.filter(({ name }) => (names[name] ?? name) in row.figures);
    expect(shared.map(({ name }) => name)).toEqual(['accuracy', 'mean@16', 'pass@4', 'pass@16', 'maj@16']);
    for (const { name, b, difference } of shared) {
      const { mean, low, high } = row.differences?.[names[name] ?? name] ?? difference;
      expect(row.figures[names[name] ?? name].reduce((sum, value) => sum + value / 3, 0)).toBeCloseTo(b, 6);
      expect([mean, low, high], name).toEqual(
        [difference.mean, difference.low, difference.high].map((value) => expect.closeTo(value, 6)),
      );
    }
  });

  it('give the same table in whatever order and number of sittings they came', () => {
    const [at, other] = [folder(), folder()];
    const records = new Records(at);
    for (const { run, records: kept } of all) records.add(run, compact(kept));
    for (const { run, records: kept } of [...all].reverse()) new Records(other).add(run, compact(kept));
    expect(textOf(new Records(other))).toBe(textOf(records));
    expect(textOf(records)).toContain('2 of 2 rows have all 3 seeds');
  });

  it('are of the very settings that they are asked for', () => {
    const records = new Records(folder());
    const [{ run, records: kept }] = all;
    records.add(run, compact(kept));
    expect(records.of(run)).toBeDefined();
    expect(records.of(runOf({ ...run.row, set: { beta: 0.1 } }, 0, configs))).toBeUndefined();
  });

  it('of other problems are refused, and a line that is none is named', () => {
    const at = folder();
    const records = new Records(at);
    const [one, two] = all;
    records.add(one.run, compact(one.records));
    const { head, problems } = two.records;
    const others = { head: { ...head, problems: 'other' }, problems };
    expect(() => records.add(two.run, compact(others))).toThrow(/other problems/);
    const file = join(at, 'countdown-on-policy.jsonl');
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"row":`);
    expect(() => new Records(at).of(one.run)).toThrow(/line 3 is no record/);
  });

  it.runIf(existsSync('/dev/full'))('that a full disk does not take are named, and those before it stay', () => {
    const at = folder();
    const records = new Records(at);
    const [one, two] = all;
    records.add(one.run, compact(one.records));
    const file = join(at, 'countdown-on-policy.jsonl');
    const before = readFileSync(file, 'utf8');
    symlinkSync('/dev/full', `${file}.new`);
    expect(() => records.add(two.run, compact(two.records))).toThrow(
      `${file}: no space is left on the disk (ENOSPC); what it had before is still there.`,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(records.of(two.run)).toBeUndefined();
    records.add(two.run, compact(two.records));
    expect(new Records(at).of(two.run)).toEqual(records.of(two.run));
  });

  it('have no vote where wrong answers have no normal form', () => {
    const { head, problems } = drawn('formless', 0.4);
    const formless = problems.map(({ samples, ...rest }) => ({
      ...rest,
      samples: samples.map(({ canonical, ...one }) => ({ ...one, ...(one.score === 1 && { canonical }) })),
    }));
    expect(compact({ head, problems }).vote).toHaveLength(60);
    expect(compact({ head, problems: formless }).vote).toBeUndefined();
  });

  it('of a row that is above its baseline, and not above it at a third of the rate, are named by that rate', () => {
    const [baseline, own] = two;
    const third: ArenaRow = { ...baseline, id: 'a third', rate: 0.3333 };
    const made = [baseline, third, own].flatMap((row, i) =>
      [0, 1, 2].map((index) => ({
        run: runOf(row, index, configs),
        records: drawn(`reach${row.id}${index}`, [0.3, 0.6, 0.6][i]),
      })),
    );
    const records = new Records(folder());
    for (const { run, records: kept } of made) records.add(run, compact(kept));
    const found = arenaFigures(
      [baseline, third, own],
      {
        recordOf: (row, index, rate) => records.of(runOf(row, index, configs, rate)),
        headOf: (row) => records.head(row),
      },
      { differenceOf, holm, passAtK },
      3,
    );
    const judged = found[2].differences?.['mean@16'];
    expect(judged?.low).toBeGreaterThan(0);
    expect(judged?.best.rate).toBe(0.3333);
    expect(judged?.best.low).toBeLessThan(0);
    expect(found[2].corrected?.['mean@16']).toBeGreaterThan(0.05);
    expect(found[1].corrected).toBeUndefined();
    const text = resultsText(found, {
      blocks: parsed.blocks,
      count: 3,
      rates: () => [],
      chance: () => undefined,
      differenceOf,
    });
    expect(text).toMatch(/dr-grpo .* as × ⅓ \|/);
    expect(text).toMatch(/a third .* control \|/);
  });

  it('call nothing better whose interval holds 0', () => {
    const records = new Records(folder());
    for (const { run } of all) records.add(run, compact(drawn(`same${run.index}`, 0.4)));
    expect(textOf(records)).toMatch(/dr-grpo .* \+0\.0 \| .* cannot tell \|/);
  });
});

describe('what chance gives', () => {
  const spreads = { runs: 0.01, problems: 0.01, starts: 3, perStart: 3 };
  const statistics = { differenceOf, rngFor };

  it('is one row of twenty, and in a table of many rows at times far more, since their baseline is the same', () => {
    const { mean, most } = rowsByChance(60, spreads, statistics);
    expect(mean).toBeGreaterThan(1);
    expect(mean).toBeLessThan(6);
    expect(most).toBeGreaterThan(mean + 2);
  });

  it('has the spread of the runs that there are', () => {
    const [row] = rows.filter(({ task, id }) => task === 'countdown' && id === 'grpo');
    const again: ArenaRow = { ...row, id: 'again', seedsFrom: 100 };
    const of = (one: ArenaRow, right: string[]) => ({
      row: one,
      runs: right.map((own, index) => ({ index, record: { right: own } as never })),
      figures: { 'mean@16': right.map((own) => [...own].reduce((sum, digit) => sum + Number(digit) / 32, 0)) },
    });
    const found = [of(row, ['44', '84']), of(again, ['88', '44'])];
    const spread = spreadsOf(found, [1, 1], 16);
    // Start 0 has 0.25 and 0.5, start 1 has 0.375 and 0.25.
    const [first, second] = [(0.25 - 0.5) ** 2 / 2, (0.375 - 0.25) ** 2 / 2];
    expect(spread).toMatchObject({ starts: 2, perStart: 2, runs: expect.closeTo(Math.sqrt((first + second) / 2), 12) });
    expect(spreadsOf([found[0]], [1, 1], 16)).toBeUndefined();
  });
});

describe('a row over the budget', () => {
  const straight = (slope: number) => ({
    tokens: 100,
    curve: [20, 40, 60, 80, 100].map((tokens) => [tokens, (slope * tokens) / 100, 0] as const),
  });

  it('is read off the curves, between their points', () => {
    expect(solvedAt(straight(0.5), 50)).toBeCloseTo(0.25, 12);
    expect(solvedAt(straight(0.5), 10)).toBeCloseTo(0.1, 12);
    expect(solvedAt(straight(0.5), 200)).toBeCloseTo(0.5, 12);
  });

  it('of two lines differs by their slopes, the other way round by the opposite, and from itself by nothing', () => {
    const [own, theirs] = [
      [0.8, 0.6],
      [0.5, 0.5],
    ].map((slopes) => slopes.map(straight));
    const points = overBudget(own, theirs, differenceOf);
    expect(points.map(({ tokens }) => tokens)).toEqual([25, 50, 75, 100]);
    expect(points[3].difference.mean).toBeCloseTo(0.2, 12);
    expect(points[1].difference.mean).toBeCloseTo(0.1, 12);
    overBudget(theirs, own, differenceOf).forEach(({ difference: { mean, low, high } }, i) => {
      const { difference } = points[i];
      expect([mean, low, high]).toEqual(
        [-difference.mean, -difference.high, -difference.low].map((x) => expect.closeTo(x, 12)),
      );
    });
    for (const { difference } of overBudget(own, own, differenceOf))
      expect(difference).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
  });

  it('stands in the table with half and twice its rate, around the rate as it is', () => {
    const records = new Records(mkdtempSync(join(tmpdir(), 'rlvr-train-arena-')));
    const [row] = rows.filter(({ task, id }) => task === 'countdown' && id === 'grpo');
    const run = runOf(row, 0, configs);
    records.add(run, compact(drawn('rates', 0.4)));
    const found = arenaFigures(
      [row],
      { recordOf: () => records.of(run), headOf: () => records.head(row) },
      { differenceOf, holm, passAtK },
      1,
    );
    const rates = () => [0.5, 2].map((rate) => ({ rate, record: { ...records.of(run), sampled: rate / 10 } }));
    const text = resultsText(found, {
      blocks: parsed.blocks,
      count: 1,
      rates: rates as never,
      chance: () => undefined,
      differenceOf,
    });
    expect(text).toContain('| rate × ½ · 1 · 2 |');
    expect(text).toMatch(/\| 5\.0 · [\d.]+ · 20\.0 \|/);
  });
});

describe('two names of one method', () => {
  /** All that decides what a row trains, with each method under its plainest name. */
  const trained = ({ config, set }: ArenaRow): unknown => {
    const { config: read } = parseConfig(texts[config], { file: config }, assignments('grpo', set));
    const stages = read.stages.map((stage) =>
      stage.stage === 'grpo' ? { ...stage, methods: spelledMethods(stage.methods, ZOO.methods).plainest } : stage,
    );
    return { ...read, stages };
  };

  it('are said to be one where rows of the same task train them, and nowhere else', () => {
    const of = (id: string, set: object): object => ({ id, of: ['group'], set: { learning_rate: 1e-4, ...set } });
    const block = {
      does: 'the same twice',
      tasks: ['countdown', 'sort-digits'],
      baseline: 'grpo',
      rows: [
        of('grpo', {}),
        of('rloo', { advantage_estimator: 'rloo' }),
        of('loo', { advantage_estimator: { name: 'group', baseline: 'loo', scale_rewards: 'none' } }),
        of('loo, scaled', { advantage_estimator: { name: 'group', baseline: 'loo' } }),
      ],
    };
    const own = readRows({ tasks: parsed.tasks, blocks: { tried: block } }, { file: 'rows.yaml', configs, known });
    const twins = twinsOf(own, trained);
    const named = [...twins].map(([row, other]) => [row.task, row.id, other.task, other.id]);
    expect(named).toEqual([
      ['countdown', 'loo', 'countdown', 'rloo'],
      ['sort-digits', 'loo', 'sort-digits', 'rloo'],
    ]);
    const records = new Records(folder());
    for (const row of own) records.add(runOf(row, 0, configs), compact(drawn('twins', 0.4)));
    const found = arenaFigures(
      own,
      { recordOf: (row) => records.of(runOf(row, 0, configs)), headOf: (row) => records.head(row) },
      { differenceOf, holm, passAtK },
      1,
    );
    const text = resultsText(found, {
      blocks: { tried: block },
      count: 1,
      rates: () => [],
      chance: () => undefined,
      differenceOf,
      twins,
    });
    expect(text).toContain('- tried/loo is tried/rloo under another name, to the bit: one of the two is enough.');
  });

  it('are in no rows that are trained', () => {
    expect([...twinsOf(rows, trained)].map(([row, other]) => `${row.id} ${other.id}`)).toEqual([]);
  });
});

describe('the page of measurements', () => {
  it('gives intervals that the arena has', () => {
    const { rows: results, controls } = JSON.parse(readFileSync(join(FOLDER, 'results.json'), 'utf8'));
    const points = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(1)}`;
    const known = new Set<string>();
    for (const { difference, pass } of [...results, ...controls]) {
      for (const [name, [mean, low, high]] of Object.entries({ mean: difference, 'pass@16': pass }))
        known.add(`${name} ${points(mean)} (${points(low)} to ${points(high)})`);
    }
    const page = readFileSync(join(FOLDER, '../../docs/measurements.md'), 'utf8');
    const said = page.match(/(?:mean|pass@16) [+−][\d.]+ \([+−][\d.]+ to [+−][\d.]+\)/g) ?? [];
    expect(said.length).toBeGreaterThanOrEqual(10);
    expect(said.filter((one) => !known.has(one))).toEqual([]);
  });
});
