/** A small arena: killed at random moments and continued, or on two jobs, it comes to the same table. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../src/kernels/philox.ts';
import { budget } from '../support/budget.ts';
import { temporaryFolder } from './command_line.ts';

const KILLS = budget({ quick: 1, all: 2 });
const BENCH = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder.remove());

const TASK = `task: {name: sort_digits, digits: 2}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
stages:
`;
const FILES: Readonly<Record<string, string>> = {
  'start.yaml': `${TASK}  - {stage: sft, max_steps: 10, per_device_train_batch_size: 8, learning_rate: 2.0e-3}\n`,
  'task.yaml': `${TASK.replace(/model.*\n/, '')}  - {stage: grpo, max_steps: 10, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-3, reward_funcs: [positions], num_generations_eval: 16}\n`,
  'rows.yaml': `tasks: {digits: {config: task.yaml, start: start.yaml}}
blocks:
  tried:
    does: three methods
    baseline: grpo
    rows:
      - {id: grpo, of: [group]}
      - {id: rloo, of: [rloo], set: {advantage_estimator: rloo}}
      - {id: maxrl, of: [maxrl], set: {advantage_estimator: maxrl}}
`,
};

/** A folder with an arena of its own. */
function arena(name: string): string {
  const place = join(folder.path, name);
  mkdirSync(place);
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(place, file), text);
  return place;
}

/** One sitting. @returns its exit code; null where it was killed */
function sit(place: string, words: readonly string[] = [], killAfterMs?: number): Promise<number | null> {
  return new Promise((done) => {
    const where = ['--rows', join(place, 'rows.yaml'), '--runs', join(place, 'runs'), '--seeds', '1'];
    const child = spawn(process.execPath, [BENCH, 'arena', ...where, ...words], { stdio: 'ignore' });
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      done(code);
    });
  });
}

/** Without what the clock says. */
function tableOf(place: string): string {
  return readFileSync(join(place, 'RESULTS.md'), 'utf8').replaceAll(/× \d+\.\d+|\d+\.\d h/g, 'TIME');
}

describe('an arena', () => {
  it(`killed at ${KILLS} moments, or on two jobs, has the table of one that was not`, async () => {
    const whole = arena('whole');
    const start = performance.now();
    expect(await sit(whole)).toBe(0);
    const wholeMs = performance.now() - start;
    expect(tableOf(whole)).toContain('3 of 3 rows have all 1 seeds');

    const two = arena('two-jobs');
    expect(await sit(two, ['--jobs', '2'])).toBe(0);
    expect(tableOf(two)).toBe(tableOf(whole));

    const killed = arena('killed');
    const rng = rngFor(`arena kills|${KILLS}`);
    for (let kill = 0; kill < KILLS; kill++) await sit(killed, [], 300 + (rng.float() * wholeMs) / 2);
    // A run whose sitting was killed saves and ends by itself; one that still does so is tried again.
    let code: number | null = 1;
    for (let attempt = 0; attempt < 5 && code !== 0; attempt++) code = await sit(killed);
    expect(code).toBe(0);
    expect(tableOf(killed)).toBe(tableOf(whole));
  }, 240_000);

  it('names a row that cannot be trained before the first run', async () => {
    const place = arena('broken');
    writeFileSync(
      join(place, 'rows.yaml'),
      FILES['rows.yaml'].replace('set: {advantage_estimator: rloo}', 'set: {beta: -1}'),
    );
    expect(await sit(place)).toBe(1);
  });
});
