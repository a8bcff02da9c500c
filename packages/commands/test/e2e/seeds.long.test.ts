/** `--seeds` at the real command: a series ends with its table, keeps what is finished, and goes on where it was cut. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine, type Interrupt, readMetrics, readSummary, temporaryFolder, writeConfig } from './command_line.ts';

const SORTING = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2}
max_steps: 40
num_generations: 4
generation_batch_size: 16
num_generations_eval: 2
learning_rate: 1e-2
reward_funcs: [positions]
`;

const folder = temporaryFolder();
const type = (words: string, interrupt?: Interrupt) => commandLine(words.split(' '), interrupt, { cwd: folder.path });
const pathOf = (name: string): string => join(folder.path, name);

beforeAll(() => writeConfig(folder.path, SORTING));
afterAll(() => folder.remove());

it('trains each seed as --seed does, into a directory of its own, and ends with median and range', async () => {
  const { code, stdout, stderr } = await type('--config config.yaml --seeds 0..1,7 --output whole --plain');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('whole'))).toEqual([
    'whole-seed0',
    'whole-seed1',
    'whole-seed7',
  ]);
  const table = stdout.slice(stdout.lastIndexOf('seed  ')).trimEnd().split('\n');
  expect(table.map((line) => line.split(/\s+/)[0])).toEqual(['seed', '0', '1', '7', 'median', 'range']);
  expect((await type('--config config.yaml --seed 7 --output alone --quiet')).code).toBe(0);
  expect(readSummary(pathOf('whole-seed7')).weightsSha256).toBe(readSummary(pathOf('alone')).weightsSha256);
}, 120_000);

it('keeps the runs that are finished', async () => {
  const before = statSync(pathOf('whole-seed1/summary.json')).mtimeMs;
  const { code, stdout } = await type('--config config.yaml --seeds 1,7 --output whole --json');
  expect(code).toBe(0);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ event, condition }) => condition ?? event)).toEqual(['finished', 'finished', 'series']);
  const [first, last] = ['whole-seed1', 'whole-seed7'].map((name) => readSummary(pathOf(name)).final?.eval_accuracy);
  expect(events[2].greedy.median).toBeCloseTo(((first ?? 0) + (last ?? 0)) / 2, 12);
  expect(events[2].runs[1].weightsSha256).toBe(readSummary(pathOf('whole-seed7')).weightsSha256);
  expect(statSync(pathOf('whole-seed1/summary.json')).mtimeMs).toBe(before);
}, 120_000);

it('with --ui one page lists each run as it comes, and ends with the series', async () => {
  const listed: string[] = [];
  let address: string | undefined;
  const words =
    '--config config.yaml --set max_steps=120 --set learning_rate=1e-5 --seeds 0..1 --output watched --plain --ui';
  const { code, stderr } = await commandLine(
    words.split(' '),
    {
      when: /watch it: \S+run\?run=watched-seed1\n/,
      act: async () => {
        const runs = (await (await fetch(`${address}runs.json`)).json()) as { readonly name: string }[];
        listed.push(...runs.map(({ name }) => name).filter((name) => name.startsWith('watched')));
      },
    },
    {
      cwd: folder.path,
      heard: (text) => {
        address ??= /watch it: (\S+)run\?run=watched-seed/.exec(text)?.[1];
      },
    },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(listed.sort()).toEqual(['watched-seed0', 'watched-seed1']);
  await expect(fetch(`${address}runs.json`)).rejects.toThrow();
}, 120_000);

it('is ended by Ctrl-C, and goes on with the command that it prints to the same bits', async () => {
  const words = '--config config.yaml --seeds 0..1 --output cut --plain';
  const stopped = await type(words, { signal: 'SIGINT', when: /seed 1 \(2 of 2\)[\s\S]*step +\d/ });
  expect(stopped.code).toBe(130);
  expect(stopped.stdout).toContain('the series was stopped at seed 1; resume it with: ');
  expect(stopped.stdout.trimEnd().endsWith(`dist/cli/main.js ${words}`)).toBe(true);
  const goneOn = await type(words.replace('--plain', '--quiet'));
  expect(goneOn.code).toBe(0);
  const lines = goneOn.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1).runs.map(({ seed }: { seed: number }) => seed)).toEqual([0, 1]);
  expect(readSummary(pathOf('cut-seed1')).weightsSha256).toBe(readSummary(pathOf('whole-seed1')).weightsSha256);
  expect(readMetrics(pathOf('cut-seed1'))).toEqual(readMetrics(pathOf('whole-seed1')));
}, 120_000);

it('a sweep trains each value with each seed, and goes on where it was cut', async () => {
  const words = '--config config.yaml --sweep learning_rate=1e-2,3e-2 --seeds 0..1 --output swept --plain';
  const cut = await type(words, { signal: 'SIGINT', when: /learning_rate=3e-2, seed 0.*baseline/s });
  expect(cut.stdout).toContain('the series was stopped at learning_rate=3e-2, seed 0; resume it with: ');
  const { code, stdout, stderr } = await type(words);
  expect([code, stderr]).toEqual([0, '']);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('swept'))).toEqual([
    'swept-learning_rate=1e-2-seed0',
    'swept-learning_rate=1e-2-seed1',
    'swept-learning_rate=3e-2-seed0',
    'swept-learning_rate=3e-2-seed1',
  ]);
  expect(stdout).toContain('learning_rate=1e-2, seed 0 (1 of 4) is finished before, and kept');
  const table = stdout.slice(stdout.lastIndexOf('setting  ')).trimEnd().split('\n');
  expect(table.map((line) => line.split(/\s+/)[0])).toEqual(['setting', 'learning_rate=1e-2', 'learning_rate=3e-2']);
  expect(readFileSync(pathOf('swept-learning_rate=3e-2-seed1/config.yaml'), 'utf8')).toContain('learning_rate: 0.03');
}, 120_000);

it('refuses before the first run where a directory holds a finished run of another config', async () => {
  const { code, stderr } = await type('--config config.yaml --set learning_rate=2e-2 --seeds 6..7 --output whole');
  expect(code).toBe(1);
  expect(stderr).toContain('whole-seed7  holds a finished run of another config');
  expect(readdirSync(folder.path)).not.toContain('whole-seed6');
  const mistaken = await type('--config config.yaml --seeds 4..1');
  expect(mistaken.code).toBe(1);
  expect(mistaken.stderr).toContain('4..1 runs backwards; give 1..4');
  expect(readFileSync(pathOf('config.yaml'), 'utf8')).toBe(SORTING);
}, 120_000);
