/** The clipped surrogate between given bounds, which several objectives choose in ways of their own. */
import type { SurrogatePoint, SurrogateValue } from '../points.ts';

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
