/**
 * Advantages are those of the completions that are kept. The subset of greatest variance is made of the lowest and the
 * highest rewards (arXiv:2504.13818), so only as many cuts are compared as it has members.
 */
import type { Rng } from '../../../../src/kernels/philox.ts';
import { ownLength } from '../../../../src/methods/support/rollouts/turns.ts';
import { choice, integer, isRight, keys, meanOf, method, type Rollout, type RolloutStrategy } from '../kit.ts';
import { resized } from '../support/rollouts/request_members.ts';

const RULES = {
  random: randomly,
  variance: byVariance,
  balanced: byVerdict,
  shortest: (rollouts: readonly Rollout[], count: number) => best(rollouts, count, (one) => -ownLength(one)),
  efficient: (rollouts: readonly Rollout[], count: number) =>
    best(rollouts, count, (one) => (one.reward ?? Number.NEGATIVE_INFINITY) / Math.max(1, ownLength(one))),
} as const;

export const oversampleSelect = method({
  id: 'oversample-select',
  about: {
    does: 'Samples more completions of each problem than are trained on, and keeps some of them by a rule.',
    names: ['PODS', 'max-variance down-sampling', 'GFPO', 'group filtered policy optimization'],
    formula:
      'num_generations of oversampling·num_generations: the subset of greatest variance, half of it right, the shortest, those of most reward a token, or any',
    source: '2504.13818',
    certainty: 'paper',
  },
  against: ['few-live-groups'],
  options: keys({
    oversampling: integer({ min: 2, max: 64, example: 2 })
      .default(2)
      .describe('Completions for each one that is kept.'),
    keptBy: choice(['variance', 'balanced', 'random', 'shortest', 'efficient'], 'not a way to choose completions')
      .default('variance')
      .describe(
        'variance: rewards differ most; balanced: half of them right, as far as there are; shortest; efficient: most ' +
          'reward a token, arXiv:2508.09726; random.',
      ),
  }),
  readsVerdicts: ({ keptBy }) => keptBy === 'balanced',
  work: ({ oversampling }) => ({ samples: oversampling }),
  create: ({ oversampling, keptBy }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, { rng, metric, regroup }) {
      const groups = await next(requests.map((request) => resized(request, oversampling * request.samples)));
      metric('reward', meanOf(groups.flatMap(({ rollouts }) => rollouts.flatMap(({ reward }) => reward ?? []))));
      return groups.map((group, i) => {
        const { rollouts } = group;
        const { samples: count } = requests[i] ?? { samples: numGenerations }; // one that a strategy after this one added
        if (rollouts.length <= count) return group;
        const kept = RULES[keptBy](rollouts, count, rng);
        return regroup(
          group,
          [...kept].sort((a, b) => a - b).map((i) => rollouts[i]),
        );
      });
    },
  }),
});

/** Places of rollouts, in any order. */
type Places = readonly number[];

function randomly(rollouts: readonly Rollout[], count: number, rng: Rng): Places {
  return rng.shuffle(rollouts.map((_, i) => i)).slice(0, count);
}

/** Those of the highest figure; of equal ones the earlier. */
function best(rollouts: readonly Rollout[], count: number, figure: (rollout: Rollout) => number): Places {
  const figures = rollouts.map(figure);
  return rollouts
    .map((_, i) => i)
    .sort((a, b) => figures[b] - figures[a] || a - b)
    .slice(0, count);
}

/** Half of them right, or as many as there are; which of them is left to chance. */
function byVerdict(rollouts: readonly Rollout[], count: number, rng: Rng): Places {
  const places = rng.shuffle(rollouts.map((_, i) => i));
  const right = places.filter((i) => isRight(rollouts[i]));
  const wrong = places.filter((i) => !isRight(rollouts[i]));
  const most = Math.min(right.length, Math.max(Math.floor(count / 2), count - wrong.length));
  return [...right.slice(0, most), ...wrong.slice(0, count - most)];
}

/** Completions without a reward fill up places that no other takes. */
function byVariance(rollouts: readonly Rollout[], count: number): Places {
  const rewardAt = (i: number): number | null => rollouts[i].reward;
  const places = rollouts.map((_, i) => i);
  const known = places.filter((i) => rewardAt(i) !== null);
  if (known.length <= count) {
    return [...known, ...places.filter((i) => rewardAt(i) === null).slice(0, count - known.length)];
  }
  const sorted = known.sort((a, b) => Number(rewardAt(a)) - Number(rewardAt(b)) || a - b);
  let best: Places = [];
  let most = Number.NEGATIVE_INFINITY;
  for (let low = 0; low <= count; low++) {
    const chosen = [...sorted.slice(0, low), ...sorted.slice(sorted.length - (count - low))];
    const spread = squaresAround(chosen.map((i) => Number(rewardAt(i))));
    if (spread > most) [best, most] = [chosen, spread];
  }
  return best;
}

/** Sum of squares around the mean. */
function squaresAround(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
