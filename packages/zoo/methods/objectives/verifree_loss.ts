/** Both parts are one gradient, that of the probability of the reference. */

import { ownWeight } from '../../../../src/methods/support/loss/surrogate_term.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { type LossTerm, method, type Rollout, uncorrected, unreadRatio, usesMethod } from '../kit.ts';

export const verifreeLoss = method({
  id: 'verifree-loss',
  about: {
    does: 'Raises the log-prob of sampled tokens by their advantage, and of a reference answer by its probability.',
    names: ['VeriFree'],
    formula: '−A·log π of what was sampled, −p·log π of a reference; p = exp Σ log π(y*_t) before the step',
    source: '2505.21493',
    certainty: 'paper',
    when: 'With the strategy verifree, for references without a verifier; measured with it, as a strategy.',
  },
  warn: (_, __, stage, members) => uncorrected(stage, members, 'nothing corrects', ''),
  note: (_, methods) =>
    [
      usesMethod(methods, 'verifree')
        ? undefined
        : 'no completion has a reference after its reasoning, so that this is reinforce; add verifree to rollout_strategies',
      unreadRatio(methods),
    ].filter((said) => said !== undefined),
  create: (): LossTerm => ({
    coupling: 'sequence',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      sequences.forEach((sequence, i) => {
        const { logprobs, advantages, coefficients, rollout } = sequence;
        const { losses, dLogprobs } = gradients[i];
        const p = referenceProbability(rollout);
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const slope = -ownWeight(sequence, t) * (rollout.labels?.[t] === TOKEN.reference ? p : advantages[t]);
          losses[t] += slope * logprobs[t];
          dLogprobs[t] += slope;
        }
      });
    },
  }),
});

/** Probability of the tokens of a reference in sequence, as they were scored; 1 where there are none. */
function referenceProbability({ logprobs, labels }: Rollout): number {
  if (labels === undefined) return 1;
  return Math.exp(logprobs.reduce((sum, value, t) => (labels[t] === TOKEN.reference ? sum + value : sum), 0));
}
