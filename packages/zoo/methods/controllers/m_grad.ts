/**
 * A layer that moves much further than the others, for its size, is the one that a run diverges by; a batch that mostly
 * pushes away flattens the policy. Copies all trained weights to the host at each of its steps: `every` says at which.
 */
import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import { type Controller, type CreditedGroup, carriesLoss, integer, keys, method, weightOfToken } from '../kit.ts';

export const mGrad = method({
  id: 'm-grad',
  about: {
    does: 'Measures how much of the credit is positive, and by layer gradient and update; changes nothing.',
    names: ['gradient norms', 'update to weight ratio'],
    formula:
      'positive: Σ_t ω_t·max(A_t, 0) / Σ_t ω_t·|A_t| over tokens with a loss; layer L: ‖g_L‖ before clipping, ‖Δθ_L‖/‖θ_L‖; grad_norm² = Σ_L ‖g_L‖²',
    source: 'own',
    certainty: 'own',
    when: "To find the layer whose gradient or update is unlike the others'; it copies all that is trained at each step. With optim: muon there is no update.",
  },
  options: keys({
    every: integer({ min: 1, example: 10 })
      .default(1)
      .describe('Steps from one measurement of the layers to the next.'),
  }),
  onlyMeasures: true,
  create: ({ every }): Controller => ({
    async afterStep(_, levers) {
      const { positive, negative } = creditOf(levers.groups);
      if (positive + negative > 0) levers.metric('positive', positive / (positive + negative));
      if (levers.step % every !== 0) return;
      const norms = await levers.layerNorms();
      for (const { layer, gradient, weights, update } of norms) {
        levers.metric(`gradient/${layer}`, gradient);
        if (update !== undefined && weights > 0) levers.metric(`update/${layer}`, update / weights);
      }
    },
  }),
});

/** Credit of the tokens that carry a loss, by its sign. */
function creditOf(groups: readonly CreditedGroup[]): { readonly positive: number; readonly negative: number } {
  let [positive, negative] = [0, 0];
  for (const group of groups) {
    if (group.dead) continue;
    group.rollouts.forEach((rollout, i) => {
      const advantages = advantagesByToken(group, i);
      for (let t = 0; t < advantages.length; t++) {
        if (!carriesLoss(rollout, t)) continue;
        const credit = weightOfToken(group, i, t) * advantages[t];
        if (credit > 0) positive += credit;
        else negative -= credit;
      }
    });
  }
  return { positive, negative };
}
