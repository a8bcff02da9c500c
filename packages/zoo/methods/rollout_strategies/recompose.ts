/**
 * The other completions count in the baseline and carry no loss; they wait in a buffer, and now and then take the places
 * of new groups, so that what is neither short nor long is not forgotten. RoRecomp, arXiv:2509.25958; how many are kept
 * is ours.
 */
import { ownLength } from '../../../../src/methods/support/rollouts/turns.ts';
import type { Json, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { integer, keys, meanOf, method, number } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { replayedGroup, requireStored, type StoredGroup, stored } from '../support/rollouts/stored_groups.ts';

export const recompose = method({
  id: 'recompose',
  about: {
    does: 'Trains on the shortest right and the longest wrong completions, and on the others now and then.',
    names: ['RoRecomp', 'response recomposition'],
    formula:
      'of a group: the keep_correct share of right ones, shortest first, and the keep_incorrect share of wrong ones, longest first; the rest every compensation_every steps',
    source: '2509.25958',
    certainty: 'after the paper',
    when: 'Where completions are longer than they need be; at short or fixed lengths it only drops data.',
  },
  options: keys({
    keepCorrect: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the right completions that are trained on at once, the shortest.'),
    keepIncorrect: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the wrong ones, the longest.'),
    compensationEvery: integer({ min: 0, max: 1_000_000, example: 4 })
      .default(4)
      .describe('Batches up to one that is made of what was left over, but for one group; 0: never.'),
    leftGroups: integer({ min: 1, max: 4096, example: 64 })
      .default(64)
      .describe('Groups whose rest is kept; beyond, the oldest are forgotten.'),
    ...SOLVED_OPTIONS,
  }),
  samplesOffPolicy: ({ compensationEvery }) => compensationEvery > 0,
  tells: ({ compensationEvery }) => (compensationEvery === 0 ? [] : ['replays']),
  create: ({ keepCorrect, keepIncorrect, compensationEvery, leftGroups, ...solved }): RolloutStrategy => {
    const kept = { keepCorrect, keepIncorrect, solves: solvedBy(solved) };
    let left: readonly StoredGroup[] = [];
    return {
      async rollOut(requests, next, { step, metric }) {
        const isDue = compensationEvery > 0 && (step + 1) % compensationEvery === 0;
        const count = isDue ? Math.min(left.length, requests.length - 1) : 0;
        const old = left.slice(0, count);
        const groups = await next(requests.slice(0, requests.length - count));
        const fresh: StoredGroup[] = [];
        const shares: number[] = [];
        const priority = groups.map((group) => {
          if (group.dead) return group;
          const now = keptOf(group, kept);
          shares.push(now.size / group.rollouts.length);
          if (now.size === group.rollouts.length) return group;
          fresh.push(stored(losing(group, now), step));
          return losing(group, new Set(group.rollouts.filter((one) => !now.has(one))));
        });
        left = compensationEvery === 0 ? [] : [...left.slice(count), ...fresh].slice(-leftGroups);
        metric('kept', meanOf(shares));
        metric('compensated', count / requests.length);
        return [...priority, ...old.map((group) => replayedGroup(group, step))];
      },
      state: () => left as unknown as Json, // plain data
      restore(state) {
        left = requireStored(state);
      },
    };
  },
});

interface Kept {
  readonly keepCorrect: number;
  readonly keepIncorrect: number;
  readonly solves: ReturnType<typeof solvedBy>;
}

/** What is trained on at once; of equal lengths the earlier ones. */
function keptOf({ rollouts }: RolloutGroup, { keepCorrect, keepIncorrect, solves }: Kept): ReadonlySet<Rollout> {
  const byLength = [...rollouts].sort((a, b) => ownLength(a) - ownLength(b));
  const right = byLength.filter(solves);
  const wrong = [...rollouts].sort((a, b) => ownLength(b) - ownLength(a)).filter((one) => !solves(one));
  return new Set([
    ...right.slice(0, Math.ceil(keepCorrect * right.length)),
    ...wrong.slice(0, Math.ceil(keepIncorrect * wrong.length)),
  ]);
}

/** The group with some of its completions out of the loss, but not out of the baseline. */
function losing(group: RolloutGroup, some: ReadonlySet<Rollout>): RolloutGroup {
  const rollouts = group.rollouts.map((one): Rollout => (some.has(one) ? { ...one, inLoss: false } : one));
  return { ...group, rollouts };
}
