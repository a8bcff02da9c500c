/**
 * Scores of steps only choose: no reward is made of them, which a policy would learn to please.
 *
 *   of n = oversampling·m: right by falling, wrong by rising mean step score; min(n₊, max(⌊m/2⌋, m − n₋)) of the right ones
 */
import type { Rng } from '../../../../src/kernels/philox.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { choice, integer, isRight, keys, meanOf, method, type Rollout, type RolloutStrategy } from '../kit.ts';
import { resized } from '../support/rollouts/request_members.ts';

export const prof = method({
  id: 'prof',
  about: {
    does: 'Samples more completions than are trained on, and keeps those whose steps bear out their verdict.',
    names: ['PROF', 'process consistency filter'],
    formula:
      'of oversampling·num_generations: right ones of the highest mean step score, wrong ones of the lowest, half of each',
    source: '2509.03403',
    certainty: 'paper',
  },
  options: keys({
    oversampling: integer({ min: 2, max: 64, example: 2 })
      .default(2)
      .describe('Completions for each one that is kept.'),
    filters: choice(['both', 'right'], 'not a way to filter')
      .default('both')
      .describe('right: wrong completions are left out by chance, for steps that are scored unreliably; both.'),
  }),
  uses: () => [solutionSteps],
  readsVerdicts: true,
  work: ({ oversampling }) => ({ samples: oversampling }),
  create: ({ oversampling, filters }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, { rng, metric, regroup }) {
      const groups = await next(requests.map((request) => resized(request, oversampling * request.samples)));
      const all = groups.flatMap(({ rollouts }) => rollouts);
      const kept = groups.map((group, i) => {
        const { samples: count } = requests[i] ?? { samples: numGenerations }; // one that a strategy after this one added
        if (group.rollouts.length <= count) return group;
        const places = consistent(group.rollouts, count, filters, rng);
        return regroup(
          group,
          [...places].sort((a, b) => a - b).map((place) => group.rollouts[place]),
        );
      });
      const trained = kept.flatMap(({ rollouts }) => rollouts);
      metric('right', meanOf(all.map((rollout) => (isRight(rollout) ? 1 : 0))));
      metric('right_kept', meanOf(trained.map((rollout) => (isRight(rollout) ? 1 : 0))));
      metric('step_score_right', meanOf(all.filter(isRight).map(stepScore)));
      metric('step_score_right_kept', meanOf(trained.filter(isRight).map(stepScore)));
      return kept;
    },
  }),
});

/** Places of those that are kept. */
function consistent(
  rollouts: readonly Rollout[],
  count: number,
  filters: 'both' | 'right',
  rng: Rng,
): readonly number[] {
  const places = rng.shuffle(rollouts.map((_, i) => i)); // of equal scores any
  const scoreAt = (place: number): number => stepScore(rollouts[place]);
  const right = places.filter((place) => isRight(rollouts[place])).sort((a, b) => scoreAt(b) - scoreAt(a));
  const wrong = places.filter((place) => !isRight(rollouts[place]));
  if (filters === 'both') wrong.sort((a, b) => scoreAt(a) - scoreAt(b));
  const ofRight = Math.min(right.length, Math.max(Math.floor(count / 2), count - wrong.length));
  return [...right.slice(0, ofRight), ...wrong.slice(0, count - ofRight)];
}

/** Mean of the scores of its steps; 0 of a completion in which no step could be read. */
function stepScore({ steps = [] }: Rollout): number {
  return meanOf(steps.map(({ score }) => score));
}
