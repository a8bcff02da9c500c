/**
 * TOPR: tapered off-policy REINFORCE. A completion of positive advantage is learned from as it is, one of negative
 * advantage by its whole ratio to the policy that sampled it, cut to [0, 1] and taken as a constant: once the policy
 * has left it, it is pushed no further. No KL and no clip are needed. Meant with rewards less a constant as advantages
 * (`advantage_estimator: constant`), where that constant sets what positives and negatives weigh, and with
 * `aggregation: seq-sum`.
 */

import { boundedSum } from '../../../../src/methods/ratios/bounded.ts';
import { key, method, number, type Surrogate, type SurrogatePoint, unreadRatio } from '../kit.ts';

const bound = (yaml: string, value: number, text: string) =>
  key(yaml, number({ min: 0, example: value }).default(value).describe(text));

export const topr = method({
  id: 'topr',
  about: {
    does: 'Learns from good completions however old they are, and from bad ones while the policy still gives them.',
    formula: '−sg(clip(w, a, b))·A·log π, w = Π_t r_t; a = b = 1 where A ≥ 0, else 0 and 1',
    source: '2503.14286',
    certainty: 'after the paper',
  },
  against: ['stale-rollouts'],
  companions: [
    {
      ids: ['constant'],
      line: 'advantage_estimator: constant',
      why: 'whose constant says what right and wrong completions weigh',
    },
    { ids: ['seq-sum'], line: 'aggregation: seq-sum', why: 'as its weight is that of a whole completion' },
  ],
  options: {
    leastGoodWeight: bound('topr_positive_min', 1, 'Lower bound of the weight where the advantage is 0 or above.'),
    mostGoodWeight: bound('topr_positive_max', 1, 'Upper bound of the weight where the advantage is 0 or above.'),
    leastBadWeight: bound('topr_negative_min', 0, 'Lower bound of the weight where the advantage is below 0.'),
    mostBadWeight: bound('topr_negative_max', 1, 'Upper bound of the weight where the advantage is below 0.'),
  },
  sameAs: {
    given: { topr_positive_min: 1, topr_positive_max: 1, topr_negative_min: 1, topr_negative_max: 1 },
    id: 'reinforce',
    options: {},
  },
  complete(options, refuse) {
    const rule = 'is below its lower bound; raise it, or lower the other';
    if (options.mostGoodWeight < options.leastGoodWeight) refuse('mostGoodWeight', rule);
    if (options.mostBadWeight < options.leastBadWeight) refuse('mostBadWeight', rule);
    return options;
  },
  note: (_, methods) => unreadRatio(methods),
  actsOn: ({ leastGoodWeight, mostGoodWeight, leastBadWeight, mostBadWeight }) =>
    [leastGoodWeight, leastBadWeight].every((least) => least <= 1) &&
    [mostGoodWeight, mostBadWeight].every((most) => most >= 1)
      ? 'moved'
      : undefined,
  create: ({ leastGoodWeight, mostGoodWeight, leastBadWeight, mostBadWeight }): Surrogate => {
    const weightAt = ({ logRatio, advantage }: Readonly<SurrogatePoint>): number => {
      const ratio = Math.exp(logRatio);
      if (advantage >= 0) return Math.min(Math.max(ratio, leastGoodWeight), mostGoodWeight);
      return Math.min(Math.max(ratio, leastBadWeight), mostBadWeight);
    };
    return {
      stopsGradient: true,
      ratio: boundedSum,
      at(point, out) {
        const weight = weightAt(point) * point.advantage;
        out.loss = -weight * point.logprob;
        out.logprobSlope = -weight;
      },
      gauge: { name: 'topr/weight', at: weightAt },
    };
  },
});
