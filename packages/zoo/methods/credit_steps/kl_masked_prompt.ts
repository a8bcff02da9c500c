/**
 * The others carry no loss, but their rewards stay in the baseline. MG-Select picks a sample this way when it acts; this
 * picks what is learned from. Costs two scoring passes of whole distributions.
 */
import { type CreditStep, carriesLoss, keys, meanOf, method, number, type Rollout } from '../kit.ts';
import { MASK_SHARE } from '../support/rollouts/masked_operands.ts';
import { maskedKl } from '../uses/masked_kl.ts';

export const klMaskedPrompt = method({
  id: 'kl-masked-prompt',
  about: {
    does: 'Trains on the completions of each group that depend most on the operands of the problem.',
    names: ['MG-Select', 'prompt-dependent selection'],
    formula: 'keeps the selected_share of a group of largest mean_t KL(π(· | q)‖π(· | q masked)), one at least',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where completions ignore their problem; it drops the others, so the batch teaches less.',
  },
  options: keys({
    selectedShare: number({ above: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the completions of a group that carry a loss; 1 is all.'),
    maskShare: MASK_SHARE,
  }),
  uses: ({ maskShare }) => [maskedKl(maskShare)],
  create: ({ selectedShare, maskShare }): CreditStep => ({
    apply(groups, { metric }) {
      if (selectedShare === 1) return groups;
      const divergences = maskedKl(maskShare).of;
      const kept: number[] = [];
      const selected = groups.map((group) => {
        const means = group.rollouts.map((rollout) => dependencyOf(rollout, divergences(rollout)));
        const order = [...means.keys()].sort((a, b) => means[b] - means[a] || a - b);
        const chosen = new Set(order.slice(0, Math.max(1, Math.round(selectedShare * order.length))));
        kept.push(...[...chosen].map((i) => means[i]));
        const rollouts = group.rollouts.map(
          (rollout, i): Rollout => (chosen.has(i) ? rollout : { ...rollout, inLoss: false }),
        );
        return { ...group, rollouts };
      });
      metric('divergence', meanOf(kept));
      return selected;
    },
  }),
});

/** Mean of the divergences over the tokens that carry a loss; 0 where there are none. */
function dependencyOf(rollout: Rollout, divergences: Float32Array | undefined): number {
  const own = [...(divergences ?? [])].filter((_, t) => carriesLoss(rollout, t));
  return own.length === 0 ? 0 : meanOf(own);
}
