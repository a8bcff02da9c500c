/** `rlvr-train tasks`: what it prints, and that a broken task of the user's is found. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADDITION, SHIFT, SUMS } from '../../../test/cli/own_files.ts';
import { printed } from '../../../test/cli/printed.ts';
import { registeredTasks } from '../../../test/support/everything.ts';
import { listTasks } from '../actions/tasks.ts';
import { checkTaskCommand } from '../tasks/check_task.ts';
import { showTask } from '../tasks/show_task.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'task-')), 'addition.ts');
  writeFileSync(file, text);
  return file;
}

const FEW = { count: 40, attempts: 300 };

it('ls names every task', async () => {
  const text = await printed(() => listTasks({}));
  for (const [name, { card }] of Object.entries(registeredTasks)) {
    expect(text).toContain(`${name} `);
    expect(text).toContain(card.does);
  }
  const facts = JSON.parse(await printed(() => listTasks({ json: true })));
  expect(facts.map(({ name }: { name: string }) => name)).toEqual([
    ...Object.keys(registeredTasks),
    'openenv',
    'dataset',
    'sessions',
  ]);
  expect(text).toContain('\ndata sets\n  dataset ');
  expect(text).not.toContain('levels 0 to -1');
});

describe('show', () => {
  it('gives problems, the right answer, and near misses with their verdicts', async () => {
    const text = await printed(() => showTask('gcd', { level: 0, count: 2 }));
    expect(text).toMatch(
      /^gcd [0-9 ]+>\n {2}1 {2}"[0-9]+" +right: the right number\n {2}0 {2}"[0-9]+" +one more: not the right number\n/m,
    );
    expect(text).toContain('"max":30');
  });

  it('gives JSON lines, in plain style and with other knobs', async () => {
    const text = await printed(() => showTask('gcd', { style: 'plain', set: ['max=20'], count: 2, json: true }));
    const [first, second] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first.prompt).toMatch(/^What is the greatest common divisor of/);
    expect(first.tries[0]).toMatchObject({ name: 'right', score: 1 });
    expect(second.id).not.toBe(first.id);
  });

  it.each([
    ['gcdd', {}, 'task.name: "gcdd" — no such task; did you mean "gcd"?'],
    ['gcd', { level: 9 }, 'task.level: 9 — gcd has levels 0 to 3; use one of them.'],
    ['gcd', { set: ['size=3'] }, 'task.size: 3 — no such knob of gcd'],
    ['gcd', { set: ['max'] }, '--set max — not a knob with its value; write for example --set max=99.'],
    ['./nowhere.ts', {}, 'nowhere.ts — '],
  ])('%s %j is refused', async (name, flags, message) => {
    await expect(printed(() => showTask(name, flags))).rejects.toThrow(message);
  });
});

// A whole suite of attacks takes seconds, and more beside other tests.
describe('check', { timeout: 120_000 }, () => {
  it('finds nothing in a task of the package', async () => {
    const text = await printed(() => checkTaskCommand('copy', { ...FEW, level: 0 }));
    expect(text).toMatch(/^\{"level":0\} .*chance 1.2 %.*\ncopy keeps every rule\n$/);
    expect(process.exitCode).toBeUndefined();
  });

  it.each([
    ['addition', ADDITION],
    ['sums', SUMS],
  ])(
    'passes the task %s of docs/own_task.md',
    async (name, text) => {
      expect(await printed(() => checkTaskCommand(fileOf(text), FEW))).toContain(`${name} keeps every rule`);
    },
    120_000,
  );

  it("passes the tutorial's task of a line, which has less than forty lines", async () => {
    expect(await printed(() => checkTaskCommand(fileOf(SHIFT), { ...FEW, level: 0 }))).toContain(
      'shift keeps every rule',
    );
    expect(SHIFT.split('\n').length).toBeLessThan(40);
  });

  it.each([
    ['answer !== String(a + b)', '!answer.startsWith(String(a + b))'],
    ['oracle: ({ a, b }) => String(a + b)', 'oracle: ({ a, b }) => String(a - b)'],
    ["if (finishReason === 'length') return truncated();", ''],
  ])('finds %s replaced by %s, and shows problem, answer and verdict', async (line, broken) => {
    expect(ADDITION).toContain(line);
    const text = await printed(() => checkTaskCommand(fileOf(ADDITION.replace(line, broken)), { ...FEW, level: 1 }));
    expect(text).toMatch(/\n {2}prompt {3}"[0-9]+\+[0-9]+="\n {2}answer {3}".*"\n {2}verdict {2}[01], /);
    expect(process.exitCode).toBe(1);
  });
});
