/** A problem that was never asked counts as p = 1/2, one that is always or never solved as `floor`. */
import type { TaskItem } from '../../../../src/data/task.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { integer, keys, method, number, type PromptSource } from '../kit.ts';

/** `Rng.weighted` takes whole numbers. */
const PARTS = 1_000_000;

export const prioritized = method({
  id: 'prioritized',
  about: {
    does: 'Prefers problems that are solved about half of the time.',
    formula: 'chance ∝ floor + p·(1 − p)',
    source: 'own',
    certainty: 'own',
  },
  against: ['few-live-groups'],
  options: keys({
    candidates: integer({ min: 2, max: 64, example: 4 }).default(4).describe('Problems drawn for each one asked.'),
    floor: number({ above: 0, max: 1, example: 0.05 })
      .default(0.05)
      .describe('What a problem that is always or never solved weighs; one solved half of the time weighs 0.25 more.'),
  }),
  uses: () => [ledger()],
  create: ({ candidates, floor }): PromptSource => ({
    async next(count, draw, { rng, ledger }) {
      const weightOf = (item: TaskItem): number => {
        const solved = ledger.get(item)?.solved ?? 0.5;
        return Math.round(PARTS * (floor + solved * (1 - solved)));
      };
      const all = await draw(count * candidates);
      return Array.from({ length: count }, (_, place) => {
        const drawn = all.slice(place * candidates, (place + 1) * candidates);
        return drawn[rng.weighted(drawn.map(weightOf))];
      });
    },
  }),
});
