/**
 * Distillation on the policy's own samples: at each token that the policy has written, it is drawn to the distribution of
 * a teacher, a further model of the run with the same vocabulary (`models.teacher`). Over the whole vocabulary that is
 * TRL's DistillationTrainer: with p of the policy, q of the teacher, both at the stage's temperature,
 *
 *   0      KL(q‖p)      1      KL(p‖q)      between   β·KL(q‖m) + (1 − β)·KL(p‖m), m = (1 − β)·p + β·q
 *
 * averaged over tokens as the stage averages its loss; TRL's mean over all tokens of a step is that of `loss_type: dapo`.
 * Of the sampled token alone, ln p − ln q estimates the reverse KL, and its gradient is (ln p − ln q)·∇ln p.
 */

import { teacherDistributions, teacherScores } from '../../../../src/methods/uses/models.ts';
import { likeliest } from '../../../../src/model/distributions.ts';
import { choice, keys, type LossGradient, type LossSequence, type LossTerm, method, number } from '../kit.ts';
import { type Divergence, divergenceByBeta, rowOf } from '../support/loss/divergence.ts';

export const teacherKl = method({
  id: 'teacher-kl',
  about: {
    does: 'Draws the policy to a teacher at each token that the policy writes; objective terms-only leaves it the whole loss.',
    names: ['distillation', 'on-policy distillation', 'GKD', 'generalised JSD'],
    formula:
      'teacher_kl_coef·D_β(π‖q); q of models.teacher; D_0 = KL(q‖π), D_1 = KL(π‖q), else β·KL(q‖m) + (1 − β)·KL(π‖m)',
    source: '2306.13649',
    certainty: 'paper',
    when: 'With a better model of the same vocabulary, whose way of writing the policy shares: see teacher_top1.',
  },
  options: keys({
    teacherKlCoef: number({ min: 0, example: 1 }).default(1).describe('Weight of the divergence.'),
    teacherBeta: number({ min: 0, max: 1, example: 1 })
      .default(1)
      .describe("0: forward KL, 1: reverse KL, between: a generalised JSD; TRL's beta of a distillation."),
    teacherOver: choice(['vocabulary', 'sampled'])
      .default('vocabulary')
      .describe('vocabulary: all tokens at each place; sampled: the one that was sampled, for large vocabularies.'),
  }),
  complete(options, refuse) {
    if (options.teacherOver === 'sampled' && options.teacherBeta !== 1)
      refuse('teacherBeta', 'a sampled token estimates the reverse KL alone; use 1, or teacher_over: vocabulary');
    return options;
  },
  uses: ({ teacherKlCoef, teacherOver }) => {
    if (teacherKlCoef === 0) return [];
    return [teacherOver === 'sampled' ? teacherScores : teacherDistributions];
  },
  create: ({ teacherKlCoef: coefficient, teacherBeta, teacherOver }): LossTerm => {
    const isSampled = teacherOver === 'sampled';
    const divergenceAt = isSampled ? ofSampledToken : ofDistributions(divergenceByBeta(teacherBeta));
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      ...(coefficient > 0 && { learnsWithoutRewards: true }),
      ...(isSampled && { stopsGradient: true }),
      add(sequences, gradients) {
        if (coefficient === 0) return;
        sequences.forEach((sequence, i) => {
          const { coefficients } = sequence;
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            const weight = coefficient * coefficients[t];
            gradients[i].losses[t] += weight * divergenceAt(sequence, t, weight, gradients[i]);
          }
        });
      },
      measures: {
        add(sequence, meter) {
          if (coefficient === 0) return;
          let [sum, agreed, tokens] = [0, 0, 0];
          for (let t = 0; t < sequence.coefficients.length; t++) {
            if (sequence.coefficients[t] === 0) continue;
            sum += divergenceAt(sequence, t, 0);
            if (!isSampled) {
              const [own, other] = rowsOf(sequence, t).map(likeliest);
              agreed += Number(own === other);
            }
            tokens++;
          }
          meter.mean('teacher_kl', sum, tokens);
          if (!isSampled) meter.mean('teacher_top1', agreed, tokens);
        },
      },
    };
  },
});

/** The divergence at a token; its derivatives, times the weight, are added to the gradient. */
type DivergenceAt = (sequence: LossSequence, token: number, weight: number, gradient?: LossGradient) => number;

const ofDistributions =
  (divergence: Divergence): DivergenceAt =>
  (sequence, token, weight, gradient) => {
    const [logP, logQ] = rowsOf(sequence, token);
    return divergence(logP, logQ, weight, gradient?.dLogits && rowOf(gradient.dLogits, token, logP.length));
  };

const ofSampledToken: DivergenceAt = ({ logprobs, teacher }, token, weight, gradient) => {
  if (teacher === undefined) throw new RangeError('teacher-kl needs the log-probs of a teacher');
  const difference = logprobs[token] - teacher.logprobs[token];
  if (gradient !== undefined) gradient.dLogprobs[token] += weight * difference;
  return difference;
};

/** [vocabulary] log-probs of policy and teacher at a token. */
function rowsOf({ distributions, teacher, coefficients }: LossSequence, token: number): [Float32Array, Float32Array] {
  if (distributions === undefined || teacher?.distributions === undefined)
    throw new RangeError('teacher-kl needs whole distributions of policy and teacher');
  const width = distributions.length / Math.max(1, coefficients.length);
  return [rowOf(distributions, token, width), rowOf(teacher.distributions, token, width)];
}
