/**
 * Controllers may move a reference, and it begins again with each stage; the first policy stays, so what is paid is the
 * distance of the whole run.
 */
import { type CreditStep, carriesLoss, keys, meanOf, method, number, type Rollout } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { firstLogprobs } from '../uses/first_logprobs.ts';

export const firstDistance = method({
  id: 'first-distance',
  about: {
    does: 'Takes the distance from the policy that the run began with out of the advantage of each completion.',
    formula: 'A ← A − first_weight·mean_t (logprob_t − first_t)',
    source: 'own',
    certainty: 'own',
    when: 'For long runs that must not drift from where they began, where a KL in the loss is not wanted; it costs a scoring pass.',
  },
  options: keys({
    firstWeight: number({ min: 0, example: 0.1 })
      .default(0.1)
      .describe('What a nat a token costs, in units of the advantage.'),
  }),
  uses: ({ firstWeight }) => (firstWeight === 0 ? [] : [firstLogprobs]),
  create: ({ firstWeight }): CreditStep => ({
    apply(groups, { metric }) {
      if (firstWeight === 0) return groups;
      const live = groups.filter(({ dead }) => !dead).flatMap(({ rollouts }) => rollouts);
      const distanceOf = new Map(live.map((rollout) => [rollout, distance(rollout)]));
      metric('distance', meanOf([...distanceOf.values()]));
      return mapAdvantages(groups, (advantage, rollout) => advantage - firstWeight * (distanceOf.get(rollout) ?? 0));
    },
  }),
});

/** Nats a token that carries a loss; 0 where none does. */
function distance(rollout: Rollout): number {
  const first = firstLogprobs.of(rollout);
  if (first === undefined) throw new RangeError('first-distance needs log-probs under the first policy');
  const own = [...rollout.logprobs].flatMap((logprob, t) => (carriesLoss(rollout, t) ? [logprob - first[t]] : []));
  return own.length === 0 ? 0 : meanOf(own);
}
