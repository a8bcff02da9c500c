import { key, number } from '../../options/keys.ts';
import { unreadRatio } from '../chosen.ts';
import { method } from '../method.ts';
import type { Surrogate, SurrogatePoint } from '../points.ts';
import { boundedSum } from '../ratios/bounded.ts';

const LEAST_LOG = Math.log(1e-8);
const MOST_LOG = 20;
const LEAST_LAMBDA = 1e-4;

const power = (yaml: string, example: number, text: string) =>
  key(yaml, number({ min: 0, example }).default(example).describe(text));

/** The weight is a constant, and 1 at w = 1. Log-ratios are kept within TRL's bounds. */
export const vespo = method({
  id: 'vespo',
  about: {
    does: "Weighs a completion's tokens by a smooth function of its whole ratio, and clips nothing.",
    formula: '−sg(φ(w))·A·log π, φ = e^λ·w^k·e^(−λ·w), w = Π_t r_t',
    source: '2602.10693',
    certainty: 'after the paper',
  },
  against: ['stale-rollouts'],
  optionsAreStageKeys: true,
  lossTypes: { vespo: 'token-mean' },
  options: {
    kPositive: power('vespo_k_pos', 2, 'Power k of the ratio where the advantage is 0 or above.'),
    lambdaPositive: power('vespo_lambda_pos', 3, 'Decay λ of the ratio where the advantage is 0 or above.'),
    kNegative: power('vespo_k_neg', 3, 'Power k of the ratio where the advantage is below 0.'),
    lambdaNegative: power('vespo_lambda_neg', 2, 'Decay λ of the ratio where the advantage is below 0.'),
  },
  note: (_, methods) => unreadRatio(methods),
  actsOn: 'moved',
  create: ({ kPositive, lambdaPositive, kNegative, lambdaNegative }): Surrogate => {
    const phi = ({ logRatio, advantage }: SurrogatePoint): number => {
      const logWeight = Math.min(Math.max(logRatio, LEAST_LOG), MOST_LOG);
      const [k, decay] = advantage >= 0 ? [kPositive, lambdaPositive] : [kNegative, lambdaNegative];
      const lambda = Math.max(decay, LEAST_LAMBDA);
      const value = Math.exp(lambda + k * logWeight - lambda * Math.exp(logWeight));
      return Number.isFinite(value) ? value : 0;
    };
    return {
      stopsGradient: true,
      ratio: boundedSum,
      importanceInRatio: true,
      at(point, out) {
        const weight = phi(point) * point.advantage;
        out.loss = -weight * point.logprob;
        out.logprobSlope = -weight;
      },
      gauge: { name: 'vespo/phi_seq_mean', at: phi },
    };
  },
});
