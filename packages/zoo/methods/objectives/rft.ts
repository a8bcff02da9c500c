import {
  choice,
  counts,
  keys,
  type LossTerm,
  lossTokens,
  method,
  type Rollout,
  unreadAdvantages,
  unreadRatio,
} from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

/** The plainest way to learn from a verifier, and the one to compare others with. */
export const rft = method({
  id: 'rft',
  about: {
    does: 'Raises the likelihood of right completions, and does nothing else.',
    names: ['rejection-sampling fine-tuning', 'RAFT', 'expert iteration', 'STaR', 'ReST-EM'],
    formula: '−mean_t log π, over the tokens of the right completions of a step, equal ones of a group once',
    source: '2308.01825',
    certainty: 'paper',
  },
  options: {
    ...SOLVED_OPTIONS,
    ...keys({
      keep: choice(['all', 'shortest'])
        .default('all')
        .describe(
          'Which right completions of a group: all, or the shortest alone, so that a search learns to try first what solved.',
        ),
    }),
  },
  note: (_, methods) =>
    [unreadRatio(methods), unreadAdvantages(methods, 'verdicts')].filter((said) => said !== undefined),
  create: (options): LossTerm => {
    const solves = solvedBy(options);
    const kept = options.keep === 'shortest' ? shortest : distinct;
    let chosen: ReadonlySet<Rollout> = new Set();
    let tokens = 0;
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      begin(groups) {
        chosen = new Set(groups.flatMap(({ rollouts }) => kept(rollouts.filter((one) => counts(one) && solves(one)))));
        tokens = [...chosen].reduce((sum, rollout) => sum + lossTokens(rollout), 0);
      },
      add(sequences, gradients) {
        sequences.forEach(({ rollout, logprobs, coefficients }, i) => {
          if (!chosen.has(rollout)) return;
          const { losses, dLogprobs } = gradients[i];
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] -= logprobs[t] / tokens;
            dLogprobs[t] -= 1 / tokens;
          }
        });
      },
      afterUpdate: () => ({ 'rft/completions': chosen.size }),
    };
  },
});

function distinct(rollouts: readonly Rollout[]): Rollout[] {
  const known = new Map<string, Rollout>();
  for (const rollout of rollouts) {
    const text = rollout.tokens.join();
    if (!known.has(text)) known.set(text, rollout);
  }
  return [...known.values()];
}

/** The first of those that are shortest; none of none. */
function shortest(rollouts: readonly Rollout[]): Rollout[] {
  const least = Math.min(...rollouts.map(({ tokens }) => tokens.length));
  return rollouts.filter(({ tokens }) => tokens.length === least).slice(0, 1);
}
