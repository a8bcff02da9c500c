/** Divergences from a teacher against TRL's, and the term that is made of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { randomSequences, VOCABULARY } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { divergenceByBeta, rowOf } from '../../../methods/support/loss/divergence.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

interface Golden {
  readonly vocabulary: number;
  readonly temperature: number;
  readonly student: readonly number[];
  readonly teacher: readonly number[];
  readonly cases: readonly {
    readonly beta: number;
    readonly loss: number;
    readonly distilled: number;
    readonly gradient: readonly number[];
  }[];
}

const golden = JSON.parse(readFileSync(new URL('../../golden/divergences.json', import.meta.url), 'utf8')) as Golden;

/** Log-probs of rows of logits at the temperature, in float64. */
function logSoftmax(logits: readonly number[]): Float64Array {
  const { vocabulary, temperature } = golden;
  const logs = Float64Array.from(logits, (value) => value / temperature);
  for (let begin = 0; begin < logs.length; begin += vocabulary) {
    const row = logs.subarray(begin, begin + vocabulary);
    const most = Math.max(...row);
    const sum = Math.log(row.reduce((all, value) => all + Math.exp(value - most), 0));
    row.forEach((value, v) => {
      row[v] = value - most - sum;
    });
  }
  return logs;
}

describe.each(golden.cases)('the divergence of beta $beta', ({ beta, loss, distilled, gradient }) => {
  const { vocabulary, temperature } = golden;
  const [logP, logQ] = [logSoftmax(golden.student), logSoftmax(golden.teacher)];
  const tokens = logP.length / vocabulary;
  const slopes = new Float64Array(logP.length);
  const divergence = divergenceByBeta(beta);
  let sum = 0;
  for (let t = 0; t < tokens; t++) {
    const [own, other] = [rowOf(logP, t, vocabulary), rowOf(logQ, t, vocabulary)];
    sum += divergence(own, other, 1 / tokens, rowOf(slopes, t, vocabulary));
  }

  it("is that of TRL's GKDTrainer, and of its DistillationTrainer, which computes in float32", () => {
    expect(Math.abs(sum / tokens - loss)).toBeLessThanOrEqual(1e-9);
    expect(Math.abs(sum / tokens - distilled)).toBeLessThanOrEqual(1e-6);
  });

  it('has its gradient by the logits', () => {
    gradient.forEach((derivative, at) => {
      expect(Math.abs(slopes[at] / temperature - derivative)).toBeLessThanOrEqual(1e-9);
    });
  });

  it('is 0 without a gradient where both are the same, and where a token is out of reach of both', () => {
    const impossible = Float64Array.of(-1000, -2000, 0);
    for (const [own, other] of [
      [logP.subarray(0, vocabulary), logP.subarray(0, vocabulary)],
      [impossible, Float64Array.of(-1500, -800, 0)],
    ]) {
      const none = new Float64Array(own.length);
      expect(Math.abs(divergence(own, other, 1, none))).toBe(0);
      expect(none.every((value) => value === 0)).toBe(true);
    }
  });
});

/** The loss of the term alone, by its options. */
const term = (options: string): string => `objective: terms-only\nloss_terms: [{name: teacher-kl, ${options}}]`;

describe('the term', () => {
  const given = randomSequences(11, 8);
  const same = given.map((sequence): LossSequence => {
    const { logprobs, distributions } = sequence;
    return { ...sequence, teacher: { logprobs, ...(distributions && { distributions }) } };
  });

  it.each([0, 0.3, 1])('is the mean of the divergences over tokens, of teacher_beta %s', (beta) => {
    const gradients = gradientsOf(given, term(`teacher_kl_coef: 0.5, teacher_beta: ${beta}`));
    let expected = 0;
    for (const { coefficients, distributions, teacher } of given) {
      coefficients.forEach((coefficient: number, t: number) => {
        const rows = [distributions, teacher?.distributions].map((all) =>
          rowOf(all ?? new Float32Array(), t, VOCABULARY),
        );
        expected += 0.5 * coefficient * divergenceByBeta(beta)(rows[0], rows[1], 0, undefined);
      });
    }
    expect(lossOf(gradients)).toBeCloseTo(expected, 12);
  });

  it.each(['teacher_beta: 0', 'teacher_beta: 0.5', 'teacher_beta: 1', 'teacher_over: sampled'])(
    'is 0 without a gradient where the teacher is the policy, of %s',
    (options) => {
      for (const { losses, dLogprobs, dLogits = [] } of gradientsOf(same, term(options)))
        expect([...losses, ...dLogprobs, ...dLogits].every((value) => value === 0)).toBe(true);
    },
  );

  it('of sampled tokens has the slope log π − log q at each, times its weight', () => {
    gradientsOf(given, term('teacher_over: sampled')).forEach(({ dLogprobs }, i) => {
      const { logprobs, teacher, coefficients } = given[i];
      dLogprobs.forEach((slope, t) => {
        expect(slope).toBeCloseTo(coefficients[t] * (logprobs[t] - (teacher?.logprobs[t] ?? 0)), 12);
      });
    });
  });

  it('of sampled tokens is the reverse KL alone', () => {
    expect(() => stageOf(term('teacher_beta: 0.5, teacher_over: sampled'))).toThrow(
      /teacher_beta: .*a sampled token estimates the reverse KL alone; use 1, or teacher_over: vocabulary/,
    );
  });
});
