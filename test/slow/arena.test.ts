/** A small arena that is killed at ten moments while it trains, by itself and with the run it trains: `npm run test:slow arena`. */
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rngFor } from '../../src/kernels/philox.ts';
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

  const killed = makeArena(join(folder.path, 'killed'));
  const rng = rngFor('arena|ten kills');
  const codes: (number | null)[] = [];
  // Three of them leave a run behind, which may come to its end: of the four runs one is left for the last kill.
  for (let kill = 0; kill < KILLS; kill++) codes.push(await killedSitting(killed, rng, kill % 4 !== 0));
  expect(codes).toEqual(codes.map(() => null)); // each of them hit an arena that was under way
  expect(await sit(killed)).toBe(0);
  expect(madeBy(killed)).toEqual(madeBy(whole));
});
