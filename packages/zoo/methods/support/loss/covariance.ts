/**
 * How advantage and log-prob of a token go together: (A − mean A)·(log π − mean log π) over the loss tokens of an optimizer
 * step. Its mean is what the entropy of the policy falls by, and few tokens make up most of it. arXiv:2505.22617.
 */
import type { LossSequence, Rollout } from '../../kit.ts';

/** The loss tokens of a step, one after the other. */
export interface TokenCovariances {
  readonly values: Float64Array;
  /** Marks the tokens at these places, by rollout: [tokens], 1 where marked. */
  mark(places: Iterable<number>): ReadonlyMap<Rollout, Uint8Array>;
}

export function tokenCovariances(sequences: readonly LossSequence[]): TokenCovariances {
  const count = sequences.reduce((sum, { coefficients }) => sum + coefficients.filter((c) => c !== 0).length, 0);
  const values = new Float64Array(count);
  const [owners, tokens] = [new Int32Array(count), new Int32Array(count)];
  let [next, advantageSum, logprobSum] = [0, 0, 0];
  sequences.forEach(({ coefficients, advantages, logprobs }, i) => {
    for (let t = 0; t < coefficients.length; t++) {
      if (coefficients[t] === 0) continue;
      [owners[next], tokens[next]] = [i, t];
      advantageSum += advantages[t];
      logprobSum += logprobs[t];
      next++;
    }
  });
  const [advantage, logprob] = [advantageSum / Math.max(1, count), logprobSum / Math.max(1, count)];
  for (let place = 0; place < count; place++) {
    const { advantages, logprobs } = sequences[owners[place]];
    values[place] = (advantages[tokens[place]] - advantage) * (logprobs[tokens[place]] - logprob);
  }
  return {
    values,
    mark(places) {
      const marked = new Map<Rollout, Uint8Array>();
      for (const place of places) {
        const { rollout } = sequences[owners[place]];
        const own = marked.get(rollout) ?? new Uint8Array(rollout.tokens.length);
        own[tokens[place]] = 1;
        marked.set(rollout, own);
      }
      return marked;
    },
  };
}

/** A share of `count` tokens in whole ones: at least one, as in verl. */
export function tokensOfShare(share: number, count: number): number {
  return Math.max(1, Math.floor(share * count));
}
