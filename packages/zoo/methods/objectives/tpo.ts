/**
 * Target policy optimization: which completions of a group should gain is decided once, by a target
 * q ∝ p_old·exp(A/tpo_temperature) over the group, and the policy is fitted to it by cross-entropy, in which p is the
 * softmax of the completions' log-probs. The gradient by these is p − q and ends where the two agree, so that neither a clip
 * nor a ratio is needed. The loss of a group weighs as the aggregation weighs its tokens.
 */
import { key, type LossTerm, method, number, unreadRatio } from '../kit.ts';
import { advantageOf, extentOf, membersByGroup, sumOver, weightOf } from '../support/loss/by_group.ts';
import { softmax } from '../support/loss/softmax.ts';

export const tpo = method({
  id: 'tpo',
  about: {
    does: 'Fits the shares of the completions of a group to a target that their advantages tilt.',
    names: ['target policy optimization', 'TargetPO'],
    formula: '−Σ_i q_i·log p_i; p = softmax_i(Σ_t log π), q ∝ p_old·exp(A_i/tpo_temperature), a constant',
    source: '2604.06159',
    certainty: 'after the paper',
    when: 'For several updates a batch and rare rewards: it neither overshoots its target nor needs a clip.',
  },
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each group weighs the same' }],
  options: {
    tilt: key(
      'tpo_temperature',
      number({ above: 0, example: 1 })
        .default(1)
        .describe('Advantages are divided by it: the smaller, the more the best of a group is to gain.'),
    ),
  },
  note: (_, methods) => unreadRatio(methods),
  create: ({ tilt }): LossTerm => ({
    coupling: 'group',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      for (const members of membersByGroup(sequences)) {
        const own = members.map((i) => sequences[i]);
        const logprobs = own.map((one) => sumOver(one, one.logprobs));
        const now = softmax(logprobs);
        const target = softmax(own.map((one) => sumOver(one, one.oldLogprobs) + advantageOf(one) / tilt));
        const weight = weightOf(sequences, members);
        own.forEach((one, m) => {
          const { losses, dLogprobs } = gradients[members[m]];
          const loss = (target.shares[m] * (now.logSum - logprobs[m])) / extentOf(one).tokens;
          for (let t = 0; t < one.coefficients.length; t++) {
            if (one.coefficients[t] === 0) continue;
            losses[t] += weight * loss;
            dLogprobs[t] += weight * (now.shares[m] - target.shares[m]);
          }
        });
      }
    },
  }),
});
