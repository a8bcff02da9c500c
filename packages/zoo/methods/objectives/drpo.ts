/**
 * DRPO: right answers are compared with right ones alone, so that none is ever pushed down for its length. A completion
 * counts by s, the mean of its log-probs. Right ones are raised by ω, the softmax over them of their quality (here: how
 * short they are); wrong ones are lowered by the softmax over them of s itself. Written −Σ A·s with A as a constant in
 * the paper; here it is the function whose derivative that is, drpo_tau·log mean exp(s/drpo_tau) for the wrong ones, so
 * that its value means something. What is right is read from verdicts or rewards (`solved_reward`), not from
 * advantages, and groups that have not both kinds give nothing. The loss of a group weighs as the aggregation weighs
 * its tokens: with `seq-mean`, each group the same. The paper's bound on the KL is the loss term `hinge-kl`.
 */
import type { LossSequence, LossTerm } from '../kit.ts';
import { counts, key, method, number, unreadAdvantages, unreadRatio } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { extentOf, meanOver, membersByGroup, weightOf } from '../support/loss/by_group.ts';
import { softmax } from '../support/loss/softmax.ts';

export const drpo = method({
  id: 'drpo',
  about: {
    does: 'Prefers short right answers among the right ones, and lowers wrong ones by how likely they are.',
    formula:
      '−Σ_right ω_i·s_i + drpo_tau·log mean_wrong exp(s_j/drpo_tau), ω = softmax((1 − L/L_max)/drpo_lambda), s = mean_t log π',
    source: '2510.04474',
    certainty: 'paper',
  },
  against: ['length-explosion'],
  companions: [
    { ids: ['hinge-kl'], line: 'loss_terms: [hinge-kl]', why: 'which bounds how far the policy moves' },
    { ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each group weighs the same' },
  ],
  options: {
    wrongTemperature: key(
      'drpo_tau',
      number({ above: 0, example: 10 }).default(10).describe('Temperature among wrong answers.'),
    ),
    lengthTemperature: key(
      'drpo_lambda',
      number({ above: 0, example: 0.1 })
        .default(0.1)
        .describe('Temperature among right answers: near 0 the shortest alone counts, far above 1 all alike.'),
    ),
    ...SOLVED_OPTIONS,
  },
  note: (_, methods) =>
    [unreadRatio(methods) ?? [], unreadAdvantages(methods, 'which completions are solved') ?? []].flat(),
  create: ({ wrongTemperature, lengthTemperature, ...options }): LossTerm => ({
    coupling: 'group',
    add(sequences, gradients, { sizes: { maxCompletionTokens } }) {
      const solves = solvedBy(options);
      const isRight = ({ rollout }: LossSequence): boolean => counts(rollout) && solves(rollout);
      for (const members of membersByGroup(sequences, ({ rollout }) => counts(rollout))) {
        const right = members.filter((i) => isRight(sequences[i]));
        const wrong = members.filter((i) => !isRight(sequences[i]));
        if (right.length === 0 || wrong.length === 0) continue;
        const groupWeight = weightOf(sequences, members);
        const add = (i: number, loss: number, slope: number): void => {
          const { coefficients } = sequences[i];
          const { losses, dLogprobs } = gradients[i];
          const { tokens } = extentOf(sequences[i]);
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] += (groupWeight * loss) / tokens;
            dLogprobs[t] += (groupWeight * slope) / tokens;
          }
        };
        const shortness = right.map((i) => 1 - extentOf(sequences[i]).tokens / maxCompletionTokens);
        const raised = softmax(shortness, lengthTemperature).shares;
        right.forEach((i, m) => {
          add(i, -raised[m] * meanLogprob(sequences[i]), -raised[m]);
        });
        const lowered = softmax(
          wrong.map((i) => meanLogprob(sequences[i])),
          wrongTemperature,
        );
        const loss = wrongTemperature * (lowered.logSum - Math.log(wrong.length));
        wrong.forEach((i, m) => {
          add(i, loss / wrong.length, lowered.shares[m]);
        });
      }
    },
  }),
});

function meanLogprob(sequence: LossSequence): number {
  return meanOver(sequence, sequence.logprobs);
}
