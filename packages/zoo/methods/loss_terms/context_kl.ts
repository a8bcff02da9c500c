/**
 * Rewards the policy for reading the problem: with p under its prompt and q of the same policy under one whose operands are
 * masked, a constant, the divergence between the two is to be large at the tokens of a completion.
 *
 *   L −= context_kl_coef·min(KL(p‖q), context_kl_cap)      by the tempered logits: −context_kl_coef·p_v (ln p_v − ln q_v − KL), 0 above the cap
 *   L += context_entropy_coef·H(p)
 *
 * A divergence has no upper bound, and a policy that writes nonsense is far from q as well: the cap and the price of entropy
 * limit that. The paper (PAPO, arXiv:2507.06448) masks parts of a picture, lets the gradient through q too, prices its
 * entropy as well, and estimates the divergence from the sampled token; here it is exact. Costs a scoring pass.
 */

import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { key, keys, type LossSequence, type LossTerm, method, number, usesMethod } from '../kit.ts';
import { MASK_SHARE } from '../support/rollouts/masked_operands.ts';
import { maskWord } from '../uses/masked_kl.ts';

export const contextKl = method({
  id: 'context-kl',
  about: {
    does: 'Moves the policy away from what it would write without reading the operands of the problem.',
    names: ['PAPO', 'perception loss'],
    formula: '−context_kl_coef·min(KL(π(· | q)‖sg π(· | q masked)), context_kl_cap) + context_entropy_coef·H(π(· | q))',
    source: '2507.06448',
    certainty: 'after the paper',
  },
  options: keys({
    contextWeight: key(
      'context_kl_coef',
      number({ min: 0, example: 0.01 }).default(0.01).describe('Weight of the divergence.'),
    ),
    contextCap: key(
      'context_kl_cap',
      number({ above: 0, example: 2 }).default(2).describe('Nats of a token from which on more is worth nothing.'),
    ),
    contextEntropy: key(
      'context_entropy_coef',
      number({ min: 0, example: 0.03 }).default(0.03).describe("Price of the policy's entropy."),
    ),
    maskShare: MASK_SHARE,
  }),
  uses: ({ contextWeight }) => (contextWeight === 0 ? [] : [maskWord, distributions]),
  conflict: (_, methods) =>
    usesMethod(methods, 'sdpo')
      ? 'reads completions under a prompt of its own, as sdpo does, and a step has room for one; use one of the two'
      : undefined,
  create: ({ contextWeight, contextCap, contextEntropy, maskShare }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    teacher: 'policy',
    ...(contextWeight > 0 && {
      // A completion under a prompt of its own would be compared with another problem.
      teacherPrompt: ({ item }, { prompt }, { masked }) => (prompt === undefined ? masked(item, maskShare) : undefined),
    }),
    add(sequences, gradients) {
      if (contextWeight === 0) return;
      sequences.forEach((sequence, i) => {
        const { losses, dEntropies, dLogits } = gradients[i];
        const { coefficients, entropies } = sequence;
        for (let t = 0; t < coefficients.length; t++) {
          const coefficient = coefficients[t];
          if (coefficient === 0) continue;
          losses[t] += contextEntropy * coefficient * entropies[t];
          dEntropies[t] += contextEntropy * coefficient;
          const seen = divergenceAt(sequence, t);
          if (seen === undefined) continue;
          const weight = contextWeight * coefficient;
          losses[t] -= weight * Math.min(seen.kl, contextCap);
          if (dLogits === undefined || seen.kl >= contextCap) continue;
          const { logP, logQ, kl } = seen;
          for (let v = 0; v < logP.length; v++) {
            dLogits[t * logP.length + v] -= weight * Math.exp(logP[v]) * (logP[v] - logQ[v] - kl);
          }
        }
      });
    },
    measures: {
      add(sequence, meter) {
        if (contextWeight === 0) return;
        sequence.coefficients.forEach((coefficient, t) => {
          const seen = coefficient === 0 ? undefined : divergenceAt(sequence, t);
          if (seen === undefined) return;
          meter.mean('context-kl/divergence', seen.kl, 1);
          meter.mean('context-kl/above_cap', seen.kl >= contextCap ? 1 : 0, 1);
        });
      },
    },
  }),
});

/** KL(p‖q) at a token, in nats, and the log-probs that it is of; undefined where nothing was read under a masked prompt. */
function divergenceAt({ distributions, teacherDistributions, coefficients }: LossSequence, t: number) {
  if (distributions === undefined || teacherDistributions === undefined) return undefined;
  const width = distributions.length / coefficients.length;
  const at = (log: Float32Array): Float32Array => log.subarray(t * width, (t + 1) * width);
  const [logP, logQ] = [at(distributions), at(teacherDistributions)];
  const kl = logP.reduce((sum, value, v) => sum + Math.exp(value) * (value - logQ[v]), 0);
  return { logP, logQ, kl };
}
