/** How sure the policy was of a completion: the divergence KL(U‖p) of its distributions from the uniform one. */
import type { Rollout } from '../../records.ts';
import { deviationOf, meanOf } from '../../statistics.ts';
import { carriesLoss } from '../../tokens.ts';

/** Keeps differences of rounding from being blown up. */
const EPSILON = 1e-4;

/** [tokens] nats. */
export function uniformKlOf({ uniformKl }: Rollout): Float32Array {
  if (uniformKl === undefined)
    throw new RangeError('what asks for the certainty of completions must say so in `needs`');
  return uniformKl;
}

/** In nats, over the tokens that carry a loss; undefined where there are none. */
export function certaintyOf(rollout: Rollout, over: 'mean' | 'sum'): number | undefined {
  const uniformKl = uniformKlOf(rollout);
  let [sum, tokens] = [0, 0];
  for (let t = 0; t < uniformKl.length; t++) {
    if (!carriesLoss(rollout, t)) continue;
    sum += uniformKl[t];
    tokens++;
  }
  if (tokens === 0) return undefined;
  return over === 'mean' ? sum / tokens : sum;
}

/** (x − mean)/(deviation + 1e-4) among the values that there are, 0 where all are equal; 0 for the others. */
export function scoresAmong(values: readonly (number | undefined)[]): number[] {
  const known = values.filter((value) => value !== undefined);
  if (known.every((value) => value === known[0])) return values.map(() => 0);
  const [center, deviation] = [meanOf(known), deviationOf(known) + EPSILON];
  return values.map((value) => (value === undefined ? 0 : (value - center) / deviation));
}
