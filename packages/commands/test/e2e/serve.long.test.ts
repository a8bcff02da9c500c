/** `rlvr-train serve`: the command serves a run until it is told to end, to programs that speak OpenAI's API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandLine, PROGRAM, SMALL_CONFIG, temporaryFolder, writeConfig } from './command_line.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('answers as `sample` does, and ends when it is told to', async () => {
  const run = join(folder.path, 'small');
  const trained = await commandLine(['--config', writeConfig(folder.path, SMALL_CONFIG), '--output', run]);
  expect(trained.stderr).toBe('');
  const prompt = 'abc>';
  const { stdout } = await commandLine(['sample', run, prompt, '--json', '-t', '1', '--seed', '4']);
  const child = spawn(process.execPath, [PROGRAM, 'serve', run, '--port', '0', '--threads', '1']);
  try {
    let said = '';
    for await (const piece of child.stdout) {
      said += piece;
      if (said.includes('Ctrl-C')) break;
    }
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(said) ?? [''];
    const body = { model: 'small', prompt, seed: 4, temperature: 1, return_token_ids: true };
    const response = await fetch(`${url}/completions`, { method: 'POST', body: JSON.stringify(body) });
    const { choices } = (await response.json()) as { choices: { text: string; token_ids: number[] }[] };
    const { completion, tokens } = JSON.parse(stdout) as { completion: string; tokens: number[] };
    expect(choices).toMatchObject([{ text: completion, token_ids: tokens }]);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
}, 120_000);
