/**
 * M2PO: of an optimizer step's tokens those that the policy has moved furthest on are left out, until the mean square of
 * the log-ratios of the others is within a bound. It stands for a clip, which looks at each token by itself and silences
 * many that carry the most signal; so that the clip of the objective does not act first, that is meant wide
 * (`epsilon: 0.99`, `epsilon_high: 9`).
 */
import { key, method, number, type Rollout, type TokenWeight } from '../kit.ts';

export const secondMomentMask = method({
  id: 'second-moment-mask',
  about: {
    does: 'Leaves out the few tokens that the policy has moved furthest on, so that the rest stay within a bound.',
    names: ['M2PO', 'second-moment trust policy optimization'],
    formula: 'weight 0 at the tokens of largest (log r)², as few as make the mean of the others at most m2_max',
    source: '2510.01161',
    certainty: 'after the paper',
    when: 'With staleness or several updates a batch, in place of a clip that silences too much.',
  },
  against: ['stale-rollouts', 'clip-fraction'],
  options: {
    mostSecondMoment: key(
      'm2_max',
      number({ min: 0, example: 0.04 }).default(0.04).describe('Largest mean square of log-ratios.'),
    ),
  },
  actsOn: 'moved',
  create: ({ mostSecondMoment }): TokenWeight => {
    let left: ReadonlyMap<Rollout, ReadonlySet<number>> = new Map();
    return {
      coupling: 'batch',
      offPolicyOnly: true,
      observe(sequences, { metric }) {
        const moved = sequences.flatMap(({ rollout, logprobs, oldLogprobs, coefficients }) =>
          Array.from(coefficients, (_, t) => ({ rollout, t, square: (logprobs[t] - oldLogprobs[t]) ** 2 })).filter(
            ({ t }) => coefficients[t] !== 0,
          ),
        );
        moved.sort((a, b) => b.square - a.square);
        let sum = moved.reduce((all, { square }) => all + square, 0);
        let out = 0;
        while (out < moved.length && sum > mostSecondMoment * (moved.length - out)) sum -= moved[out++].square;
        const marks = new Map<Rollout, Set<number>>();
        for (const { rollout, t } of moved.slice(0, out)) marks.set(rollout, (marks.get(rollout) ?? new Set()).add(t));
        left = marks;
        metric('masked', out / Math.max(1, moved.length));
      },
      weigh(sequences, all) {
        sequences.forEach(({ rollout }, i) => {
          for (const t of left.get(rollout) ?? []) all[i].weights[t] = 0;
        });
      },
    };
  },
});
