/** The clipped surrogate between given bounds, which several objectives share. */
import { key, number, optional } from '../../../options/keys.ts';
import type { SurrogatePoint, SurrogateValue } from '../../points.ts';

/** Stage options for how far a ratio may fall below 1, and rise above it. */
export const clipLowOption = key(
  'epsilon',
  number({ above: 0, below: 1, example: 0.2 }).default(0.2).describe('The ratio is clipped below 1 − epsilon.'),
);
export const clipHighOption = key(
  'epsilon_high',
  optional(number({ above: 0, example: 0.28 })).describe(
    'The ratio is clipped above 1 + epsilon_high. Default epsilon.',
  ),
);

/** Sets −min(min(r, most)·A, clip(r, low, high)·A), flat in the ratio wherever a bound decides. */
export function clipBetween(
  { logRatio, advantage }: Readonly<SurrogatePoint>,
  low: number,
  high: number,
  most: number,
  out: SurrogateValue,
): void {
  const ratio = Math.exp(logRatio);
  const unclipped = Math.min(ratio, most) * advantage;
  const clipped = Math.min(Math.max(ratio, low), high) * advantage;
  const isFlat = clipped < unclipped || ratio > most;
  out.loss = -Math.min(unclipped, clipped);
  out.slope = isFlat ? 0 : -ratio * advantage;
}

/** Which of the two bounds decides. */
export function decidingBound(
  { logRatio, advantage }: Readonly<SurrogatePoint>,
  low: number,
  high: number,
): 'low' | 'high' | undefined {
  const ratio = Math.exp(logRatio);
  if (advantage < 0 && ratio < low) return 'low';
  return advantage > 0 && ratio > high ? 'high' : undefined;
}
