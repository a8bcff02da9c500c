/** `data show`: problems as the model sees them, before anything is trained. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { messageOf, run } from '../../../../test/cli/called.ts';
import { folderOfFile } from '../../../../test/support/folders.ts';

const folder = folderOfFile();
const rows = join(folder, 'q.csv');
const lines = Array.from({ length: 50 }, (_, i) => `"${i} + 1, in words?",${i + 1}`);
writeFileSync(rows, ['question,answer', ...lines, ''].join('\n'));

const COLUMN = ['--set', 'task.prompt=question'];

it('shows rows of a file with their place, prompt, answer and tokens, and how few are held out', async () => {
  const { error, out } = await run('data', 'show', rows, ...COLUMN, '-n', '2');
  expect(error).toBeUndefined();
  expect(out.match(/q\.csv:\d+ {2}prompt \d+ tokens\n {2}\d+ \+ 1, in words\?\n {2}right {3}\d+\n/g)).toHaveLength(2);
  expect(out).toMatch(/\d+ to train on, \d+ held out\nonly \d+ problems are held out/);
});

it('gives the same as JSON, with the verdict of the answer alone', async () => {
  const { out } = await run('data', 'show', rows, ...COLUMN, '--json');
  const problems = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(problems).toHaveLength(3);
  for (const { item, prompt, promptTokens, verdict } of problems) {
    expect(prompt).toBe(item.prompt);
    expect(promptTokens).toBe(item.prompt.length);
    expect(verdict.score).toBe(1);
  }
});

it('shows what a config asks, and its own rows in place of those of the config', async () => {
  const sorted = await run('data', 'show', '--config', 'sort-digits', '-n', '1');
  expect(sorted.out).toMatch(/right {3}\d+/);
  const config = join(folder, 'my.yaml');
  writeFileSync(config, 'task: {name: dataset, train: none.jsonl, prompt: question}\nmax_steps: 1\n');
  expect((await run('data', 'show', rows, '--config', config, '-n', '1')).out).toContain('in words?');
});

it('takes a config that does not say for how long is trained, and one whose stages do', async () => {
  const config = join(folder, 'endless.yaml');
  writeFileSync(config, 'task: {name: sort_digits, digits: 3}\nwarmup_steps: 50\n');
  expect((await run('data', 'show', '--config', config, '-n', '1')).out).toMatch(/right {3}\d{3}\n/);
  expect((await run('data', 'show', '--config', 'countdown', '-n', '1')).out).toMatch(/ = \d+ \?/);
});

it('says what is wrong with a file, as a training would', async () => {
  const asked = ['data', 'show', rows, '--set', 'task.prompt=text'];
  expect(await messageOf(asked)).toContain('no column "text" (there are question, answer)');
  expect(await messageOf(['data', 'show', join(folder, 'none.csv')])).toContain('no such file');
});

it('shows each token, and which have a loss', async () => {
  const file = join(folder, 'turns.jsonl');
  const turns = (i: number) => [
    { role: 'user', content: `${i} ` },
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'b\n' },
    { role: 'assistant', content: `${i}` },
  ];
  writeFileSync(file, Array.from({ length: 50 }, (_, i) => JSON.stringify({ messages: turns(i + 10) })).join('\n'));
  const { error, out } = await run('data', 'show', file, '--tokens', '-n', '1');
  expect(error).toBeUndefined();
  expect(out).toMatch(/\n {2}- (\d)│(\d)│␣\n {2}\+ a│<eos>\n {2}- b│⏎\n {2}\+ \1│\2│<eos>\n/);
  const { tokens } = JSON.parse((await run('data', 'show', file, '--tokens', '--json', '-n', '1')).out);
  expect(tokens[3]).toEqual({ id: expect.any(Number), text: 'a', hasLoss: true });
});
