/**
 * Self-distillation: the policy learns from itself where it knows more. A teacher, the reference, sees besides the problem
 * a completion of the same group that is right, or what was wrong with this one, and says at each of the completion's own
 * tokens which it would have written. With p of the policy and q of the teacher, which is a constant:
 *
 *   m = α·p + (1 − α)·q      JSD = α·KL(p‖m) + (1 − α)·KL(q‖m)      by the tempered logits: α·p_v (ln p_v − ln m_v − KL(p‖m))
 *
 * `ref-ema` makes the reference an average of the policy, as the paper's teacher is. A token weighs by its ratio to the
 * sampler, at most `sdpo_cap`, as a constant. Completions that nothing is known of have no loss here.
 */
import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { key, keys, type LossSequence, type LossTerm, method, number } from '../kit.ts';
import { knowingPrompt, TEACHER_SHOWS, teacherUses } from '../support/rollouts/knowing_teacher.ts';

export const sdpo = method({
  id: 'sdpo',
  about: {
    does: 'Learns at each token from a teacher that sees a right completion of the group, or what was wrong.',
    names: ['self-distillation', 'self-distilled policy optimization'],
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
  readsVerdicts: true,
  create: ({ sdpoWeight, sdpoAlpha, sdpoCap, sdpoShown }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    stopsGradient: true,
    teacherPrompt: (group, rollout, tools) => knowingPrompt(group, rollout, sdpoShown, tools),
    add(sequences, gradients) {
      sequences.forEach((sequence, i) => {
        const { distributions: logP, teacherDistributions: logQ, coefficients, logprobs, oldLogprobs } = sequence;
        if (logP === undefined || logQ === undefined) return;
        const { losses, dLogits } = gradients[i];
        const width = logP.length / Math.max(1, coefficients.length);
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const ratio = Math.min(Math.exp(logprobs[t] - oldLogprobs[t]), sdpoCap);
          const weight = sdpoWeight * coefficients[t] * ratio;
          const at = (log: Float32Array): Float32Array => log.subarray(t * width, (t + 1) * width);
          const slopes = dLogits?.subarray(t * width, (t + 1) * width);
          losses[t] += weight * jensenShannon(at(logP), at(logQ), sdpoAlpha, weight, slopes);
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

/** In nats. @param dLogits  where the derivatives by the logits of p are added, times `weight` */
function jensenShannon(
  logP: Float32Array,
  logQ: Float32Array,
  alpha: number,
  weight: number,
  dLogits: Float64Array | undefined,
): number {
  let [fromP, fromQ] = [0, 0];
  const logRatios = new Float64Array(logP.length);
  for (let v = 0; v < logP.length; v++) {
    const [p, q] = [Math.exp(logP[v]), Math.exp(logQ[v])];
    const logM = Math.log(alpha * p + (1 - alpha) * q);
    logRatios[v] = logP[v] === logQ[v] ? 0 : logP[v] - logM;
    fromP += p * logRatios[v];
    fromQ += logP[v] === logQ[v] ? 0 : q * (logQ[v] - logM);
  }
  if (dLogits !== undefined) {
    for (let v = 0; v < logP.length; v++) {
      dLogits[v] += weight * alpha * Math.exp(logP[v]) * (logRatios[v] - fromP);
    }
  }
  return alpha * fromP + (1 - alpha) * fromQ;
}

function divergenceOf(sequence: LossSequence, alpha: number): readonly [sum: number, tokens: number] {
  const { distributions: logP, teacherDistributions: logQ, coefficients } = sequence;
  if (logP === undefined || logQ === undefined) return [0, 0];
  const width = logP.length / Math.max(1, coefficients.length);
  let [sum, tokens] = [0, 0];
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    const at = (log: Float32Array): Float32Array => log.subarray(t * width, (t + 1) * width);
    sum += jensenShannon(at(logP), at(logQ), alpha, 0, undefined);
    tokens++;
  }
  return [sum, tokens];
}
