import { key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { Surrogate } from '../points.ts';
import { clipBetween, clipHighOption, clipLowOption, decidingBound } from '../support/loss/clipped.ts';

/** Flat in the ratio wherever a bound decides. epsilon_high: arXiv:2503.14476; delta: arXiv:2505.07291. */
export const ppoClip = method({
  id: 'ppo-clip',
  about: {
    does: 'Stops rewarding a token once its probability has moved by the clip.',
    names: ['PPO', 'clip-higher', 'DAPO', 'two-sided clip'],
    formula: '−min(min(r, delta)·A, clip(r, 1 − epsilon, 1 + epsilon_high)·A)',
    source: '1707.06347',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  lossTypes: {
    dapo: 'token-mean',
    grpo: 'seq-mean',
    bnpo: 'micro-token-mean',
    dr_grpo: 'const-norm',
    luspo: 'seq-sum',
  },
  options: {
    clipEpsilonLow: clipLowOption,
    clipEpsilonHigh: clipHighOption,
    clipDelta: key(
      'delta',
      number({ above: 1, example: 4 })
        .nullable()
        .default(null)
        .describe('Upper bound of the unclipped ratio (two-sided clipping); null is off.'),
    ),
  },
  complete(options, refuse) {
    const { clipEpsilonLow, clipEpsilonHigh = clipEpsilonLow, clipDelta } = options;
    if (clipDelta !== null && clipDelta <= 1 + clipEpsilonHigh) {
      const bound = Number((1 + clipEpsilonHigh).toPrecision(12)); // 1.28, not 1.2800000000000002
      refuse('clipDelta', `must exceed 1 + epsilon_high (${bound}), or it undoes the clip; for example 4`);
    }
    return { ...options, clipEpsilonHigh };
  },
  tells: ['clips'],
  actsOn: 'moved',
  create: ({ clipEpsilonLow, clipEpsilonHigh = clipEpsilonLow, clipDelta }): Surrogate => {
    const low = 1 - clipEpsilonLow;
    const high = 1 + clipEpsilonHigh;
    const most = clipDelta ?? Number.POSITIVE_INFINITY;
    return {
      at: (point, out) => clipBetween(point, low, high, most, out),
      clipped: (point) => decidingBound(point, low, high),
      ...(clipDelta !== null && {
        cap: {
          name: 'ppo-clip/delta',
          holds: ({ logRatio, advantage }) => advantage < 0 && Math.exp(logRatio) > most,
        },
      }),
      device: { settings: { clipEpsilonLow, clipEpsilonHigh, ...(clipDelta !== null && { clipDelta }) } },
    };
  },
});
