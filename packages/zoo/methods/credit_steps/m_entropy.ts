/** Numbers are those of the policy that sampled. */
import { type CreditStep, carriesLoss, lossTokens, method, quantileOf } from '../kit.ts';

/** Parts of a completion, in order. */
const QUARTERS = ['quarter_1', 'quarter_2', 'quarter_3', 'quarter_4'];
const LEAST_SURE_SHARE = 0.2;
const CERTAIN = 0.99;
const AGAINST_THE_ODDS = 0.05;

export const mEntropy = method({
  id: 'm-entropy',
  about: {
    does: 'Measures where the policy is unsure; changes nothing.',
    formula: 'mean_t H_t of right, of wrong, by quarter, of the top fifth; shares of p ≥ 0.99 and of p < 0.05',
    source: 'own',
    certainty: 'own',
    when: 'To see where a policy is still unsure before an entropy method is chosen.',
  },
  onlyMeasures: true,
  create: (): CreditStep => ({
    apply(groups, { metric }) {
      const means = new Map<string, { sum: number; tokens: number }>();
      const tell = (name: string, entropy: number): void => {
        const mean = means.get(name) ?? { sum: 0, tokens: 0 };
        if (mean.tokens === 0) means.set(name, mean);
        mean.sum += entropy;
        mean.tokens++;
      };
      const seen: number[] = [];
      let [certain, unlikely] = [0, 0];
      for (const { rollouts } of groups) {
        for (const rollout of rollouts) {
          const { entropies, logprobs, verdict } = rollout;
          const outcome = verdict.score === 1 ? 'right' : 'wrong';
          const own = lossTokens(rollout);
          let come = 0;
          for (let t = 0; t < entropies.length; t++) {
            if (!carriesLoss(rollout, t)) continue;
            const entropy = entropies[t];
            seen.push(entropy);
            tell(outcome, entropy);
            tell(QUARTERS[Math.floor((QUARTERS.length * come++) / own)], entropy);
            const probability = Math.exp(logprobs[t]);
            if (probability >= CERTAIN) certain++;
            if (probability < AGAINST_THE_ODDS) unlikely++;
          }
        }
      }
      const least = quantileOf(seen, 1 - LEAST_SURE_SHARE);
      for (const entropy of seen) if (entropy >= least) tell('least_sure', entropy);
      for (const [name, { sum, tokens }] of means) metric(name, sum / tokens);
      metric('certain_share', certain / Math.max(1, seen.length));
      metric('unlikely_share', unlikely / Math.max(1, seen.length));
      return groups;
    },
  }),
});
