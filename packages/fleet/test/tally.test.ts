/** What a learner says of its fleet: where it waits, and when further workers change nothing. */
import { expect, it } from 'vitest';
import { fleetLines, Tally } from '../tally.ts';

it('a learner that hardly waits says so, once, and not in the first minute', () => {
  let now = 0;
  const tally = new Tally(() => now);
  tally.begin();
  tally.sampledThere(10);
  tally.waited(1000);
  now = 30_000;
  expect(tally.diagnosis(2)).toBeUndefined();
  now = 100_000;
  expect(tally.diagnosis(2)).toBe('fleet: the learner is busy 99 % of the time: more workers change nothing');
  expect(tally.diagnosis(2)).toBeUndefined();
});

it('the time that is waited, and that weights take, is told by its share', () => {
  let now = 0;
  const tally = new Tally(() => now);
  tally.begin();
  tally.sampledThere(10);
  tally.sampledHere(2);
  tally.waited(60_000);
  tally.sent(5000, 1e6);
  tally.refused();
  now = 100_000;
  expect(tally.diagnosis(2)).toBeUndefined();
  expect(fleetLines(tally.figures(2))).toEqual([
    'fleet: 10 groups were sampled by workers, 2 by the learner, 1 refused; ' +
      'the learner waited 60 % of the time, 5 % for weights to be sent',
  ]);
});
