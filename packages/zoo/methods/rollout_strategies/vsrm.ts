/**
 * Pays each step of a completion by what it does to the chance of being right: some completions are sampled from its
 * end, and the share of them that is right is compared with the one from the end of the step before. Steps that gain
 * nothing earn nothing, so that a policy need not keep thinking; one that spoils a solution costs.
 *
 *   d_k = acc_k − acc_{k−1}      acc_0: the share of the group that is right, acc_K: the own verdict, acc_k: that of N sub-rollouts
 *   r_k = d_k where |d_k| ≥ ε, else d_{k+j}·γ^j of the nearest later step j ≤ window that has so much, else 0
 *   A_t ← A_t + step_weight·Σ_{k: step k ends at t or later} r_k
 *
 * With `least_value` and the objective `rft` this is MICS: traces are kept from whose every prefix others find the
 * answer.
 *
 * Sub-rollouts are not trained on; they count as sampled, and their beginnings do not. The paper cuts at words like
 * "However"; here a step ends after step_mark, or after step_tokens tokens. ε, γ, window and how many steps are cut are
 * ours.
 */
import { isRight, shareRight } from '../../../../src/methods/support/rollouts/right.ts';
import { lossTokens } from '../../../../src/methods/tokens.ts';
import { groupRows } from '../../../estimate/rows.ts';
import type { GroupRequest, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { integer, keys, laterKey, meanOf, method, number, optional, text } from '../kit.ts';

export const vsrm = method({
  id: 'vsrm',
  about: {
    does: 'Pays each step of a completion by how much likelier a right answer is after it than before.',
    names: ['verifiable stepwise reward', 'sub-rollouts', 'Monte Carlo step values'],
    formula:
      'r_k = acc_k − acc_{k−1} of sub_rollouts from the end of each step, where it is significant; A_t ← A_t + step_weight·Σ r_k from t on',
    source: '2508.10293',
    certainty: 'after the paper',
  },
  options: keys({
    subRollouts: integer({ min: 0, max: 64, example: 4 })
      .default(4)
      .describe('Completions from the end of each step; 0 pays no steps.'),
    stepMark: optional(text('\n')).describe('What a step ends with. Default none: steps of step_tokens tokens each.'),
    stepTokens: integer({ min: 1, example: 2 }).default(8).describe('Fewest tokens of a step but the last.'),
    mostSteps: integer({ min: 2, max: 64, example: 4 })
      .default(4)
      .describe('Steps of a completion, at most: those of long ones are longer.'),
    significantGain: number({ min: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('ε: a smaller gain or loss is taken for noise.'),
    gainDiscount: number({ min: 0, max: 1, example: 0.7 })
      .default(0.7)
      .describe('γ: what a later gain is worth to the step before.'),
    gainWindow: integer({ min: 0, max: 64, example: 2 }).default(2).describe('Steps that it reaches back.'),
    stepWeight: number({ min: 0, example: 1 }).default(1).describe('Weight of what steps earn beside the advantage.'),
    leastValue: laterKey(
      'least_value',
      number({ min: 0, max: 1, example: 0.5 })
        .default(0)
        .describe(
          'Completions of which some prefix leads to a right answer less often carry no loss: a filter of traces.',
        ),
    ),
  }),
  readsVerdicts: true,
  work: ({ subRollouts, stepTokens, mostSteps }, { batch: { numGenerations } }, lengths) => {
    const stepLength = Math.max(stepTokens, Math.ceil(lengths.completion / mostSteps));
    const ends = Math.max(0, Math.ceil(lengths.completion / stepLength) - 1);
    return { rows: numGenerations * ends * groupRows(subRollouts, lengths) };
  },
  create: (options): RolloutStrategy => ({
    async rollOut(requests, next, { tokenText, metric }) {
      const groups = await next(requests);
      const { subRollouts, significantGain, stepWeight, leastValue } = options;
      if (subRollouts === 0) return groups;
      const asked: GroupRequest[] = [];
      const endsOf = new Map<Rollout, readonly number[]>();
      for (const { item, rollouts } of groups) {
        for (const rollout of rollouts) {
          const ends = innerEnds(rollout, options, tokenText);
          endsOf.set(rollout, ends);
          const { tokens, prompt } = rollout;
          for (const end of ends) {
            const prefixes = Array.from({ length: subRollouts }, () => tokens.subarray(0, end));
            asked.push({ item, samples: subRollouts, prefixes, origin: 'sub-rollout', prompt });
          }
        }
      }
      const behind = asked.length === 0 ? [] : (await next(asked)).slice(0, asked.length);
      let at = 0;
      const gains: number[] = [];
      let filtered = 0;
      const paid = groups.map((group): RolloutGroup => {
        const before = shareRight([group]);
        return {
          ...group,
          rollouts: group.rollouts.map((rollout): Rollout => {
            const ends = endsOf.get(rollout) ?? [];
            const shares = ends.map(() => shareRight([behind[at++]]));
            const chances = [before, ...shares, isRight(rollout) ? 1 : 0];
            const own = chances.slice(1).map((chance, k) => chance - chances[k]);
            gains.push(...own);
            const tokenRewards = new Float32Array(rollout.tokens.length);
            stepRewards(own, options).forEach((reward, k) => {
              tokenRewards[(ends[k] ?? rollout.tokens.length) - 1] = stepWeight * reward;
            });
            const isFiltered = shares.some((share) => share < leastValue);
            filtered += Number(isFiltered);
            return { ...rollout, tokenRewards, ...(isFiltered && { inLoss: false }) };
          }),
        };
      });
      if (leastValue > 0) metric('filtered', filtered / Math.max(1, endsOf.size));
      metric('steps', gains.length / Math.max(1, endsOf.size));
      metric('significant', meanOf(gains.map((gain) => (Math.abs(gain) >= significantGain ? 1 : 0))));
      metric(
        'tokens',
        behind.flatMap(({ rollouts }) => rollouts).reduce((sum, one) => sum + lossTokens(one), 0),
      );
      return paid;
    },
  }),
});

interface Cut {
  readonly stepMark?: string | undefined;
  readonly stepTokens: number;
  readonly mostSteps: number;
}

/** Tokens before the end of each step but the last: a step has its fewest tokens, and ends after the mark. */
function innerEnds(
  { tokens }: Rollout,
  { stepMark, stepTokens, mostSteps }: Cut,
  textOf: (id: number) => string,
): readonly number[] {
  const fewest = Math.max(stepTokens, Math.ceil(tokens.length / mostSteps));
  const ends: number[] = [];
  let [begin, written] = [0, ''];
  for (let t = 0; t < tokens.length - 1; t++) {
    written += textOf(tokens[t]);
    if (t + 1 - begin < fewest || (stepMark !== undefined && !written.includes(stepMark))) continue;
    ends.push(t + 1);
    [begin, written] = [t + 1, ''];
  }
  return ends;
}

interface Significance {
  readonly significantGain: number;
  readonly gainDiscount: number;
  readonly gainWindow: number;
}

/** [steps] what each earns, of its own gain or of the nearest later one that is significant. */
function stepRewards(
  gains: readonly number[],
  { significantGain, gainDiscount, gainWindow }: Significance,
): readonly number[] {
  const isSignificant = (gain: number): boolean => gain !== 0 && Math.abs(gain) >= significantGain;
  return gains.map((_, k) => {
    const later = gains.slice(k, k + gainWindow + 1).findIndex(isSignificant);
    return later < 0 ? 0 : gains[k + later] * gainDiscount ** later;
  });
}
