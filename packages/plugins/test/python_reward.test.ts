/**
 * A reward that is a function in Python, whose interpreter is a program for Node that speaks the same lines; the
 * program for Python itself is tested where Python is (`packages/zoo/test/python`).
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import type { RewardBatch } from '../../../src/rewards/reward_function.ts';
import { getReward } from '../../../src/rewards/reward_list.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { REWARD_BATCH } from '../../../test/support/reward_batch.ts';
import { importedFiles } from '../imported_files.node.ts';
import { openPlugins } from '../open_plugins.node.ts';

/** Answers like the program for Python: the file's own text says how. */
const STAND_IN = `#!/usr/bin/env node
const { readFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
let how;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { nonce, content } = JSON.parse(line);
  const say = (answer) => process.stdout.write(JSON.stringify({ nonce, content: answer }) + '\\n');
  if (content.load) {
    how = readFileSync(content.load.path, 'utf8').trim();
    if (how === 'print') process.stdout.write('no answer\\n' + JSON.stringify({ nonce: 'x', content: { type: 'ready' } }) + '\\n');
    if (how === 'refuse') return say({ type: 'refused', rule: 'fails: r.py:3: NameError: x; correct it' });
    if (how === 'lacks') return say({ type: 'refused', rule: 'has no function f; it has g', facts: { key: 'function', value: 'f' } });
    return say({ type: 'ready' });
  }
  if (how === 'throw') return say({ type: 'threw', thrown: 'r.py:12: ValueError: odd' });
  if (how === 'exit') process.exit(3);
  if (how === 'hang') return;
  const { completions, prompts, answer, completion_ids, trainer_state } = content.score;
  const values = completions.map((text, i) => text.length + prompts[i].length + completion_ids[i].length + trainer_state.global_step);
  say({ type: 'scores', values: answer[0] === 'none' ? values.map(() => null) : values, logs: { columns: [], metrics: [] } });
});
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlvr-python-'));
  writeFileSync(join(folder, 'python.cjs'), STAND_IN);
  chmodSync(join(folder, 'python.cjs'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a config with such a file, in a run directory of its own. */
async function opened(text: string, more = '', stages = '') {
  writeFileSync(join(folder, 'r.py'), `${text}\n`);
  const file = join(folder, 'c.yaml');
  const entry = `{name: python, file: r.py, function: f, python: ./python.cjs${more}}`;
  const yaml = `task: sort_digits\nmax_steps: 1\nreward_timeout: 5\nreward_funcs: [${entry}]\n${stages}`;
  const asked: string[] = [];
  const approve = async (files: readonly { readonly name: string }[]): Promise<void> => {
    asked.push(...files.map(({ name }) => name));
  };
  const options = { file, directory: join(folder, 'run'), announce: () => {}, approve };
  const plugins = await openPlugins(parseConfig(yaml, { file }), options);
  onTestFinished(() => plugins.close());
  const [stage] = plugins.config.stages;
  if (stage.stage !== 'grpo' || plugins.rewards === 'unused') throw new Error('a grpo stage with rewards');
  const [{ name, weight: _, ...given }] = stage.rewards;
  return { plugins, asked, given, reward: getReward(plugins.registries.rewards, name, given, plugins.rewards) };
}

const right = { score: 1, status: 'correct', reason: 'right' } as const;
const batch: RewardBatch = { ...REWARD_BATCH, verdicts: [right, right] };

describe('a reward in Python', () => {
  it('is asked for as code, gets the lists of TRL, and gives numbers', async () => {
    const { reward, asked, plugins, given } = await opened('score');
    expect(asked).toEqual(['r.py']);
    expect(reward.name).toBe('f');
    expect(await reward.score(batch)).toEqual([7, 9]);
    const none = batch.items.map((item) => ({ ...item, answer: 'none' }));
    expect(await reward.score({ ...batch, items: none })).toEqual([null, null]);
    expect(Object.keys(plugins.modules)).toEqual([expect.stringMatching(/r\.py$/)]);
    expect(given).toMatchObject({ file: '../r.py', python: join(folder, 'python.cjs') });
    expect(resolvedYaml(plugins.config)).toContain('file: ../r.py');
  });

  it('is one process for stages that name it alike', async () => {
    const stages = 'stages: [{stage: grpo, max_steps: 1}, {stage: grpo, max_steps: 2}]\n';
    const { plugins } = await opened('score', '', stages);
    const files = plugins.config.stages.map((stage) => stage.stage === 'grpo' && stage.rewards[0]?.file);
    expect(files).toEqual(['../r.py', '../r.py']);
  });

  it('may print what is no answer', async () => {
    const { reward } = await opened('print');
    expect(await reward.score(batch)).toEqual([7, 9]);
  });

  it.each([
    ['refuse', '', /c\.yaml:4 {2}reward_funcs\.0: python — fails: r\.py:3: NameError: x; correct it\./],
    ['lacks', '', /reward_funcs\.0\.function: f — has no function f; it has g\./],
    ['throw', '', /reward "f" \(.*r\.py\) failed.*: r\.py:12: ValueError: odd — correct it, or give null/],
    ['exit', '', /reward "f" \(.*r\.py\) ended its process \(exit code 3\)/],
    ['score', ', signature: hf', /signature: "hf" — not one of the choices; use trl, verl/],
    ['score', ', scale: 2', /scale: 2 — .*python/],
  ])('%s%s is said with its line', async (text, more, message) => {
    await expect(opened(text, more)).rejects.toThrow(message);
  });

  it('that gives nothing in time is ended', async () => {
    await expect(opened('hang')).rejects.toThrow(/gave nothing within 5 s .* or raise reward_timeout/);
  }, 20_000);

  it('without a Python says how to name one', async () => {
    writeFileSync(join(folder, 'r.py'), 'score');
    const file = join(folder, 'c.yaml');
    const yaml =
      'task: sort_digits\nmax_steps: 1\nreward_funcs: [{name: python, file: r.py, function: f, python: no-such-python}]\n';
    await expect(openPlugins(parseConfig(yaml, { file }), { file, announce: () => {} })).rejects.toThrow(
      /reward_funcs\.0\.python: no-such-python — does not run here; install Python 3, or name another by python/,
    );
  });

  it('has the files that it imports among those that decide its values', async () => {
    mkdirSync(join(folder, 'words'), { recursive: true });
    writeFileSync(join(folder, 'words', '__init__.py'), 'from .count import n\n');
    writeFileSync(join(folder, 'words', 'count.py'), 'n = 1\n');
    writeFileSync(join(folder, 'helper.py'), 'import os\n');
    writeFileSync(
      join(folder, 'r.py'),
      'import math\nimport helper as h\nfrom words import n\nfrom torch.nn import x\n',
    );
    expect(await importedFiles(join(folder, 'r.py'))).toEqual([
      join(folder, 'helper.py'),
      join(folder, 'words', '__init__.py'),
      join(folder, 'words', 'count.py'),
    ]);
  });
});
