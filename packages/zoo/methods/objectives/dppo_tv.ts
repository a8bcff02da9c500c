/**
 * DPPO by total variation: a token is left alone once its probability itself has moved by the bound in the direction of
 * its advantage, whatever its ratio. A rare token may so grow many times, and a likely one may not lose a fifth of all
 * probability. Else its log-prob moves by its ratio, taken as a constant. arXiv:2602.04879; as in verl and prime-rl, where
 * the loss term `kl-sampler` accompanies it.
 */
import { key, method, number, type Surrogate, type SurrogatePoint } from '../kit.ts';

const MOST_LOG_RATIO = Math.log(20);

const width = (yaml: string, text: string) =>
  key(yaml, number({ above: 0, max: 1, example: 0.2 }).default(0.2).describe(text));

export const dppoTv = method({
  id: 'dppo-tv',
  about: {
    does: 'Leaves a token alone once its probability has moved far enough, and clips no ratio.',
    names: ['DPPO'],
    formula: '−A·sg(min(r, 20))·log π, while p − p_old ≤ tv_delta_high (A > 0), ≥ −tv_delta_low (else)',
    source: '2602.04879',
    certainty: 'after the paper',
  },
  companions: [{ ids: ['kl-sampler'], line: 'loss_terms: [kl-sampler]', why: 'which pulls back what no ratio clips' }],
  options: {
    tvLow: width('tv_delta_low', 'Most probability that a token of negative advantage may lose.'),
    tvHigh: width('tv_delta_high', 'Most probability that a token of positive advantage may gain.'),
  },
  actsOn: 'moved',
  create: ({ tvLow, tvHigh }): Surrogate => {
    const clipped = ({ logprob, oldLogprob, advantage }: Readonly<SurrogatePoint>): 'low' | 'high' | undefined => {
      const moved = Math.exp(logprob) - Math.exp(oldLogprob);
      if (advantage > 0) return moved > tvHigh ? 'high' : undefined;
      return moved < -tvLow ? 'low' : undefined;
    };
    return {
      stopsGradient: true,
      clipped,
      at(point, out) {
        if (clipped(point) !== undefined) return;
        const weight = Math.exp(Math.min(point.logRatio, MOST_LOG_RATIO)) * point.advantage;
        out.loss = -weight * point.logprob;
        out.logprobSlope = -weight;
      },
    };
  },
});
