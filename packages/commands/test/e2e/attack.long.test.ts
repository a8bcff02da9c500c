/** The attack as it is typed; how many texts it tries is not judged here, as each task's own test tries some thousands. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const attack = (...flags: readonly string[]) =>
  promisify(execFile)(process.execPath, ['tools/attack.mjs', ...flags], {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  });

it('a task under attack: right answers, attempts of every kind, and no wrong verdict', async () => {
  const { stdout } = await attack('--task', 'gcd', '--attempts', '3000');
  const [, right, attempts, rightAfterAll, wrong] = /^gcd +(\d+) +(\d+) +(\d+) +(\d+) /m.exec(stdout) ?? [];
  expect(right).toBe('1000');
  expect(Number(attempts)).toBeGreaterThanOrEqual(3000);
  expect(Number(rightAfterAll)).toBeGreaterThan(100);
  expect(wrong).toBe('0');
  expect(stdout).toMatch(/^in look-alikes +\d+ +\d+$/m);
}, 120_000);

it('an unknown task is refused in one line', async () => {
  const refused = await attack('--task', 'gdc').catch((error: { readonly code: number; stderr: string }) => error);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toBe(
    '--task: gdc — no such task; use --attempts N, --task NAME of rlvr-train tasks ls, --seed TEXT.\n',
  );
}, 60_000);
