/** p̂ is the share of the group that is right. With three equal weights it is `kl-loss` without its correction. */

import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { counts, key, type LossTerm, method, number } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

const weight = (yaml: string, fallback: number, where: string) =>
  key(yaml, number({ min: 0, example: fallback }).default(fallback).describe(`Weight of the KL where ${where}.`));

const bound = (yaml: string, fallback: number, what: string) =>
  key(yaml, number({ min: 0, max: 1, example: fallback }).default(fallback).describe(what));

export const difficultyBeta = method({
  id: 'difficulty-beta',
  about: {
    does: 'Holds the policy near the one that the stage began with, by a weight that follows how hard the problem is.',
    names: ['CLPO', 'difficulty-aware KL'],
    formula:
      'β(p̂)·(e^x − x − 1), x = ref − logprob; β: hard_beta at p̂ ≤ hard_below, easy_beta at p̂ > easy_above, else middle_beta',
    source: '2509.25004',
    certainty: 'after the paper',
    when: 'Where easy problems may move freely and hard ones pull the policy away; it needs several samples of a problem.',
  },
  options: {
    hardBeta: weight('hard_beta', 0.0005, 'p̂ is at most hard_below'),
    middleBeta: weight('middle_beta', 0.001, 'p̂ is between the two'),
    easyBeta: weight('easy_beta', 0.005, 'p̂ is above easy_above'),
    hardBelow: bound('hard_below', 0.25, 'Largest share of right completions of a hard problem.'),
    easyAbove: bound('easy_above', 0.75, 'Share above which a problem is easy.'),
    ...SOLVED_OPTIONS,
  },
  complete(options, refuse) {
    if (options.hardBelow > options.easyAbove) refuse('hardBelow', `above easy_above (${options.easyAbove}); lower it`);
    return options;
  },
  uses: () => [reference],
  tells: ['kl'],
  create: ({ hardBeta, middleBeta, easyBeta, hardBelow, easyAbove, ...options }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      const isSolved = solvedBy(options);
      sequences.forEach(({ logprobs, refLogprobs, coefficients, group }, i) => {
        if (refLogprobs === undefined) throw new RangeError('difficulty-beta needs the reference');
        const tried = group.rollouts.filter(counts);
        const share = tried.filter(isSolved).length / Math.max(1, tried.length);
        const beta = share <= hardBelow ? hardBeta : share > easyAbove ? easyBeta : middleBeta;
        const { losses, dLogprobs } = gradients[i];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const [x, scale] = [refLogprobs[t] - logprobs[t], coefficients[t] * beta];
          losses[t] += scale * (Math.expm1(x) - x);
          dLogprobs[t] -= scale * Math.expm1(x);
        }
      });
    },
  }),
});
