/**
 * d_t is the divergence KL(p‖q) between what the policy says of token t and what it would say with the operands masked.
 * The paper (VPPO, arXiv:2510.09285) masks parts of a picture; masking text is ours. A group in which nothing depends on
 * the operands stays as it is. Costs two scoring passes of whole distributions.
 */
import type { CreditedGroup, CreditStep, Rollout } from '../kit.ts';
import { carriesLoss, counts, keys, meanOf, method, number } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { MASK_SHARE } from '../support/rollouts/masked_operands.ts';
import { maskedKl } from '../uses/masked_kl.ts';

export const contextDependency = method({
  id: 'context-dependency',
  about: {
    does: 'Weighs completions by how much they depend on the operands of the problem, and trains on the tokens that do most.',
    names: ['VPPO', 'token perception'],
    formula:
      'A_i ← A_i·d̄_i/mean_j d̄_j, and the dependent_share of tokens of largest d_t = KL(π(· | q)‖π(· | q masked))',
    source: '2510.09285',
    certainty: 'after the paper',
  },
  options: keys({
    dependentShare: number({ above: 0, max: 1, example: 0.4 })
      .default(0.4)
      .describe("Share of a completion's tokens, the most dependent, that are trained on; 1 is all."),
    maskShare: MASK_SHARE,
  }),
  uses: ({ maskShare }) => [maskedKl(maskShare)],
  create: ({ dependentShare, maskShare }): CreditStep => ({
    apply(groups, { metric }) {
      const divergences = maskedKl(maskShare).of;
      const seen: number[] = [];
      const shaped = groups.map((group) => {
        const means = group.rollouts.map((rollout) =>
          counts(rollout) ? dependencyOf(rollout, divergences(rollout)) : undefined,
        );
        const known = means.filter((mean) => mean !== undefined);
        seen.push(...known);
        const mean = meanOf(known);
        if (group.dead || !(mean > 0)) return group;
        const factorOf = new Map(group.rollouts.map((rollout, i) => [rollout, (means[i] ?? mean) / mean]));
        const [weighed] = mapAdvantages([group], (advantage, rollout) => advantage * (factorOf.get(rollout) ?? 1));
        return dependentShare === 1 ? weighed : selected(weighed, dependentShare, divergences);
      });
      metric('divergence', meanOf(seen));
      return shaped;
    },
  }),
});

/** Mean of the divergences over the tokens that carry a loss; undefined where there are none. */
function dependencyOf(rollout: Rollout, divergences: Float32Array | undefined): number | undefined {
  const own = [...(divergences ?? [])].filter((_, t) => carriesLoss(rollout, t));
  return own.length === 0 ? undefined : meanOf(own);
}

/** The most dependent tokens of each completion, one at least; of equal ones the earlier. */
function selected(
  group: CreditedGroup,
  share: number,
  divergencesOf: (rollout: Rollout) => Float32Array | undefined,
): CreditedGroup {
  return {
    ...group,
    tokenSelection: group.rollouts.map((rollout, i) => {
      const { tokens } = rollout;
      const divergences = divergencesOf(rollout);
      const earlier = group.tokenSelection?.[i] ?? new Float32Array(tokens.length).fill(1);
      if (divergences === undefined) return earlier;
      const places = Array.from(tokens, (_, t) => t).filter((t) => carriesLoss(rollout, t));
      const most = places.sort((a, b) => divergences[b] - divergences[a] || a - b);
      const kept = new Set(most.slice(0, Math.max(1, Math.round(share * most.length))));
      return earlier.map((value, t) => (kept.has(t) ? value : 0));
    }),
  };
}
