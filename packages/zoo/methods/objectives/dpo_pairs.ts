/**
 * DPO on pairs of siblings: each right completion of a group beside each wrong one, and the cross-entropy of telling
 * which is which by how much more the policy likes them than the reference does. The gradient of a pair fades once they
 * are distinguished. What is right is read from verdicts or rewards (`solved_reward`), not from advantages, and groups
 * that have not both kinds give nothing. The loss of a group is the mean over its pairs, and weighs as the aggregation
 * weighs its tokens: with `seq-mean`, each group the same.
 *
 * `pairs: siblings` compares only completions that share a beginning which one of them inherited, as branches of
 * `prefix-branch` do, and of each pair only what follows it: what was the same for both says nothing of the step that
 * differs.
 */

import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import type { LossGradient, LossSequence, LossTerm } from '../kit.ts';
import { choice, counts, key, laterKey, method, number, unreadAdvantages, unreadRatio } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { extentOf, growthOver, membersByGroup, weightOf } from '../support/loss/by_group.ts';
import { sigmoid, softplus } from '../support/loss/logistic.ts';

export const dpoPairs = method({
  id: 'dpo-pairs',
  about: {
    does: 'Prefers each right completion of a group to each wrong one, beside the reference (DPO).',
    names: ['DPO'],
    formula: 'mean over pairs of −ln σ(dpo_beta·(m_w − m_l)), m = Σ_t (log π − log π_ref)',
    source: '2305.18290',
    certainty: 'paper',
  },
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each group weighs the same' }],
  options: {
    preferenceScale: key(
      'dpo_beta',
      number({ above: 0, example: 0.1 })
        .default(0.1)
        .describe('Scale of the difference: the larger, the nearer the policy stays to the reference.'),
    ),
    ...SOLVED_OPTIONS,
    pairedBy: laterKey(
      'pairs',
      choice(['group', 'siblings'])
        .default('group')
        .describe('group: any right with any wrong one; siblings: those of one inherited beginning.'),
    ),
  },
  uses: () => [reference],
  note: (_, methods) =>
    [unreadRatio(methods) ?? [], unreadAdvantages(methods, 'which completions are solved') ?? []].flat(),
  create: ({ preferenceScale, pairedBy, ...options }): LossTerm => ({
    coupling: 'group',
    add(sequences, gradients) {
      const solves = solvedBy(options);
      for (const members of membersByGroup(sequences, ({ rollout }) => counts(rollout))) {
        const isRight = ({ rollout }: LossSequence): boolean => counts(rollout) && solves(rollout);
        const right = members.filter((i) => isRight(sequences[i]));
        const wrong = members.filter((i) => !isRight(sequences[i]));
        if (pairedBy === 'siblings') {
          addSiblings(sequences, gradients, { right, wrong, members, preferenceScale });
          continue;
        }
        const pairs = right.length * wrong.length;
        if (pairs === 0) continue;
        const margins = new Map(members.map((i) => [i, marginOf(sequences[i])]));
        const apart = (i: number, j: number): number =>
          preferenceScale * ((margins.get(i) ?? 0) - (margins.get(j) ?? 0));
        const weight = weightOf(sequences, members) / pairs;
        // Each of the two has half of the loss of a pair.
        const add = (i: number, sign: 1 | -1, differences: readonly number[]): void => {
          const { coefficients } = sequences[i];
          const { losses, dLogprobs } = gradients[i];
          const loss = differences.reduce((sum, x) => sum + softplus(-x), 0) / (2 * extentOf(sequences[i]).tokens);
          const slope = -sign * preferenceScale * differences.reduce((sum, x) => sum + sigmoid(-x), 0);
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] += weight * loss;
            dLogprobs[t] += weight * slope;
          }
        };
        for (const i of right) {
          const differences = wrong.map((j) => apart(i, j));
          add(i, 1, differences);
        }
        for (const j of wrong) {
          const differences = right.map((i) => apart(i, j));
          add(j, -1, differences);
        }
      }
    },
  }),
});

/** How much likelier the policy finds a completion than the reference does, in nats. */
function marginOf(sequence: LossSequence, from = 0): number {
  const { refLogprobs } = sequence;
  if (refLogprobs === undefined) throw new RangeError('dpo-pairs needs the reference');
  return growthOver(sequence, refLogprobs, from);
}

interface Sides {
  readonly right: readonly number[];
  readonly wrong: readonly number[];
  readonly members: readonly number[];
  readonly preferenceScale: number;
}

/** The pairs of one group that share an inherited beginning, from its end on. */
function addSiblings(
  sequences: readonly LossSequence[],
  gradients: readonly LossGradient[],
  { right, wrong, members, preferenceScale }: Sides,
): void {
  const pairs = right.flatMap((i) =>
    wrong.flatMap((j) => {
      const cut = sharedBeginning(sequences[i], sequences[j]);
      return cut === 0 ? [] : [{ i, j, cut }];
    }),
  );
  const weight = weightOf(sequences, members) / pairs.length;
  for (const { i, j, cut } of pairs) {
    const apart = preferenceScale * (marginOf(sequences[i], cut) - marginOf(sequences[j], cut));
    const slope = preferenceScale * sigmoid(-apart);
    for (const [k, sign] of [
      [i, -1],
      [j, 1],
    ] as const) {
      const { coefficients } = sequences[k];
      const places = Array.from(coefficients, (_, t) => t).filter((t) => t >= cut && coefficients[t] !== 0);
      for (const t of places) {
        gradients[k].losses[t] += (weight * softplus(-apart)) / (2 * places.length);
        gradients[k].dLogprobs[t] += sign * weight * slope;
      }
    }
  }
}

/** Tokens of the beginning that two completions have in common because one inherited it; 0: they are no siblings. */
function sharedBeginning(a: LossSequence, b: LossSequence): number {
  const length = Math.max(inherited(a), inherited(b));
  const [first, second] = [a.rollout.tokens, b.rollout.tokens];
  for (let t = 0; t < length; t++) if (t >= first.length || first[t] !== second[t]) return 0;
  return length;
}

function inherited({ rollout: { labels } }: LossSequence): number {
  const end = labels?.findIndex((label) => label !== TOKEN.given) ?? 0;
  return Math.max(0, end);
}
