/** The client of the PyPI package openenv plays tasks of `rlvr-train env serve`: the example of docs/environments.md, and rewards that are those of `tasks score`. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blockOf } from '../../../../test/support/page_blocks.ts';

const PYTHON = process.env.RLVR_TEST_OPENENV ?? 'python3';
const COMMAND = new URL('../../../../dist/cli/main.js', import.meta.url).pathname;
const FOLDER = mkdtempSync(join(tmpdir(), 'served-tasks-'));
const server = spawn(process.execPath, [COMMAND, 'env', 'serve', 'gcd', 'guess_number', '--port', '0']);
let url = '';

beforeAll(async () => {
  let said = '';
  for await (const piece of server.stdout) {
    said += piece;
    if (said.includes('Ctrl-C')) break;
  }
  [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [''];
});
afterAll(() => void server.kill());

function python(text: string): string {
  writeFileSync(join(FOLDER, 'play.py'), text.replace('http://127.0.0.1:8000', url));
  return execFileSync(PYTHON, ['play.py'], { cwd: FOLDER, encoding: 'utf8' });
}

it('plays the example of the page', () => {
  const said = python(blockOf('docs/environments.md', '# play.py')).trim().split('\n');
  expect(said[0]).toMatch(/^What is the greatest common divisor of \d+, \d+\?$/);
  expect(said.at(-1)).toMatch(/^(1 \S.*|0 not the right number)$/);
});

interface Row {
  readonly answer: string;
  readonly prompt: string;
}

it('is paid as `tasks score` pays', () => {
  const run = (...words: readonly string[]): string =>
    execFileSync(process.execPath, [COMMAND, 'tasks', ...words], { encoding: 'utf8', stdio: 'pipe' });
  const exported = run('export', 'gcd', '--style', 'plain', '--count', '12', '--split', 'eval');
  const rows = exported
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row); // as tasks export writes them
  const completed = rows.map((row, i) => ({ ...row, completion: ['', row.answer, '<answer>7</answer>'][i % 3] }));
  const file = join(FOLDER, 'rows.jsonl');
  writeFileSync(file, completed.map((row) => JSON.stringify(row)).join('\n'));
  const scores = run('score', 'gcd', '--file', file).trim().split('\n');
  const rewards = python(`
import json
from openenv import GenericEnvClient
rows = [json.loads(line) for line in open("rows.jsonl")]
with GenericEnvClient(base_url="http://127.0.0.1:8000/gcd").sync() as env:
    for index, row in enumerate(rows):
        assert env.reset(split="eval", index=index).observation["text"] == row["prompt"]
        print(env.step({"text": row["completion"]}).reward)
`);
  expect(rewards.trim().split('\n').map(Number)).toEqual(
    scores.map((line) => (JSON.parse(line) as { score: number }).score),
  );
});

it('plays several turns, and says what is wrong in one line', () => {
  const said = python(`
from openenv import GenericEnvClient
with GenericEnvClient(base_url="http://127.0.0.1:8000/guess_number").sync() as env:
    env.reset(seed=1)
    done = False
    guess = 0
    while not done:
        result = env.step({"text": str(guess)})
        done, guess = result.done, guess + 1
    print(result.reward, env.state()["step_count"] > 1)
    try:
        env.reset(sed=1)
    except RuntimeError as error:
        print(error)
`);
  expect(said).toMatch(
    /^[01] True\nServer error: sed — not known here; did you mean seed\? \(code: VALIDATION_ERROR\)\n$/,
  );
});
