/** A small arena: killed as it goes and continued, or on two jobs, it comes to the same table. test/slow has ten kills. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { temporaryFolder } from './command_line.ts';
import { FILES, killedSitting, madeBy, makeArena, sit } from './small_arena.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('an arena', () => {
  it('that was killed while it trained has on two jobs the table of one that was not', async () => {
    const whole = makeArena(join(folder.path, 'whole'));
    expect(await sit(whole)).toBe(0);
    expect(madeBy(whole)[0]).toContain('3 of 3 rows have all 1 seeds');

    const killed = makeArena(join(folder.path, 'killed'));
    expect(await killedSitting(killed, rngFor('arena|one kill'), true)).toBe(null);
    expect(await sit(killed, ['--jobs', '2'])).toBe(0);
    expect(madeBy(killed)).toEqual(madeBy(whole));
  }, 240_000);

  it('names a row that cannot be trained before the first run', async () => {
    const place = makeArena(join(folder.path, 'broken'));
    writeFileSync(
      join(place, 'rows.yaml'),
      FILES['rows.yaml'].replace('set: {advantage_estimator: rloo}', 'set: {beta: -1}'),
    );
    expect(await sit(place)).toBe(1);
  }, 60_000);
});
