/** Before the first step of reinforcement: whether the samples solve anything, and whether they leave anything to learn. */
import { expect, it } from 'vitest';
import { startLines } from '../../src/cli/display/reporter.ts';

it.each([
  {
    samples: 4,
    reach: { problems: 32, once: 9, always: 0 },
    says: ['9 of 32 problems are solved at least once by 4 samples, none of them always: there is something to learn'],
  },
  {
    samples: 4,
    reach: { problems: 32, once: 30, always: 12 },
    says: ['30 of 32 problems are solved at least once by 4 samples, 12 of them always: there is something to learn'],
  },
  {
    samples: 1,
    reach: { problems: 500, once: 9, always: 9 },
    says: ['9 of 500 problems are solved by one sample each: there is something to learn'],
  },
  {
    samples: 2,
    reach: { problems: 8, once: 8, always: 8 },
    says: ['8 of 8 problems are solved at least once by 2 samples, 8 of them always: nothing is left to learn of them'],
  },
  { samples: 4, reach: { problems: 32, once: 0, always: 0 }, says: [] },
  { samples: 4, reach: undefined, says: [] },
])('$reach with $samples samples', ({ samples, reach, says }) => {
  expect(startLines({ samples, reach })).toEqual(says.map((line) => `  start     ${line}`));
});
