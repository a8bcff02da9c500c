/** What is said of a system beside plain GRPO, from the figures of its seeds. */
import { expect, it } from 'vitest';
import { textOf } from '../../catalogue/systems/shown.ts';
import type { Shown } from '../../catalogue/systems/system.ts';

const figures = (sampled: readonly number[], length: readonly number[]): Shown['own'] => ({
  greedy: sampled,
  sampled,
  pass: sampled,
  length,
  entropy: length,
  start: { greedy: sampled, sampled: [0.5, 0.51, 0.52], pass: sampled, length },
  seconds: 5.2,
});

it('a figure moves as claimed where the interval of its differences is beyond 0, on the side that is claimed', () => {
  const shown = { own: figures([0.8, 0.81, 0.82], [5, 6, 7]), plain: figures([0.7, 0.71, 0.72], [5, 6.5, 6]) };
  expect(textOf(shown, 'sampled up')).toBe(
    'Moves as claimed: sampled 81.0 %, without it 71.0 % (+10.0, +10.0 to +10.0; 3 seeds, 5.2 s each)',
  );
  expect(textOf(shown, 'sampled rises')).toContain('sampled 81.0 %, at the start 51.0 % (+30.0, ');
  expect(textOf({ own: shown.plain, plain: shown.own }, 'sampled up')).toMatch(
    /^No difference as claimed is seen at this size: /,
  );
  // Differences 0, −0.5 and 1: mean 1/6, standard error √(7/36), t 4.303.
  expect(textOf(shown, 'length down')).toContain('tokens 6.00, without it 5.83 (+0.17, −1.73 to +2.06; ');
  expect(textOf(shown, 'length up')).toMatch(/^No difference/);
});
