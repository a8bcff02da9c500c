/**
 * A small arena that is killed at ten moments while it trains, by itself and with the run it trains, and one whose disk is full:
 * `npm run test:slow arena`.
 */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { temporaryFolder } from '../e2e/command_line.ts';
import { killedSitting, madeBy, makeArena, sit } from '../e2e/small_arena.ts';

const KILLS = 10;
const folder = temporaryFolder();
afterAll(() => folder.remove());

it(`killed at ${KILLS} moments it has the table and the records of one that was not, and so on two jobs`, async () => {
  const whole = makeArena(join(folder.path, 'whole'));
  expect(await sit(whole)).toBe(0);
  const two = makeArena(join(folder.path, 'two-jobs'));
  expect(await sit(two, ['--jobs', '2'])).toBe(0);
  expect(madeBy(two)).toEqual(madeBy(whole));

  // Whether a kill comes before the end is up to the machine: an arena that was faster has the same table, and another is begun.
  const rng = rngFor('arena|ten kills');
  const arenas = [makeArena(join(folder.path, 'killed-1'))];
  for (let kills = 0; kills < KILLS; ) {
    const killed = arenas[arenas.length - 1];
    // After some kills the training process lives on, and may finish its run.
    const code = await killedSitting(killed, rng, kills % 4 !== 0);
    if (code === null) kills++;
    else {
      expect(code).toBe(0);
      arenas.push(makeArena(join(folder.path, `killed-${arenas.length + 1}`)));
    }
  }
  expect(arenas.length).toBeLessThanOrEqual(KILLS / 2);
  for (const killed of arenas) {
    expect(await sit(killed)).toBe(0);
    expect(madeBy(killed)).toEqual(madeBy(whole));
  }
});

it.runIf(existsSync('/dev/full'))('a disk that is full as a record or the table is written loses neither', async () => {
  const full = makeArena(join(folder.path, 'full'));
  mkdirSync(join(full, 'records'));
  for (const file of ['records/digits-tried.jsonl', 'RESULTS.md']) symlinkSync('/dev/full', join(full, `${file}.new`));
  expect(await sit(full)).toBe(1);
  expect(await sit(full)).toBe(0);
  expect(madeBy(full)).toEqual(madeBy(join(folder.path, 'whole')));
});
