/** `rlvr-train serve` and `env serve`: a run, and tasks, are served to other programs until the command is told to end. */
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
  await served(['serve', run, '--threads', '1'], async (url) => {
    const body = { model: 'small', prompt, seed: 4, temperature: 1, return_token_ids: true };
    const response = await fetch(`${url}/completions`, { method: 'POST', body: JSON.stringify(body) });
    const { choices } = (await response.json()) as { choices: { text: string; token_ids: number[] }[] };
    const { completion, tokens } = JSON.parse(stdout) as { completion: string; tokens: number[] };
    expect(choices).toMatchObject([{ text: completion, token_ids: tokens }]);
  });
}, 120_000);

it('serves tasks, with the knobs of the command line', async () => {
  await served(['env', 'serve', 'gcd', 'wordle', '--level', '1'], async (url) => {
    expect(await (await fetch(`${url}/list_environments`)).json()).toEqual(['gcd', 'wordle']);
  });
  const { stderr } = await commandLine(['env', 'serve', 'gdc']);
  expect(stderr).toMatch(/^task\.name: "gdc" — no such task .*\n$/);
}, 120_000);

/** Runs the command at a free port until `use` is done. */
async function served(words: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--port', '0']);
  try {
    let said = '';
    for await (const piece of child.stdout) {
      said += piece;
      if (said.includes('Ctrl-C')) break;
    }
    const [url] = /http:\/\/127\.0\.0\.1:\d+(\/v1)?/.exec(said) ?? [''];
    await use(url);
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
}
