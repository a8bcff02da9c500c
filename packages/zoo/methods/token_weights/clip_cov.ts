/** verl also leaves out of the draw what the clip of the ratio has stopped already. */
import { key, method, number, type Rollout, type TokenWeight } from '../kit.ts';
import { tokenCovariances, tokensOfShare } from '../support/loss/covariance.ts';

export const clipCov = method({
  id: 'clip-cov',
  about: {
    does: 'Leaves a few random tokens alone among those that cost the policy its entropy.',
    formula: 'weight 0 at a random clip_cov_share of tokens with clip_cov_min < (A − Ā)·(log π − mean) < clip_cov_max',
    source: '2505.22617',
    certainty: 'after the paper',
  },
  against: ['entropy-collapse'],
  options: {
    clippedShare: key(
      'clip_cov_share',
      number({ above: 0, max: 1, example: 2e-4 })
        .default(2e-4)
        .describe('Share of the loss tokens of an optimizer step that is left alone, at least one.'),
    ),
    leastCovariance: key(
      'clip_cov_min',
      number({ min: 0, example: 1 }).default(1).describe('Covariance above which a token may be drawn.'),
    ),
    mostCovariance: key(
      'clip_cov_max',
      number({ above: 0, example: 5 }).default(5).describe('Covariance below which a token may be drawn.'),
    ),
  },
  complete(options, refuse) {
    if (options.mostCovariance > options.leastCovariance) return options;
    refuse(
      'mostCovariance',
      `must exceed clip_cov_min (${options.leastCovariance}), or no token is drawn; for example 5`,
    );
    return options;
  },
  create: ({ clippedShare, leastCovariance, mostCovariance }): TokenWeight => {
    let clipped: ReadonlyMap<Rollout, Uint8Array> = new Map();
    return {
      coupling: 'batch',
      observe(sequences, { rng, metric }) {
        const { values, mark } = tokenCovariances(sequences);
        const candidates: number[] = [];
        values.forEach((value, place) => {
          if (value > leastCovariance && value < mostCovariance) candidates.push(place);
        });
        const count = Math.min(tokensOfShare(clippedShare, values.length), candidates.length);
        for (let i = 0; i < count; i++) {
          const drawn = rng.int(i, candidates.length - 1);
          [candidates[i], candidates[drawn]] = [candidates[drawn], candidates[i]];
        }
        clipped = mark(candidates.slice(0, count));
        metric('tokens', count);
      },
      weigh(sequences, all) {
        sequences.forEach(({ rollout }, i) => {
          clipped.get(rollout)?.forEach((isClipped, t) => {
            if (isClipped === 1) all[i].weights[t] = 0;
          });
        });
      },
    };
  },
});
