/** Each fault that `npm run mutants` plants still fits the source. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('every planted fault has its place in the source, once', () => {
  expect(execFileSync(process.execPath, ['tools/mutants.mjs', '--check'], { encoding: 'utf8' })).toMatch(
    /^\d+ faults fit the source\.$/m,
  );
});
