/**
 * A problem is weak if it was never solved half of the time and is solved less and less. Some places of each batch go to
 * categories (a task of the run, at its level), to each by its share of the weak problems.
 */
import { categoryOf, type Ledger } from '../../../../src/methods/ledger.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { keys, method, number, type PromptSource, STARVED } from '../kit.ts';
import { CATEGORY_DRAWS, drawOf } from '../support/prompts/drawn.ts';

/** A problem that was solved more often than this, ever, is not weak. */
const WEAK_BELOW = 0.5;

export const weakness = method({
  id: 'weakness',
  about: {
    does: 'Asks more problems of the tasks and levels at which the policy is getting worse.',
    names: ['SwS'],
    formula: 'weak: max p_i < 0.5 and a falling line through p_1 … p_n; places N·share·f_d/Σf, f_d weak problems of d',
    source: '2506.08989',
    certainty: 'after the paper',
    when: 'For several tasks of which one is being forgotten; it needs several visits before it can tell a trend from noise.',
  },
  options: keys({
    share: number({ above: 0, max: 1, example: 0.3 })
      .default(0.3)
      .describe('Share of the places that go to weak categories.'),
    weakDraws: CATEGORY_DRAWS,
  }),
  uses: () => [ledger({ history: true })],
  create: ({ share, weakDraws }): PromptSource => ({
    async next(count, draw, { ledger, rng, metric }) {
      const weak = weakProblems(ledger);
      const categories = [...weak.keys()];
      const weights = [...weak.values()];
      const places = categories.length === 0 ? [] : Array.from({ length: count }, () => rng.float() < share);
      const directed = places.filter((isDirected) => isDirected).map(() => categories[rng.weighted(weights)]);
      const items = [...(await draw(count - directed.length))];
      for (const category of directed) items.push(await drawOf(category, draw, weakDraws));
      const missed = directed.filter((category, i) => categoryOf(items[count - directed.length + i]) !== category);
      metric(STARVED, missed.length / count);
      metric(
        'problems',
        weights.reduce((sum, weight) => sum + weight, 0),
      );
      return items;
    },
  }),
});

/** The weak problems of each category, counted; categories that have some. */
export function weakProblems(ledger: Pick<Ledger, 'entries'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, { history = [], category = '' }] of ledger.entries()) {
    if (history.length < 2 || Math.max(...history) >= WEAK_BELOW || slopeOf(history) >= 0) continue;
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return counts;
}

/** Slope of the line of least squares through equally spaced values, up to a positive factor. */
function slopeOf(values: readonly number[]): number {
  const centre = (values.length - 1) / 2;
  return values.reduce((sum, value, i) => sum + (i - centre) * value, 0);
}
