/**
 * A critic in the place of a group: what each token was worth beyond what was expected before it. Values are those of a head
 * on the policy's own last hidden row, before the update (`value-loss` teaches it); where none is taught they are 0, and
 * advantages are discounted returns. The reward of a completion is paid at its last token, that of a turn at the turn's last.
 * Tokens that others wrote are skipped: the value before the next own token follows that before the last.
 *
 * Returns A + v, which the head is to learn, may have a λ of their own, as in VAPO (1 there), and are taken before advantages
 * are whitened over the tokens of the batch. The head goes on into the next stage, so a stage of `objective: terms-only`
 * teaches it on the returns of a policy that stays as it is.
 */
import { POLICY_TURN } from '../../../../src/data/environment.ts';
import { turnsOf } from '../../../../src/methods/support/rollouts/turns.ts';
import type { AdvantageEstimator, CountedRollout, CreditedGroup, Rollout, RolloutGroup } from '../kit.ts';
import { carriesLoss, counts, deviationOf, flag, groupRows, keys, meanOf, method, number, optional } from '../kit.ts';
import { hasNoReward } from '../support/credit/group_by_group.ts';
import { advantagesOf, explainedVariance, lengthAdaptiveLambda } from '../support/critic/gae.ts';
import { headOf, type ValueHead } from '../support/critic/value_head.ts';
import { lastHidden } from '../uses/last_hidden.ts';

/** Added to the deviation that divides advantages. */
const EPSILON = 1e-8;

export const gae = method({
  id: 'gae',
  about: {
    does: 'Credits each token with what came of it beyond the value that a head expected, as PPO does; groups may be of one.',
    names: ['PPO', 'generalised advantage estimation', 'critic', 'value head', 'VAPO', 'length-adaptive GAE'],
    formula: 'δ_t = r_t + γ·v_{t+1} − v_t; A_t = δ_t + γλ·A_{t+1}; VAPO: λ = 1 − 1/(lam_length_alpha·length)',
    source: '1506.02438',
    certainty: 'paper',
    when: 'For credit by token, or groups of one; with large groups and one reward at the end their mean costs less.',
  },
  companions: [{ ids: ['value-loss'], line: 'loss_terms: [value-loss]', why: 'which teaches the values' }],
  options: keys({
    gamma: number({ min: 0, max: 1, example: 0.99 }).default(1).describe('What a reward is worth a token earlier.'),
    lam: number({ min: 0, max: 1, example: 0.95 })
      .default(0.95)
      .describe('1: whole returns less the value; 0: only the next value.'),
    lamCritic: optional(number({ min: 0, max: 1, example: 1 })).describe(
      'λ of the returns that the head learns. Default: lam.',
    ),
    lamLengthAlpha: optional(number({ above: 0, example: 0.05 })).describe(
      'α of λ = 1 − 1/(α·length) in the place of lam, for advantages: longer completions, further credit.',
    ),
    whitenAdvantages: flag()
      .default(true)
      .describe('Whether advantages of the batch get a mean of 0 and a deviation of 1.'),
  }),
  takesSingles: true,
  work: (_, { batch: { numGenerations } }, lengths) => ({ rows: groupRows(numGenerations, lengths), scores: true }),
  uses: () => [lastHidden],
  create: ({ gamma, lam, lamCritic = lam, lamLengthAlpha, whitenAdvantages }): AdvantageEstimator => {
    const estimateOne = (rollout: Rollout, head: ValueHead): TokenCredit | undefined => {
      if (!counts(rollout)) return undefined;
      const own = ownTokens(rollout);
      const hidden = lastHidden.of(rollout) ?? new Float32Array();
      const all = hidden.length > 0 ? head.values(hidden, rollout.tokens.length) : undefined;
      const values = own.map((t) => Math.fround(all?.[t] ?? 0));
      const rewards = paidTo(rollout, own);
      const lambda = lamLengthAlpha === undefined ? lam : lengthAdaptiveLambda(lamLengthAlpha, own.length);
      const advantages = advantagesOf(rewards, values, { gamma, lambda });
      const ofCritic = lambda === lamCritic ? advantages : advantagesOf(rewards, values, { gamma, lambda: lamCritic });
      return { own, values, advantages, returns: values.map((value, i) => value + ofCritic[i]) };
    };
    return {
      estimate(groups, context) {
        const head = headOf(context);
        const credits = groups.map(({ rollouts }) => rollouts.map((rollout) => estimateOne(rollout, head)));
        const flat = credits.flat().filter((credit) => credit !== undefined);
        const of = (name: 'values' | 'returns' | 'advantages'): number[] => flat.flatMap((credit) => [...credit[name]]);
        const [values, returns, advantages] = [of('values'), of('returns'), of('advantages')];
        const explained = explainedVariance(values, returns);
        if (explained !== undefined) context.metric('explained_variance', explained);
        if (values.length > 0) context.metric('value', meanOf(values));
        const isScaled = whitenAdvantages && advantages.length > 1;
        const center = isScaled ? meanOf(advantages) : 0;
        const divisor = isScaled ? deviationOf(advantages) + EPSILON : 1;
        return groups.map((group, g) => credited(group, credits[g], (advantage) => (advantage - center) / divisor));
      },
      isDead: hasNoReward,
    };
  },
});

/** [own tokens] of one completion. */
interface TokenCredit {
  /** Their places among the tokens. */
  readonly own: readonly number[];
  readonly values: readonly number[];
  readonly advantages: Float64Array;
  readonly returns: readonly number[];
}

function credited(
  { rollouts }: RolloutGroup,
  credits: readonly (TokenCredit | undefined)[],
  scale: (advantage: number) => number,
): Pick<CreditedGroup, 'advantages' | 'tokenAdvantages' | 'rollouts'> {
  const spread = (rollout: Rollout, own: readonly number[], values: ArrayLike<number>): Float32Array => {
    const all = new Float32Array(rollout.tokens.length);
    own.forEach((t, i) => {
      all[t] = values[i];
    });
    return all;
  };
  const tokenAdvantages = rollouts.map((rollout, i) => {
    const credit = credits[i];
    return credit ? spread(rollout, credit.own, credit.advantages.map(scale)) : spread(rollout, [], []);
  });
  return {
    tokenAdvantages,
    advantages: Float32Array.from(tokenAdvantages, (own, i) => own[credits[i]?.own[0] ?? 0] ?? 0),
    rollouts: rollouts.map((rollout, i) => {
      const credit = credits[i];
      if (credit === undefined) return rollout;
      const { own, values, returns } = credit;
      return { ...rollout, values: spread(rollout, own, values), returns: spread(rollout, own, returns) };
    }),
  };
}

/** Places of the tokens that the policy wrote. */
function ownTokens({ tokens, labels }: Rollout): number[] {
  return Array.from(tokens.keys()).filter((t) => carriesLoss({ ...(labels && { labels }) }, t));
}

/** [own tokens] what is paid at each: turns at their last own token, and the completion at its last. */
function paidTo(rollout: CountedRollout, own: readonly number[]): Float64Array {
  const rewards = new Float64Array(own.length);
  if (own.length === 0) return rewards;
  let end = 0;
  for (const { tokens, label, reward = 0 } of turnsOf(rollout)) {
    end += tokens.length;
    if (label !== POLICY_TURN || reward === 0) continue;
    const last = own.findLastIndex((t) => t < end);
    if (last >= 0) rewards[last] += reward;
  }
  rewards[own.length - 1] += rollout.reward;
  return rewards;
}
