/**
 * Semantic Soft Bootstrapping: an explanation that was sampled with a right and a wrong answer in sight is learned from
 * under the problem alone, token by token: not the tokens, but what the teacher, the reference with these answers in
 * sight, would have written at each place. `contrast-explain` samples the explained answers.
 *
 *   ssb_coef·KL(q‖p), q = teacher^(1/τ), p = policy^(1/τ), both normalised      by the tempered logits: (p − q)/τ
 */
import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { key, keys, type LossSequence, type LossTerm, method, number, type Rollout } from '../kit.ts';

export const ssb = method({
  id: 'ssb',
  about: {
    does: 'Learns the whole distributions of explained answers that were sampled with answers in sight.',
    names: ['Semantic Soft Bootstrapping', 'soft labels'],
    formula:
      'ssb_coef·KL(q^(1/τ)‖p^(1/τ)) at each token of an explanation, q of the reference with the answers in sight',
    source: '2512.05105',
    certainty: 'after the paper',
    when: 'With contrast-explain, to learn from texts that were written with the answers in sight; whole distributions take memory.',
  },
  companions: [
    {
      ids: ['contrast-explain'],
      line: 'rollout_strategies: [contrast-explain]',
      why: 'so that there are explained answers to learn from',
    },
  ],
  options: keys({
    ssbWeight: key('ssb_coef', number({ min: 0, example: 1 }).default(1).describe('Weight of the divergence.')),
    ssbTemperature: number({ above: 0, example: 1 }).default(1).describe('τ: above 1 labels are softer.'),
  }),
  uses: () => [reference, distributions],
  create: ({ ssbWeight, ssbTemperature }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    teacherPrompt: (_, rollout) => explainedUnder(rollout),
    add(sequences, gradients) {
      sequences.forEach((sequence, i) => {
        const { distributions: logP, teacherDistributions: logQ, coefficients } = sequence;
        if (logP === undefined || logQ === undefined) return;
        const { losses, dLogits } = gradients[i];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const weight = ssbWeight * coefficients[t];
          losses[t] +=
            weight *
            divergence(rowOf(sequence, logP, t), rowOf(sequence, logQ, t), ssbTemperature, {
              weight,
              slopes: dLogits && rowOf(sequence, dLogits, t),
            });
        }
      });
    },
    measures: {
      add(sequence, meter) {
        const { distributions: logP, teacherDistributions: logQ, coefficients } = sequence;
        meter.mean('ssb/taught', logQ === undefined ? 0 : 1, 1);
        if (logP === undefined || logQ === undefined) return;
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const own = divergence(rowOf(sequence, logP, t), rowOf(sequence, logQ, t), ssbTemperature);
          meter.mean('ssb/divergence', own, 1);
        }
      },
    },
  }),
});

/** The prompt that an explanation was sampled under; undefined of any other rollout. */
function explainedUnder({ origin, sampledUnder }: Rollout): Int32Array | undefined {
  return origin === 'explained' ? sampledUnder : undefined;
}

/** The numbers of one token. */
function rowOf<Numbers extends Float32Array | Float64Array>(
  { coefficients }: LossSequence,
  all: Numbers,
  t: number,
): Numbers {
  const width = all.length / coefficients.length;
  return all.subarray(t * width, (t + 1) * width) as Numbers;
}

/** KL(q‖p) in nats, at a temperature. @param into  where the derivatives by the logits of p are added */
function divergence(
  logP: Float32Array,
  logQ: Float32Array,
  temperature: number,
  into?: { readonly weight: number; readonly slopes: Float64Array | undefined },
): number {
  const [softP, softQ] = [softened(logP, temperature), softened(logQ, temperature)];
  let sum = 0;
  for (let v = 0; v < softP.length; v++) {
    const [p, q] = [Math.exp(softP[v]), Math.exp(softQ[v])];
    if (q > 0) sum += q * (softQ[v] - softP[v]);
    if (into?.slopes) into.slopes[v] += (into.weight * (p - q)) / temperature;
  }
  return sum;
}

/** Log-probs of the same distribution at a temperature. */
function softened(logprobs: Float32Array, temperature: number): Float64Array {
  const scaled = Float64Array.from(logprobs, (value) => value / temperature);
  const most = scaled.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const total = most + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - most), 0));
  return scaled.map((value) => value - total);
}
