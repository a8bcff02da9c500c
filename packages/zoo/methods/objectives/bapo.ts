/**
 * BAPO is the clip of PPO with bounds that are found anew before each optimizer step. While tokens of positive advantage
 * make up less than their share of what counts, the lower bound rises, which silences more of the falling tokens of negative
 * advantage, and then the upper one, which lets those of positive advantage rise further. As in the authors' code; how far
 * a bound moves at a time is ours.
 */
import { clipBetween, decidingBound } from '../../../../src/methods/support/loss/clipped.ts';
import { objectiveTerm } from '../../../../src/methods/support/loss/surrogate_term.ts';
import { keys, type LossSequence, type LossTerm, method, number, type Ratio, type Surrogate } from '../kit.ts';

const bound = (value: number, text: string) => number({ above: 0, example: value }).default(value).describe(text);

export const bapo = method({
  id: 'bapo',
  about: {
    does: 'Moves both bounds of the clip until tokens of positive advantage have their share of the loss.',
    names: ['balanced policy optimization', 'adaptive clipping'],
    formula:
      '−min(r·A, clip(r, low, high)·A); low, then high rises while Σ₊ min(r, high)·A < positive_share·(Σ₊ min(r, high)·A + Σ₋ max(r, low)·|A|)',
    source: '2510.18927',
    certainty: 'after the paper',
    when: 'Off-policy, where many wrong answers outweigh the right ones; with advantages that add up to 0 it seldom acts.',
  },
  against: ['entropy-collapse', 'stale-rollouts'],
  options: keys({
    positiveShare: number({ above: 0, below: 1, example: 0.5 })
      .default(0.5)
      .describe('Least share of positive advantages in the loss.'),
    lowerFrom: bound(0.6, 'Lower bound of the ratio at first.'),
    lowerTo: bound(0.9, 'Largest lower bound.'),
    upperFrom: bound(1.2, 'Upper bound of the ratio at first.'),
    upperTo: bound(3, 'Largest upper bound.'),
    boundStep: number({ above: 0, example: 0.05 }).default(0.05).describe('How far a bound moves at a time.'),
  }),
  complete(options, refuse) {
    const { lowerFrom, lowerTo, upperFrom, upperTo } = options;
    if (lowerTo < lowerFrom || lowerTo > 1)
      refuse('lowerTo', `must be from lower_from (${lowerFrom}) to 1; for example 0.9`);
    if (upperFrom < 1) refuse('upperFrom', 'must be 1 or more; for example 1.2');
    if (upperTo < upperFrom) refuse('upperTo', `must be upper_from (${upperFrom}) or more; for example 3`);
    return options;
  },
  actsOn: 'moved',
  create({ positiveShare, lowerFrom, lowerTo, upperFrom, upperTo, boundStep }): LossTerm {
    let [low, high] = [lowerFrom, upperFrom];
    const clipped: Surrogate = {
      at: (point, out) => clipBetween(point, low, high, Number.POSITIVE_INFINITY, out),
      clipped: (point) => decidingBound(point, low, high),
    };
    const terms = new Map<Ratio, LossTerm>();
    const termBy = (ratio: Ratio): LossTerm => {
      const term = terms.get(ratio) ?? objectiveTerm(clipped, ratio);
      terms.set(ratio, term);
      return term;
    };
    return {
      coupling: 'batch',
      observe(sequences, { ratio }) {
        [low, high] = [lowerFrom, upperFrom];
        const tokens = tokensOf(sequences, ratio);
        while (shareOf(tokens, low, high) < positiveShare && (low < lowerTo || high < upperTo)) {
          if (low < lowerTo) low = Math.min(low + boundStep, lowerTo);
          else high = Math.min(high + boundStep, upperTo);
        }
      },
      add: (sequences, gradients, context) => termBy(context.ratio).add(sequences, gradients, context),
      measures: {
        add(sequence, meter, context) {
          termBy(context.ratio).measures?.add(sequence, meter, context);
          meter.mean('bapo/low', low, 1);
          meter.mean('bapo/high', high, 1);
        },
      },
    };
  },
});

/** Ratio and advantage of each token that carries a loss. */
function tokensOf(sequences: readonly LossSequence[], ratio: Ratio): readonly (readonly [number, number])[] {
  return sequences.flatMap((sequence) => {
    const { coefficients, advantages } = sequence;
    const logRatios = new Float64Array(coefficients.length);
    ratio.measure(sequence, logRatios);
    return Array.from(coefficients, (_, t) => t)
      .filter((t) => coefficients[t] !== 0)
      .map((t): [number, number] => [Math.exp(logRatios[t]), advantages[t]]);
  });
}

/** Share of positive advantages in what counts within these bounds; 1 of nothing. */
function shareOf(tokens: readonly (readonly [number, number])[], low: number, high: number): number {
  let [positive, all] = [0, 0];
  for (const [ratio, advantage] of tokens) {
    const part = advantage > 0 ? Math.min(ratio, high) * advantage : -Math.max(ratio, low) * advantage;
    if (advantage > 0) positive += part;
    all += part;
  }
  return all === 0 ? 1 : positive / all;
}
