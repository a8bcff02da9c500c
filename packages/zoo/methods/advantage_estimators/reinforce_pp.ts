/**
 * The reward of a completion is paid at its last token, less what leaving the reference costs each token. Long
 * completions weigh in the mean and the deviation by their length. `baseline` first takes the mean of its group from
 * each completion's reward; without a KL part a group of equal rewards then gets exactly 0.
 */
import {
  areEqual,
  type CountedRollout,
  counts,
  hasEqualRewards,
  rewardsOf,
} from '../../../../src/methods/support/credit/baseline.ts';
import { returnsToGo } from '../../../../src/methods/support/credit/token_returns.ts';
import { carriesLoss } from '../../../../src/methods/tokens.ts';
import { type AdvantageEstimator, choice, key, meanOf, method, number, type RolloutGroup } from '../kit.ts';
import { hasNoReward } from '../support/credit/group_by_group.ts';
import { refLogprobs } from '../uses/ref_logprobs.ts';

/** Least variance, as in verl. */
const VARIANCE_FLOOR = 1e-8;

export const reinforcePp = method({
  id: 'reinforce-pp',
  about: {
    does: 'Standardizes what comes from a token on over all tokens of the batch.',
    formula:
      'x_t = R − kl_reward_coef·Σ_{s≥t} (logprob_s − ref_s), less the mean R of the group for baseline; A_t = (x_t − mean x)/√(var x + 1e-8)',
    source: '2501.03262',
    certainty: 'paper',
    names: ['REINFORCE++'],
  },
  options: {
    centeredIn: key(
      'variant',
      choice(['plain', 'baseline'], 'not a variant')
        .default('plain')
        .describe('Whether a reward is taken as it is (plain), or without the mean of its group (baseline).'),
    ),
    klInReward: key(
      'kl_reward_coef',
      number({ min: 0, example: 0.01 })
        .default(0)
        .describe('β: what a nat of distance from the reference costs within the reward; 0 leaves it out.'),
    ),
  },
  uses: ({ klInReward }) => (klInReward === 0 ? [] : [refLogprobs]),
  create: ({ centeredIn, klInReward }): AdvantageEstimator => {
    const isCentred = centeredIn === 'baseline';
    return {
      estimate: (groups) => whitened(groups, isCentred, klInReward),
      isDead: isCentred && klInReward === 0 ? hasEqualRewards : hasNoReward,
    };
  },
});

function whitened(groups: readonly RolloutGroup[], isCentred: boolean, coefficient: number) {
  const values = groups.map((group) => returnsOf(group, isCentred, coefficient));
  const standard = standardOver(
    groups.flatMap(({ rollouts }, g) =>
      rollouts.flatMap((rollout, i) => [...(values[g][i] ?? [])].filter((_, t) => carriesLoss(rollout, t))),
    ),
  );
  return groups.map((group, g) => {
    const isFlat = isCentred && coefficient === 0 && hasEqualRewards(group);
    const tokenAdvantages = group.rollouts.map(({ tokens }, i) =>
      Float32Array.from(values[g][i] ?? new Float64Array(tokens.length), (value) =>
        isFlat || values[g][i] === undefined ? 0 : standard(value),
      ),
    );
    const advantages = Float32Array.from(tokenAdvantages, (own) => own[0] ?? 0);
    return coefficient === 0 ? { advantages } : { advantages, tokenAdvantages };
  });
}

/** [rollouts][tokens] what comes from a token on; undefined where a reward does not count. */
function returnsOf(group: RolloutGroup, isCentred: boolean, coefficient: number): (Float64Array | undefined)[] {
  const rewards = rewardsOf(group);
  const center = isCentred ? meanOf(rewards) : 0;
  return group.rollouts.map((rollout) => {
    if (!counts(rollout)) return undefined;
    const outcome = isCentred && areEqual(rewards) ? 0 : Math.fround(rollout.reward) - center; // no rounding noise
    return returnsToGo(costsOf(rollout, coefficient), 1).map((later) => outcome + later);
  });
}

/** [tokens] −β·k1; 0 where no loss is. */
function costsOf(rollout: CountedRollout, coefficient: number): Float64Array {
  const { logprobs, tokens } = rollout;
  if (coefficient === 0) return new Float64Array(tokens.length);
  const own = refLogprobs.of(rollout);
  if (own === undefined) throw new RangeError('reinforce-pp needs log-probs under the reference');
  return Float64Array.from(logprobs, (logprob, t) => (carriesLoss(rollout, t) ? -coefficient * (logprob - own[t]) : 0));
}

/** (x − mean)/√(variance + 1e-8), with n − 1; 0 where all are equal. */
function standardOver(values: readonly number[]): (value: number) => number {
  if (areEqual(values)) return () => 0;
  const center = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const deviation = Math.sqrt(squares / (values.length - 1) + VARIANCE_FLOOR);
  return (value) => (value - center) / deviation;
}
