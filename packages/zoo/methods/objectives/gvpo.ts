/**
 * GVPO: the reward that a policy implies, gvpo_beta times how much likelier it finds a completion than the policy that
 * sampled it, is fitted to the real one by least squares, both less their means over the group, which makes the partition
 * function fall out. Its only optimum is π_old·exp(R/gvpo_beta)/Z, wherever the completions are from. Divided by
 * gvpo_beta, so that where nothing has moved the gradient is that of the advantages, over whole completions.
 *
 * FlowRL fits the flow of a completion to its reward: the same square over the mean log-ratio to the reference, with a
 * partition function that is learned (arXiv:2509.15207). Here that is `gvpo_from: reference` and `gvpo_by: mean`, with the
 * mean of the group in its place.
 */

import { ownWeight } from '../../../../src/methods/support/loss/surrogate_term.ts';
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { choice, keys, type LossSequence, type LossTerm, method, number, unreadRatio } from '../kit.ts';
import { advantageOf, extentOf, growthOver, membersByGroup } from '../support/loss/by_group.ts';

export const gvpo = method({
  id: 'gvpo',
  about: {
    does: 'Fits the rewards that the policy implies to the real ones, as differences within a group.',
    names: ['group variance policy optimization', 'FlowRL'],
    formula: '(gvpo_beta·(ℓ_i − mean ℓ) − A_i)²/(2·gvpo_beta), ℓ = Σ_t (log π − log π_old)',
    source: '2504.19599',
    certainty: 'after the paper',
    when: 'For several updates or old completions without a clip: it stops by itself where the policy fits the rewards.',
  },
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each completion weighs the same' }],
  options: keys({
    gvpoBeta: number({ above: 0, example: 0.1 })
      .default(0.1)
      .describe('Nats of a completion that one unit of advantage is worth are 1/gvpo_beta: small moves far.'),
    gvpoFrom: choice(['sampler', 'reference'])
      .default('sampler')
      .describe('Which policy a completion must become likelier than: what sampled it, or the reference.'),
    gvpoBy: choice(['sum', 'mean']).default('sum').describe('Log-ratios of a completion: added up, or their mean.'),
  }),
  uses: ({ gvpoFrom }) => (gvpoFrom === 'reference' ? [reference] : []),
  note: (_, methods) => unreadRatio(methods),
  create: ({ gvpoBeta, gvpoFrom, gvpoBy }): LossTerm => ({
    coupling: 'group',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      for (const members of membersByGroup(sequences)) {
        if (members.length < 2) continue;
        const own = members.map((i) => sequences[i]);
        const grown = own.map((sequence) => growthOf(sequence, gvpoFrom, gvpoBy));
        const mean = grown.reduce((sum, growth) => sum + growth, 0) / grown.length;
        const errors = own.map((sequence, m) => gvpoBeta * (grown[m] - mean) - advantageOf(sequence));
        const slopes = own.map((sequence, m) => extentOf(sequence).weight * errors[m]);
        const meanSlope = slopes.reduce((sum, slope) => sum + slope, 0) / slopes.length;
        own.forEach((sequence, m) => {
          const { losses, dLogprobs } = gradients[members[m]];
          const { coefficients } = sequence;
          const perToken = gvpoBy === 'mean' ? 1 / extentOf(sequence).tokens : 1;
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] += (ownWeight(sequence, t) * errors[m] ** 2) / (2 * gvpoBeta);
            dLogprobs[t] += perToken * (slopes[m] - meanSlope);
          }
        });
      }
    },
  }),
});

/** How much likelier the policy finds a completion, in nats. */
function growthOf(sequence: LossSequence, from: 'sampler' | 'reference', by: 'sum' | 'mean'): number {
  const { oldLogprobs, refLogprobs } = sequence;
  const base = from === 'sampler' ? oldLogprobs : refLogprobs;
  if (base === undefined) throw new RangeError('gvpo needs the reference');
  const sum = growthOver(sequence, base);
  return by === 'mean' ? sum / extentOf(sequence).tokens : sum;
}
