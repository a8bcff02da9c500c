/** A surrogate that raises log-probs by a constant times the advantage. */
import type { Surrogate, SurrogatePoint } from '../../kit.ts';

/** −sg(w)·A·log π. @param weightAt  the weight w of a token, which is treated as a constant */
export function weighted(
  weightAt: (point: Readonly<SurrogatePoint>) => number,
): Pick<Surrogate, 'at'> & { readonly stopsGradient: true } {
  return {
    stopsGradient: true,
    at(point, out) {
      const weight = weightAt(point) * point.advantage;
      out.loss = -weight * point.logprob;
      out.logprobSlope = -weight;
    },
  };
}
