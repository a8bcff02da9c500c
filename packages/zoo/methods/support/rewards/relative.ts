/** Values of a group beside each other. */

/**
 * Share of the others that each value beats; within `margin` two are tied, and each wins half.
 *
 * @returns as many; ½ for one alone
 */
export function winRates(values: readonly number[], margin: number): number[] {
  if (values.length < 2) return values.map(() => 0.5);
  return values.map((own, i) => {
    const points = values.map((other, j) => {
      // As the two were meant: 0.3 − 0.2 is 0.1, and no less.
      const ahead = Number((own - other).toPrecision(12));
      if (i === j) return 0;
      return Math.abs(ahead) <= margin ? 0.5 : ahead > 0 ? 1 : 0;
    });
    return points.reduce((sum: number, point) => sum + point, 0) / (values.length - 1);
  });
}

/** Largest less smallest value, as they were meant; 0 where there is none. */
export function spreadOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Number((Math.max(...values) - Math.min(...values)).toPrecision(12));
}
