/** `advise`: what was said of a run, and which rows of the arena helped against it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { program } from '../../../../src/cli/program.ts';
import { printed } from '../../../../test/cli/printed.ts';
import { eachInOwnFolder } from '../../../../test/support/folders.ts';
import { catalogue } from '../../../zoo/catalogue/whole_catalogue.ts';
import { DIAGNOSIS_CODES } from '../../../zoo/diagnostics/catalogue.ts';
import { type ArenaRow, adviceFor, readArena } from '../../advice.ts';

eachInOwnFolder();

const call = (...words: readonly string[]): Promise<string> =>
  printed(() => program().parseAsync([...words], { from: 'user' }));

type Interval = ArenaRow['difference'];
const NONE: Interval = [0, -0.03, 0.03, 0.9];
const rowOf = (
  row: string,
  difference: Interval,
  pass: Interval,
  of = [row],
  passBest: ArenaRow['best'] = null,
): ArenaRow => {
  return {
    task: 'countdown',
    block: 'on-policy',
    row,
    of,
    set: {},
    baseline: 'on-policy/grpo',
    difference,
    greedy: NONE,
    pass,
    best: null,
    passBest,
    holm: 1,
  };
};

describe('advice', () => {
  const collapsed = { code: 'entropy-collapse', message: 'the entropy fell' };
  const against = (code: string): string[] =>
    code === 'entropy-collapse' ? ['maxrl', 'pkpo', 'clip-cov', 'lp-reg'] : [];
  const rows = [
    rowOf('maxrl', [-0.03, -0.06, -0.01, 0.01], [0.08, 0.04, 0.12, 0.001]),
    rowOf('pkpo', NONE, [0.09, 0.06, 0.12, 0.001]),
    rowOf('clip-cov', NONE, NONE),
    rowOf('rloo', [0.1, 0.08, 0.12, 0.001], NONE),
  ];

  it('names rows against the diagnosis whose interval leaves 0 out, the surest first, and what was tried in vain', () => {
    const [{ helped, others, untried }] = adviceFor([collapsed], rows, against);
    expect(helped.map(({ row }) => row)).toEqual(['pkpo', 'maxrl']);
    expect(others.map(({ row }) => row)).toEqual(['clip-cov']);
    expect(untried).toEqual(['lp-reg']);
  });

  it('is no row that the baseline equals at another rate', () => {
    const slower = rowOf('maxrl', NONE, [0.08, 0.04, 0.12, 0.001], ['maxrl'], [0.3333, 0.01, -0.02, 0.04, 0.6]);
    expect(adviceFor([collapsed], [slower], against)[0]).toMatchObject({
      helped: [],
      others: [{ row: 'maxrl', helpedIn: 0, rows: [slower] }],
    });
  });

  it('puts a method under one verdict, with all of its rows: by half of them', () => {
    const gain: Interval = [0.09, 0.06, 0.12, 0.001];
    const mixed = [
      rowOf('maxrl', NONE, NONE),
      rowOf('maxrl', gain, NONE),
      ...['a', 'b', 'c'].map(() => rowOf('pkpo', NONE, NONE)),
    ];
    const [{ helped, others }] = adviceFor([collapsed], [...mixed, rowOf('pkpo', gain, NONE)], against);
    expect(helped).toEqual([{ row: 'maxrl', helpedIn: 1, rows: [mixed[1], mixed[0]] }]);
    expect(others.map(({ row, helpedIn, rows: its }) => [row, helpedIn, its.length])).toEqual([['pkpo', 1, 4]]);
  });

  it('is none where no row helped', () => {
    const [{ helped }] = adviceFor([collapsed], rows.slice(2), against);
    expect(helped).toEqual([]);
    expect(adviceFor([{ code: 'no-reward', message: '' }], rows, against)[0].helped).toEqual([]);
  });

  it('is about diagnoses that there are, of methods of the catalogue', () => {
    const { methods } = catalogue();
    const codes = [...new Set(methods.flatMap(({ against: own }) => own))];
    expect(codes.filter((code) => !DIAGNOSIS_CODES.includes(code))).toEqual([]);
    expect(codes.length).toBeGreaterThanOrEqual(10);
    const { rows: measured } = readArena(
      readFileSync(new URL('../../../../bench/arena/results.json', import.meta.url), 'utf8'),
    );
    const ids = methods.map(({ name }) => name);
    expect(measured.flatMap(({ of }) => of).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('`advise --run`', () => {
  const log = (...lines: readonly object[]): void => {
    mkdirSync('mine', { recursive: true });
    writeFileSync('mine/metrics.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };

  it('says each diagnosis once, in the words of its last time, and nothing of methods that ended a stage', async () => {
    const one = { step: 3, stage: 'grpo', diagnosis: 'pass-at-k-falls', level: 'note' };
    const ended = { step: 9, stage: 'grpo', diagnosis: 'stage-ended', level: 'note', message: 'ended' };
    log(
      { step: 1, stage: 'grpo', loss: 0 },
      { ...one, message: 'first' },
      { ...one, step: 8, message: 'fewer are solved' },
      ended,
    );
    const { advice } = JSON.parse(await call('advise', '--run', 'mine', '--json'));
    expect(advice.map(({ code, message }: Record<string, string>) => [code, message])).toEqual([
      ['pass-at-k-falls', 'fewer are solved'],
    ]);
    expect(await call('advise', '--run', 'mine')).toMatch(
      /^mine: 1 diagnosis\.\n\npass-at-k-falls {2}fewer are solved\n/,
    );
  });

  it('keeps what the config said before step 1, and leaves out what was withdrawn', async () => {
    const at = (step: number, diagnosis: string, level: string, message: string) => ({
      ...{ step, stage: 'grpo', diagnosis, level, message },
    });
    log(
      at(0, 'combination', 'note', 'stages.1.beta'),
      at(0, 'combination', 'note', 'stages.1.top_k'),
      at(20, 'below-best', 'warning', 'fell'),
      at(50, 'all-wrong', 'warning', 'none is right'),
      at(60, 'below-best', 'withdrawn', 'below-best is no longer so'),
    );
    const { advice } = JSON.parse(await call('advise', '--run', 'mine', '--json'));
    expect(advice.map(({ code, message }: Record<string, string>) => [code, message])).toEqual([
      ['combination', 'stages.1.beta'],
      ['combination', 'stages.1.top_k'],
      ['all-wrong', 'none is right'],
    ]);
    const { helped, others } = advice[2];
    const said: string[] = [...helped, ...others].map(({ row }: Record<string, string>) => row);
    expect(said.length).toBeGreaterThan(3);
    expect(new Set(said).size).toBe(said.length);
  });

  it.each([
    ['a rate', 'small-rate', 'warning'],
    ['a reward', 'constant-reward', 'warning'],
    ['an extract', 'right-refused', 'warning'],
    ['biased sampling', 'combination', 'warning'],
  ])('names no method where the cause is %s', async (_, diagnosis, level) => {
    const wrong = { step: 9, stage: 'grpo', diagnosis: 'all-wrong', level: 'warning', message: 'none is right' };
    log({ step: 0, stage: 'grpo', diagnosis, level, message: 'the cause' }, wrong);
    const text = await call('advise', '--run', 'mine');
    expect(text).toMatch(new RegExp(`^mine: 2 diagnoses.*No method is named: mend ${diagnosis} first`, 's'));
    expect(text).not.toMatch(/helped|tried|declared/);
  });

  it('has no advice for a run without a diagnosis, and names a folder that is no run', async () => {
    log({ step: 1, stage: 'grpo', loss: 0 });
    expect(await call('advise', '--run', 'mine')).toBe('mine: no diagnosis, and so no advice.\n');
    await expect(call('advise', '--run', 'nowhere')).rejects.toThrow(/nowhere {2}holds no run with a log/);
  });
});

it('`methods ls --for` lists what is made against a diagnosis, and names the nearest of another word', async () => {
  expect(await call('methods', 'ls', '--for', 'pass-at-k-falls')).toMatch(/ {2}pkpo /);
  expect(await call('methods', 'ls', '--for', 'slow-verifier')).toBe('no method is declared against slow-verifier\n');
  await expect(call('methods', 'ls', '--for', 'entropy-colapse')).rejects.toThrow('did you mean "entropy-collapse"?');
});
