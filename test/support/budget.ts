/** How much is drawn: `npm test` keeps to seconds at the keyboard, every other run of the tests takes all. */

const IS_QUICK = process.env.RLVR_TEST_BUDGET === 'quick';

/** The number of draws, kills or combinations of a test: `all` in `npm run test:all` and in CI. */
export function budget({ quick, all }: { readonly quick: number; readonly all: number }): number {
  return IS_QUICK ? quick : all;
}

/** All of a table, or in `npm test` a few of its rows at even distances, the first among them. */
export function fewOf<T>(rows: readonly T[], quick: number): readonly T[] {
  if (!IS_QUICK || rows.length <= quick) return rows;
  return Array.from({ length: quick }, (_, index) => rows[Math.floor((index * rows.length) / quick)]);
}
