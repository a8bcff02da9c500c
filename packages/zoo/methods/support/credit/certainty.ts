/** How sure the policy was of a completion: the divergence KL(U‖p) of its distributions from the uniform one. */
import { carriesLoss, deviationOf, meanOf, type Rollout } from '../../kit.ts';
import { uniformKl } from '../../uses/uniform_kl.ts';

/** Keeps differences of rounding from being blown up. */
const EPSILON = 1e-4;

/** [tokens] nats. */
export function uniformKlOf(rollout: Rollout): Float32Array {
  const nats = uniformKl.of(rollout);
  if (nats === undefined) throw new RangeError('what asks for the certainty of completions must say so in `uses`');
  return nats;
}

/** In nats, over the tokens that carry a loss; undefined where there are none. */
export function certaintyOf(rollout: Rollout, over: 'mean' | 'sum'): number | undefined {
  const nats = uniformKlOf(rollout);
  let [sum, tokens] = [0, 0];
  for (let t = 0; t < nats.length; t++) {
    if (!carriesLoss(rollout, t)) continue;
    sum += nats[t];
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
