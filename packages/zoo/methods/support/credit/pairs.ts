/** Comparing two completions by their rewards. */
import { keys, number } from '../../../../../src/options/keys.ts';

export const PAIR_OPTIONS = keys({
  tieMargin: number({ min: 0, example: 0.05 })
    .default(0)
    .describe('Rewards that differ by no more than this are a draw.'),
});

/** 1 where the first is better, −1 where the second is, 0 for a draw. */
export type Comparator = (first: number, second: number) => -1 | 0 | 1;

export function comparatorOf({ tieMargin }: { readonly tieMargin: number }): Comparator {
  return (first, second) => {
    if (Math.abs(first - second) <= tieMargin) return 0;
    return first > second ? 1 : -1;
  };
}
