/**
 * GEPO: the ratio of a completion to what its group is expected to be sampled with, E = Σ q²/Σ q over the group, in place of
 * its own q. Where learner and samplers are far apart, it varies far less than q does. p and q are geometric means over
 * tokens, and the clip is PPO's, as in the authors' code; the ratio is not 1 where nothing has moved.
 */
import { clipBetween } from '../../../../src/methods/support/loss/clipped.ts';
import { ownWeight } from '../../../../src/methods/support/loss/surrogate_term.ts';
import { type LossTerm, method, unreadRatio } from '../kit.ts';
import { advantageOf, extentOf, meanOver, membersByGroup } from '../support/loss/by_group.ts';
import { clipWidth } from '../support/loss/clip_width.ts';

export const gepo = method({
  id: 'gepo',
  about: {
    does: 'Weighs a completion by its probability over what its group is expected to be sampled with, and clips it.',
    names: ['group expectation policy optimization'],
    formula: '−min(w·A, clip(w)·A), w_i = p_i·Σ_j q_j/Σ_j q_j²; p, q = exp(mean_t log π), exp(mean_t log π_old)',
    source: '2508.17850',
    certainty: 'paper',
    when: 'With completions that waited long or came from elsewhere, where ratios of single completions are wild.',
  },
  against: ['stale-rollouts'],
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each completion weighs the same' }],
  options: {
    expectedLow: clipWidth('gepo_epsilon', 'below', { above: 0, example: 0.2 }),
    expectedHigh: clipWidth('gepo_epsilon_high', 'above', { above: 0, example: 0.2 }),
  },
  complete(options, refuse) {
    if (options.expectedLow >= 1) refuse('expectedLow', 'must be below 1; for example 0.2');
    return options;
  },
  note: (_, methods) => unreadRatio(methods),
  create({ expectedLow, expectedHigh }): LossTerm {
    const [low, high] = [1 - expectedLow, 1 + expectedHigh];
    return {
      coupling: 'group',
      add(sequences, gradients) {
        for (const members of membersByGroup(sequences)) {
          const expected = expectedOf(members.map((i) => meanOver(sequences[i], sequences[i].oldLogprobs)));
          for (const i of members) {
            const { coefficients, logprobs } = sequences[i];
            const { losses, dLogprobs } = gradients[i];
            const { tokens, weight } = extentOf(sequences[i]);
            const point = {
              logRatio: meanOver(sequences[i], logprobs) - expected,
              logprob: 0,
              oldLogprob: 0,
              advantage: advantageOf(sequences[i]),
            };
            const value = { loss: 0, slope: 0, logprobSlope: 0 };
            clipBetween(point, low, high, Number.POSITIVE_INFINITY, value);
            for (let t = 0; t < coefficients.length; t++) {
              if (coefficients[t] === 0) continue;
              losses[t] += ownWeight(sequences[i], t) * value.loss;
              dLogprobs[t] += (weight * value.slope) / tokens;
            }
          }
        }
      },
    };
  },
});

/** log(Σ q²/Σ q) of these logs of q. */
function expectedOf(logs: readonly number[]): number {
  const most = Math.max(...logs);
  const parts = logs.map((log) => Math.exp(log - most));
  const [sum, squares] = parts.reduce(([s, q], part) => [s + part, q + part * part], [0, 0]);
  return most + Math.log(squares / sum);
}
