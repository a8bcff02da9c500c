/** maj@k: the chance that the commonest answer of k samples is right, over all ways to choose them; exact. */
import type { Verdict } from '../../../../../src/rewards/verdict.ts';

/** A sample by its normal form; one without has no vote. */
export type Vote = Pick<Verdict, 'score' | 'canonical'>;

/**
 * Where several answers are the commonest, each is taken as often as the others; where no sample has a vote, none is right.
 *
 * @param k  1 to the number of samples
 */
export function majorityAt(samples: readonly Vote[], k: number): number {
  const classes = new Map<string, { count: number; isRight: boolean }>();
  let blanks = 0;
  for (const { score, canonical } of samples) {
    if (canonical === undefined && score !== 1) {
      blanks++;
      continue;
    }
    const name = canonical ?? '';
    const known = classes.get(name) ?? { count: 0, isRight: false };
    classes.set(name, { count: known.count + 1, isRight: known.isRight || score === 1 });
  }
  const all = [...classes.values()];
  const won = all.reduce((sum, own) => {
    if (!own.isRight) return sum;
    const others = all.filter((other) => other !== own).map(({ count }) => count);
    return sum + waysToWin(own.count, others, blanks, k);
  }, 0);
  return won / binomial(samples.length, k);
}

/** Choices of k samples in which a class of this size is the commonest; with t others as common, 1 / (t + 1) of them. */
function waysToWin(size: number, others: readonly number[], blanks: number, k: number): number {
  let ways = 0;
  for (let taken = 1; taken <= Math.min(size, k); taken++) {
    const rest = k - taken;
    // [chosen][tied] ways to choose from the classes so far, none of which is commoner.
    let table = [[1]];
    for (const other of others) {
      const next: number[][] = [];
      table.forEach((row, chosen) => {
        row.forEach((count, tied) => {
          for (let own = 0; own <= Math.min(other, taken, rest - chosen); own++) {
            const [to, ties] = [chosen + own, own === taken ? tied + 1 : tied];
            next[to] ??= [];
            next[to][ties] = (next[to][ties] ?? 0) + count * binomial(other, own);
          }
        });
      });
      table = Array.from(next, (row) => Array.from(row ?? [], (count) => count ?? 0));
    }
    table.forEach((row, chosen) => {
      row.forEach((count, tied) => {
        ways += (binomial(size, taken) * count * binomial(blanks, rest - chosen)) / (tied + 1);
      });
    });
  }
  return ways;
}

/** 0 where k is more than n. */
function binomial(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let value = 1;
  for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
  return value;
}
