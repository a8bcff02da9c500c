import { key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { Surrogate } from '../points.ts';
import { clipBetween, clipHighOption, clipLowOption, decidingBound } from '../support/loss/clipped.ts';

/** Without it a single token with a large ratio can dominate a step's gradient. */
export const dualClip = method({
  id: 'dual-clip',
  about: {
    does: 'Clips as PPO does, and bounds what a token of negative advantage may weigh.',
    formula: 'max(−r·A, −clip(r)·A); where A < 0, at most −dual_clip·A',
    source: '1912.09729',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    clipEpsilonLow: clipLowOption,
    clipEpsilonHigh: clipHighOption,
    mostNegativeRatio: key(
      'dual_clip',
      number({ above: 1, example: 3 }).default(3).describe('Upper bound of the ratio where the advantage is negative.'),
    ),
  },
  complete(options, refuse) {
    const { clipEpsilonLow, clipEpsilonHigh = clipEpsilonLow, mostNegativeRatio } = options;
    if (mostNegativeRatio <= 1 + clipEpsilonHigh) {
      const bound = Number((1 + clipEpsilonHigh).toPrecision(12));
      refuse('mostNegativeRatio', `must exceed 1 + epsilon_high (${bound}); for example ${bound + 2}`);
    }
    return { ...options, clipEpsilonHigh };
  },
  actsOn: 'moved',
  create: ({ clipEpsilonLow, clipEpsilonHigh = clipEpsilonLow, mostNegativeRatio }): Surrogate => {
    const low = 1 - clipEpsilonLow;
    const high = 1 + clipEpsilonHigh;
    return {
      at(point, out) {
        clipBetween(point, low, high, Number.POSITIVE_INFINITY, out);
        const most = -mostNegativeRatio * point.advantage;
        if (point.advantage >= 0 || out.loss <= most) return;
        out.loss = most;
        out.slope = 0;
      },
      clipped: (point) => decidingBound(point, low, high),
      cap: {
        name: 'dual-clip/dual_clip',
        holds: ({ logRatio, advantage }) => advantage < 0 && Math.exp(logRatio) > mostNegativeRatio,
      },
    };
  },
});
