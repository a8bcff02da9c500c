/**
 * Self-distillation: the policy learns from itself where it knows more. A teacher, the reference, sees besides the problem
 * a completion of the same group that is right, or what was wrong with this one, and says at each of the completion's own
 * tokens which it would have written. With p of the policy and q of the teacher, which is a constant, the divergence is
 * that of `jensenShannon`.
 *
 * `ref-ema` makes the reference an average of the policy, as the paper's teacher is. A token weighs by its ratio to the
 * sampler, at most `sdpo_cap`, as a constant. Completions that nothing is known of have no loss here.
 *
 * A teacher that is shown the solution needs no rewards: on-policy self-distillation (OPSD, arXiv:2601.18734; SDFT,
 * arXiv:2601.19897), whose whole loss it is with `objective: terms-only`.
 */
import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { key, keys, type LossSequence, type LossTerm, method, number } from '../kit.ts';
import { jensenShannon, rowOf } from '../support/loss/divergence.ts';
import { knowingPrompt, TEACHER_SHOWS, teacherUses } from '../support/rollouts/knowing_teacher.ts';

export const sdpo = method({
  id: 'sdpo',
  about: {
    does: 'Learns at each token from a teacher that sees a right completion of the group, what was wrong, or the solution.',
    names: ['self-distillation', 'self-distilled policy optimization', 'on-policy self-distillation', 'OPSD', 'SDFT'],
    formula: 'sdpo_coef·min(r, sdpo_cap)·JSD_α(π(· | problem), q(· | problem, shown)); q of the reference, a constant',
    source: '2601.20802',
    certainty: 'paper',
  },
  companions: [
    {
      ids: ['ref-ema'],
      line: 'controllers: [ref-ema]',
      why: 'so that the teacher is an average of the policy and learns with it',
    },
  ],
  options: keys({
    sdpoWeight: key('sdpo_coef', number({ min: 0, example: 1 }).default(1).describe('Weight of the divergence.')),
    sdpoAlpha: number({ above: 0, below: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the policy in the middle that both are compared with.'),
    sdpoCap: number({ above: 0, example: 2 }).default(2).describe('Most that the ratio to the sampler weighs.'),
    sdpoShown: key('sdpo_shows', TEACHER_SHOWS),
  }),
  uses: ({ sdpoShown }, { batch: { numGenerations } }) => [...teacherUses(sdpoShown, numGenerations), distributions],
  demonstrate: ({ item, answer, shown, ended }) => ({ prompt: shown(item, answer), tokens: ended(answer) }),
  readsVerdicts: ({ sdpoShown }) => sdpoShown !== 'solution',
  create: ({ sdpoWeight, sdpoAlpha, sdpoCap, sdpoShown }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    ...(sdpoShown === 'solution' && sdpoWeight > 0 && { learnsWithoutRewards: true }),
    stopsGradient: true,
    teacherPrompt: (group, rollout, tools) => knowingPrompt(group, rollout, sdpoShown, tools),
    add(sequences, gradients) {
      const divergence = jensenShannon(sdpoAlpha);
      sequences.forEach((sequence, i) => {
        const { distributions: logP, teacherDistributions: logQ, coefficients, logprobs, oldLogprobs } = sequence;
        if (logP === undefined || logQ === undefined) return;
        const { losses, dLogits } = gradients[i];
        const width = logP.length / Math.max(1, coefficients.length);
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const ratio = Math.min(Math.exp(logprobs[t] - oldLogprobs[t]), sdpoCap);
          const weight = sdpoWeight * coefficients[t] * ratio;
          const slopes = dLogits && rowOf(dLogits, t, width);
          losses[t] += weight * divergence(rowOf(logP, t, width), rowOf(logQ, t, width), weight, slopes);
        }
      });
    },
    measures: {
      add(sequence, meter) {
        const [sum, tokens] = divergenceOf(sequence, sdpoAlpha);
        meter.mean('sdpo/divergence', sum, tokens);
        meter.mean('sdpo/taught', sequence.teacherDistributions === undefined ? 0 : 1, 1);
      },
    },
  }),
});

function divergenceOf(sequence: LossSequence, alpha: number): readonly [sum: number, tokens: number] {
  const { distributions: logP, teacherDistributions: logQ, coefficients } = sequence;
  if (logP === undefined || logQ === undefined) return [0, 0];
  const width = logP.length / Math.max(1, coefficients.length);
  let [sum, tokens] = [0, 0];
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    sum += jensenShannon(alpha)(rowOf(logP, t, width), rowOf(logQ, t, width), 0, undefined);
    tokens++;
  }
  return [sum, tokens];
}
