/**
 * The KL between policy and reference over the whole vocabulary at each token, where kl-loss estimates it from the sampled
 * token alone.
 *
 * Forward, the reference may be weighted by what completions got, as RAPO does: q·f(R) with f = exp(R/τ), so that the policy
 * keeps nearer to the reference where that does well. The weight of a completion is f over its mean in the group.
 *
 * At a token it is the expectation of k1, k2's and k3's samples stand for: the mean of k1 and of k3 over the vocabulary is
 * the reverse KL; the mean gradient of k2 is the reverse one, of k3 the forward one.
 */
import { counts } from '../../../../src/methods/support/credit/baseline.ts';
import { refDistributions } from '../../../../src/methods/uses/distributions.ts';
import { choice, keys, type LossSequence, type LossTerm, laterKey, meanOf, method, number, optional } from '../kit.ts';
import { forwardKl, klOfLogs, reverseKl, rowOf } from '../support/loss/divergence.ts';

export const klExact = method({
  id: 'kl-exact',
  about: {
    does: 'Holds the policy near the reference by the KL over the whole vocabulary.',
    formula: 'kl_exact_coef·Σ_v p_v (ln p_v − ln q_v), or forward: Σ_v q_v (ln q_v − ln p_v); q of the reference',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    klExactCoef: number({ min: 0, example: 0.01 }).default(0.01).describe('Weight of the KL.'),
    klDirection: choice(['reverse', 'forward'])
      .default('reverse')
      .describe('reverse: KL(policy‖reference), forward: KL(reference‖policy).'),
    rewardTemperature: laterKey(
      'reward_temperature',
      optional(number({ above: 0, example: 0.5 })).describe(
        'τ of a forward KL whose completions weigh exp(R/τ) over its mean in their group. Default none: all alike.',
      ),
    ),
  }),
  warn: ({ reward_temperature: temperature, kl_direction: direction }) =>
    temperature !== undefined && direction !== 'forward'
      ? 'reward_temperature weighs the reference of a forward KL, and this one is reverse; set kl_direction: forward'
      : undefined,
  uses: ({ klExactCoef }) => (klExactCoef === 0 ? [] : [refDistributions]),
  create: ({ klExactCoef, klDirection, rewardTemperature }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      if (klExactCoef === 0) return;
      sequences.forEach((sequence, i) => {
        const { losses, dLogits } = gradients[i];
        const { coefficients } = sequence;
        const [logP, logQ] = distributionsOf(sequence);
        const width = logP.length / Math.max(1, coefficients.length);
        const isWeighted = rewardTemperature !== undefined && klDirection === 'forward';
        const share = isWeighted ? rewardShare(sequence, rewardTemperature) : 1;
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const weight = share * klExactCoef * coefficients[t];
          const divergence = klDirection === 'reverse' ? reverseKl : forwardKl;
          const slopes = dLogits && rowOf(dLogits, t, width);
          losses[t] += weight * divergence(rowOf(logP, t, width), rowOf(logQ, t, width), weight, slopes);
        }
      });
    },
    measures: {
      add(sequence, meter) {
        if (klExactCoef === 0) return;
        const [logP, logQ] = distributionsOf(sequence);
        const { coefficients } = sequence;
        const width = logP.length / Math.max(1, coefficients.length);
        let [sum, tokens] = [0, 0];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          sum += klOfLogs(rowOf(logP, t, width), rowOf(logQ, t, width));
          tokens++;
        }
        meter.mean('kl_exact', sum, tokens);
      },
    },
  }),
});

/** exp(R/τ) over its mean in the group; 1 for a completion that does not count there. */
function rewardShare({ group, rollout }: LossSequence, temperature: number): number {
  if (!counts(rollout)) return 1;
  const rewards = group.rollouts.flatMap((one) => (counts(one) ? [one.reward ?? 0] : []));
  const best = Math.max(...rewards);
  const worth = (reward: number): number => Math.exp((reward - best) / temperature);
  return worth(rollout.reward ?? 0) / meanOf(rewards.map(worth));
}

function distributionsOf({ distributions, refDistributions }: LossSequence): readonly [Float32Array, Float32Array] {
  if (distributions === undefined || refDistributions === undefined) {
    throw new RangeError('kl-exact needs whole distributions of policy and reference');
  }
  return [distributions, refDistributions];
}
