/**
 * The sum over a group is an unbiased gradient of the expected best reward of k tries; rewards may be any numbers.
 * `loo1` takes from each set of k the best that it would reach without the completion, which lowers the variance. Not
 * centred further.
 */
import { type AdvantageEstimator, areEqual, choice, groupByGroup, integer, key, keys, method } from '../kit.ts';
import { tooManyTries } from '../support/credit/group_size.ts';

export const pkpo = method({
  id: 'pkpo',
  about: {
    does: 'Credits completions with what they add to the best of k tries.',
    formula:
      'g ascending; loo1: A_a = Σ_{b<a} (g_a − g_b)·C(b−1, k−2)/C(n, k); plain: A_a = (C(a−1, k−1)·g_a + Σ_{b>a} C(b−2, k−2)·g_b)/C(n, k)',
    source: '2505.15201',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  options: keys({
    k: integer({ min: 1, example: 4 }).default(4).describe('Tries of which the best counts.'),
    withoutSelf: key(
      'variant',
      choice(['loo1', 'plain'], 'not a variant')
        .default('loo1')
        .describe('What a set of tries is compared with: its best without the completion (loo1), or 0 (plain).'),
    ),
  }),
  complete(options, refuse) {
    if (options.withoutSelf === 'loo1' && options.k < 2) {
      refuse('k', 'a single try has no other to be compared with; use 2 or more, or variant: plain');
    }
    return options;
  },
  conflict: ({ k }, _, { batch }) => tooManyTries(k, batch),
  create: ({ k, withoutSelf }): AdvantageEstimator =>
    groupByGroup((rewards) => {
      const tries = Math.min(k, rewards.length);
      if (withoutSelf === 'plain') return inOrder(rewards, (sorted) => plainCredit(sorted, tries));
      return inOrder(rewards, (sorted) => loo1Credit(sorted, tries));
    }),
});

/** Credits of the rewards in ascending order, put back into the order of the group. */
function inOrder(rewards: readonly number[], creditOf: (sorted: readonly number[]) => readonly number[]): number[] {
  const order = rewards.map((_, i) => i).sort((a, b) => rewards[a] - rewards[b]);
  const credit = creditOf(order.map((i) => rewards[i]));
  const own = new Array<number>(rewards.length);
  order.forEach((i, place) => {
    own[i] = credit[place];
  });
  return own;
}

/** With places from 0: the place a of the formula is a + 1. */
function plainCredit(sorted: readonly number[], k: number): number[] {
  const size = sorted.length;
  return sorted.map((reward, a) => {
    let credit = chooseShare(a, k - 1, size, k) * reward;
    for (let b = a + 1; b < size; b++) credit += chooseShare(b - 1, k - 2, size, k) * sorted[b];
    return credit;
  });
}

function loo1Credit(sorted: readonly number[], k: number): number[] {
  if (areEqual(sorted)) return sorted.map(() => 0);
  return sorted.map((reward, a) => {
    let credit = 0;
    for (let b = 0; b < a; b++) credit += (reward - sorted[b]) * chooseShare(b, k - 2, sorted.length, k);
    return credit;
  });
}

/** C(m, j)/C(n, k) for j ≤ k ≤ n and m ≤ n, by factors near 1: the binomials themselves may be beyond a double. */
function chooseShare(m: number, j: number, n: number, k: number): number {
  if (j < 0 || j > m) return 0;
  let share = 1;
  for (let i = 0; i < j; i++) share *= (m - i) / (n - i);
  for (let i = j; i < k; i++) share *= (i + 1) / (n - i); // C(n, j) to C(n, k)
  return share;
}
