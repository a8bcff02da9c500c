/**
 * It acts off-policy alone, since |log r| is 0 on-policy. verl clips no ratio when it uses this term; here the stage keeps
 * its objective, clip included.
 */
import { bounded } from '../../../../src/methods/ratios/bounded.ts';
import { key, type LossTerm, method, number, type Rollout } from '../kit.ts';
import { tokenCovariances, tokensOfShare } from '../support/loss/covariance.ts';

export const klCov = method({
  id: 'kl-cov',
  about: {
    does: 'Holds back the few tokens that cost the policy its entropy.',
    formula: 'kl_cov_coef·|log r| at the kl_cov_share of tokens with the largest (A − Ā)·(log π − mean)',
    source: '2505.22617',
    certainty: 'after the paper',
  },
  against: ['entropy-collapse'],
  options: {
    heldWeight: key(
      'kl_cov_coef',
      number({ min: 0, example: 1 }).default(1).describe("Weight of |log r|. Default {default} (verl's YAML: 0.1)."),
    ),
    heldShare: key(
      'kl_cov_share',
      number({ above: 0, max: 1, example: 2e-4 })
        .default(2e-4)
        .describe('Share of the loss tokens of an optimizer step that is held, at least one.'),
    ),
  },
  actsOn: 'moved',
  create: ({ heldWeight, heldShare }): LossTerm => {
    let held: ReadonlyMap<Rollout, Uint8Array> = new Map();
    return {
      coupling: 'batch',
      observe(sequences) {
        const { values, mark } = tokenCovariances(sequences);
        const largest = Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
        held = mark(largest.slice(0, tokensOfShare(heldShare, values.length)));
      },
      add(sequences, gradients) {
        sequences.forEach(({ logprobs, oldLogprobs, coefficients, rollout }, i) => {
          const { losses, dLogprobs } = gradients[i];
          held.get(rollout)?.forEach((isHeld, t) => {
            if (isHeld === 0 || coefficients[t] === 0) return;
            const logRatio = logprobs[t] - oldLogprobs[t];
            const kept = bounded(logRatio);
            losses[t] += coefficients[t] * heldWeight * Math.abs(kept);
            if (kept === logRatio) dLogprobs[t] += coefficients[t] * heldWeight * Math.sign(kept);
          });
        });
      },
    };
  },
});
