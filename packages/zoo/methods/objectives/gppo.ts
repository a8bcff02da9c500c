/**
 * Gradient-preserving clipping, the loss of CE-GPPO. Inside the clip a token weighs by its ratio, as in PPO; beyond the
 * bound that would silence it, it keeps the weight of that bound, times a factor for each side. An unlikely token that
 * should rise (above) keeps the policy exploring, one that should fall (below) makes it surer. As in the authors' code, but
 * for its dual clip.
 */
import { decidingBound } from '../../../../src/methods/support/loss/clipped.ts';
import { key, method, number, type Surrogate, type SurrogatePoint } from '../kit.ts';
import { clipWidth } from '../support/loss/clip_width.ts';
import { weighted } from '../support/loss/weighted.ts';

const factor = (yaml: string, value: number, side: string) =>
  key(
    yaml,
    number({ min: 0, example: value }).default(value).describe(`What a token weighs ${side}, as a share of the bound.`),
  );

export const gppo = method({
  id: 'gppo',
  about: {
    does: 'Keeps a bounded gradient for tokens beyond the clip, a share of it for each side.',
    names: ['CE-GPPO', 'gradient-preserving clipping'],
    formula:
      '−sg(w)·A·log π; w = r, but gppo_below·(1 − gppo_epsilon) where A < 0 and r is below the clip, gppo_above·(1 + gppo_epsilon_high) where A > 0 and r is above it',
    source: '2509.20712',
    certainty: 'paper',
    when: 'With several updates a batch, where the entropy falls or grows too fast: a larger gppo_above slows its fall.',
  },
  against: ['clip-fraction', 'entropy-collapse'],
  options: {
    preservedLow: clipWidth('gppo_epsilon', 'below', { above: 0, below: 1, example: 0.2 }),
    preservedHigh: clipWidth('gppo_epsilon_high', 'above', { above: 0, below: 1, example: 0.2 }),
    shareBelow: factor('gppo_below', 0.75, 'below the clip'),
    shareAbove: factor('gppo_above', 1, 'above the clip'),
  },
  actsOn: 'moved',
  create({ preservedLow, preservedHigh, shareBelow, shareAbove }): Surrogate {
    const [low, high] = [1 - preservedLow, 1 + preservedHigh];
    const clipped = (point: Readonly<SurrogatePoint>) => decidingBound(point, low, high);
    return {
      ...weighted((point) => {
        const bound = clipped(point);
        if (bound === undefined) return Math.exp(point.logRatio);
        return bound === 'low' ? shareBelow * low : shareAbove * high;
      }),
      clipped,
    };
  },
});
