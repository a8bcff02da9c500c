/** The comparison of training and held-out problems as it is typed. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const splits = (...flags: readonly string[]) =>
  promisify(execFile)(process.execPath, ['tools/splits.mjs', ...flags], {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  });

it.each([
  ['dyck', ['--train', '5000', '--held-out', '500'], 5000, 500],
  ['sort_digits', ['--train', '100000'], 7891, 2109],
])(
  '%s: training problems and held-out ones, none in common',
  async (task, flags, leastTrained, leastHeldOut) => {
    const { stdout } = await splits('--task', task, ...flags);
    const [, trained, heldOut, inCommon] = /^\w+ +(\d+) +(\d+) +(\d+) /m.exec(stdout) ?? [];
    expect(Number(trained)).toBeGreaterThanOrEqual(leastTrained);
    expect(Number(heldOut)).toBeGreaterThanOrEqual(leastHeldOut);
    expect(inCommon).toBe('0');
  },
  120_000,
);

it('an unknown task is refused in one line', async () => {
  const refused = await splits('--task', 'dcyk').catch((error: { readonly code: number; stderr: string }) => error);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/^--task: dcyk — no such task; use --task NAME .*\n$/);
}, 60_000);
