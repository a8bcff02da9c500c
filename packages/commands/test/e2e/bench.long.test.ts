/** Benchmarks run as README says; figures are not judged here, since a test machine is never quiet. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { fewOf } from '../../../../test/support/budget.ts';
import { temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Without a peer environment, wherever the tests run. */
const bench = (...flags: readonly string[]) => benchWith(join(folder.path, 'no-python'), flags);

const benchWith = (python: string, flags: readonly string[]) =>
  promisify(execFile)(process.execPath, ['bench/run.mjs', ...flags], {
    cwd: ROOT,
    env: { ...process.env, RLVR_PEER_PYTHON: python },
  });

interface ScaleReport {
  readonly benchmark: string;
  readonly command: string;
  readonly machine: { readonly cpu: string; readonly node: string };
  readonly results: readonly {
    readonly name: string;
    readonly seconds: {
      readonly median: number;
      readonly low: number;
      readonly high: number;
      readonly repeats: number;
    };
    readonly parameters: number;
    readonly work: number;
    readonly time: number;
    readonly timeOverWork: number;
  }[];
}

it('bench -- scale --quick prints a table and writes what it measured', async () => {
  const file = join(folder.path, 'scale.json');
  const { stdout } = await bench('scale', '--quick', '--json', file);
  const report = JSON.parse(readFileSync(file, 'utf8')) as ScaleReport;
  expect(report).toMatchObject({
    benchmark: 'scale',
    command: `npm run bench -- scale --quick --json ${file}`,
    machine: { node: process.versions.node },
  });
  const [base, oneThread, prompts, length, parameters, group] = report.results;
  for (const { name, seconds, work, time, timeOverWork } of report.results) {
    expect(stdout).toContain(name);
    expect(seconds.low).toBeGreaterThan(0);
    expect(seconds.high).toBeGreaterThanOrEqual(seconds.low);
    expect(timeOverWork).toBeCloseTo(time / work, 12);
  }
  expect(base).toMatchObject({ name: '2 threads', work: 1, time: 1, seconds: { repeats: 2 } });
  expect(oneThread?.work).toBe(2);
  expect(prompts?.work).toBeCloseTo(4, 12);
  // Prompts are computed once: longer completions and larger groups are less than four times the work. Attention is not
  // linear in length, and both have more than half of it.
  for (const each of [length, group]) expect(each?.work).toBeGreaterThan(2.5);
  expect(group?.work).toBeLessThan(4);
  expect((parameters?.parameters ?? 0) / (base?.parameters ?? 1)).toBeGreaterThan(3.5);
}, 60_000);

it('a race without the other side says how to make it, and measures ours', async () => {
  const { stdout, stderr } = await bench('rollout', '--quick', '--repeats', '1');
  expect(stderr).toContain('make one with: node bench/peers/setup.mjs');
  expect(stdout).toMatch(/^rlvr-train .* \d+\.\d{3} \(.*\) +\d+\.\d\d +\d+$/m);
}, 60_000);

it('a peer that dies ends the race with its last words', async () => {
  const notPython = process.execPath;
  await expect(benchWith(notPython, ['rollout', '--quick'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^generate\.py ended with 9:\n.*bad option: -B\n$/),
  });
}, 60_000);

const mistakes: readonly (readonly [string[], RegExp])[] = [
  [['fast'], /^fast — not a benchmark; use npm run bench -- NAME:/],
  [['scale', '--repeats', '0'], /^--repeats: 0 — not a whole number of 1 or more/],
  [['webgpu', '--peer-device', 'tpu'], /^--peer-device: tpu — use cuda or cpu\.\n$/],
  [['scale', '--slow'], /^Unknown option '--slow'; use --repeats VALUE, --quick, --json VALUE\.\n$/],
];
it.each(fewOf(mistakes, { quick: 1, all: 2 }))(
  'bench -- %s says what is wrong, without a stack trace',
  async (flags, message) => {
    await expect(bench(...flags)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  },
);
