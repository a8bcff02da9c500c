/**
 * The gradient fades once a group's right and wrong answers are far apart. On-policy, without balance, it is that of
 * RLOO, divided by the size of the group. It reads rewards in [0, 1], not advantages. Meant with `aggregation:
 * seq-mean`.
 */
import { DataError } from '../../../../src/errors.ts';
import { bounded } from '../../../../src/methods/ratios/bounded.ts';
import { ownWeight } from '../../../../src/methods/support/loss/surrogate_term.ts';
import { flag, key, type LossSequence, type LossTerm, method, number, unreadAdvantages, unreadRatio } from '../kit.ts';
import { extentOf, membersByGroup } from '../support/loss/by_group.ts';
import { sigmoid, softplus } from '../support/loss/logistic.ts';

export const pacs = method({
  id: 'pacs',
  about: {
    does: "Predicts rewards from the policy's own log-ratios, and learns by the error of the prediction.",
    formula: 'BCE(ψ_i, R_i)·G/(2·n_class), ψ_i = ρ_i − mean_{j≠i} ρ_j, ρ_i = pacs_beta·Σ_t log r_t',
    source: '2509.02522',
    certainty: 'paper',
  },
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each prediction weighs the same' }],
  options: {
    scoreScale: key(
      'pacs_beta',
      number({ above: 0, example: 1 }).default(1).describe('Scale of the log-ratios in the prediction.'),
    ),
    isClassBalanced: key(
      'pacs_balance',
      flag()
        .default(true)
        .describe('Weigh right and wrong completions of a group alike, however many there are of each.'),
    ),
  },
  warn(_, __, { rewards }) {
    const most = rewards.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
    if (most <= 1 + 1e-9) return undefined;
    return `takes rewards as labels from 0 to 1, and these may add up to ${most}; let their weights add up to 1`;
  },
  note: (_, methods) => [unreadRatio(methods) ?? [], unreadAdvantages(methods, 'rewards') ?? []].flat(),
  create: ({ scoreScale, isClassBalanced }): LossTerm => ({
    coupling: 'group',
    add(sequences, gradients) {
      for (const members of membersByGroup(sequences, ({ rollout }) => rollout.reward !== null)) {
        if (members.length < 2) continue;
        const own = members.map((i) => sequences[i]);
        const labels = own.map(labelOf);
        const right = labels.filter((label) => label >= 0.5).length;
        const scores = own.map((sequence) => scoreScale * growthOf(sequence));
        const total = scores.reduce((sum, score) => sum + score, 0);
        // Weighted slopes of the losses by the predictions.
        const slopes = own.map((sequence, m) => {
          const others = (total - scores[m]) / (own.length - 1);
          const prediction = scores[m] - others;
          const inClass = labels[m] >= 0.5 ? right : own.length - right;
          const balance = isClassBalanced ? own.length / (2 * inClass) : 1;
          const loss = balance * (softplus(prediction) - labels[m] * prediction);
          const { losses } = gradients[members[m]];
          for (let t = 0; t < losses.length; t++) losses[t] += ownWeight(sequence, t) * loss;
          return extentOf(sequence).weight * balance * (sigmoid(prediction) - labels[m]);
        });
        const sum = slopes.reduce((all, slope) => all + slope, 0);
        own.forEach((sequence, m) => {
          const slope = scoreScale * (slopes[m] - (sum - slopes[m]) / (own.length - 1));
          const { logprobs, oldLogprobs, coefficients } = sequence;
          const { dLogprobs } = gradients[members[m]];
          for (let t = 0; t < coefficients.length; t++) {
            const logRatio = logprobs[t] - oldLogprobs[t];
            if (coefficients[t] !== 0 && bounded(logRatio) === logRatio) dLogprobs[t] += slope;
          }
        });
      }
    },
  }),
});

/** @throws DataError where the reward is no label */
function labelOf({ rollout: { reward } }: LossSequence): number {
  if (reward !== null && reward >= 0 && reward <= 1) return reward;
  throw new DataError(
    'bad-reward',
    `objective: pacs — takes rewards as labels from 0 to 1, and got ${reward}; leave out rewards or weights that go ` +
      'beyond, or take another objective.',
    { reward },
  );
}

function growthOf({ logprobs, oldLogprobs, coefficients }: LossSequence): number {
  let sum = 0;
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] !== 0) sum += bounded(logprobs[t] - oldLogprobs[t]);
  }
  return sum;
}
