/** Self-distillation from a teacher that sees more: its divergence, its prompts, and that it is nothing where it sees no more. */
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import type { TeacherTools } from '../../../../../src/methods/support/rollouts/teacher.ts';
import { logSoftmaxRows } from '../../../../../src/model/distributions.ts';
import { collect, credit, gradientOf, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, randomSequences, rolloutOf, VOCABULARY } from '../../../../../test/support/rollouts.ts';
import type { SmallRun } from '../../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

const line = (options = ''): string => `loss_terms: [{name: sdpo${options}}]`;
/** With no advantage of any kind, so that the loss is sdpo's alone. */
const ALONE = [line(', sdpo_alpha: 0.3'), 'objective: reinforce'];

/** Sequences without an advantage, sampled as they are, which a teacher would have written otherwise. */
const taught = (seed: number): LossSequence[] =>
  randomSequences(seed, 8).map((sequence) => ({
    ...sequence,
    advantages: sequence.advantages.map(() => 0),
    oldLogprobs: sequence.logprobs,
    teacherDistributions: sequence.refDistributions ?? new Float32Array(),
  }));

describe('sdpo', () => {
  it('is the Jensen-Shannon divergence of policy and teacher, of this share', () => {
    const given = taught(41);
    const gradients = gradientsOf(given, ...ALONE);
    given.forEach(({ distributions = [], teacherDistributions = [], coefficients }, s) => {
      coefficients.forEach((coefficient, t) => {
        let sum = 0;
        for (let v = t * VOCABULARY; v < (t + 1) * VOCABULARY; v++) {
          const [p, q] = [Math.exp(distributions[v]), Math.exp(teacherDistributions[v])];
          const m = 0.3 * p + 0.7 * q;
          sum += 0.3 * p * Math.log(p / m) + 0.7 * q * Math.log(q / m);
        }
        expect(gradients[s].losses[t]).toBeCloseTo(coefficient * sum, 6);
      });
    });
  });

  it('has the derivatives by the logits that it gives, by finite differences', () => {
    const given = taught(42);
    const gradients = gradientsOf(given, ...ALONE);
    const largest = Math.max(...gradients.flatMap(({ dLogits = [] }) => [...dLogits].map(Math.abs)));
    const step = 2 ** -6;
    const lossWith = (s: number, at: number, by: number): number =>
      lossOf(
        gradientsOf(
          given.map((sequence, i) => {
            const logits = sequence.distributions?.map((x, j) => (j === at ? x + by : x)) ?? new Float32Array();
            return i === s ? { ...sequence, distributions: logSoftmaxRows(logits, VOCABULARY, 1) } : sequence;
          }),
          ...ALONE,
        ),
      );
    expect(largest).toBeGreaterThan(0);
    gradients.slice(0, 2).forEach(({ dLogits = [] }, s) => {
      dLogits.forEach((derivative, at) => {
        const slope = (lossWith(s, at, step) - lossWith(s, at, -step)) / (2 * step);
        expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(2e-3 * largest);
      });
    });
  });

  it('is exactly 0 in value and gradient where teacher and policy are the same', () => {
    const same = taught(43).map((sequence) => ({ ...sequence, teacherDistributions: sequence.distributions }));
    for (const { losses, dLogits = [] } of gradientsOf(same, ...ALONE)) {
      expect([...losses, ...dLogits].every((value) => value === 0)).toBe(true);
    }
  });

  it('weighs a token by its ratio to the sampler, up to the cap, as a constant', () => {
    const given = taught(44);
    const moved = (by: number): LossSequence[] =>
      given.map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs.map((x) => x - by) }));
    const lossAt = (by: number): number => lossOf(gradientsOf(moved(by), ...ALONE));
    expect(lossAt(Math.log(1.5)) / lossAt(0)).toBeCloseTo(1.5, 5);
    expect(lossAt(Math.log(9)) / lossAt(0)).toBeCloseTo(2, 5);
    expect(gradientsOf(moved(0.1), ...ALONE).every(({ dLogprobs }) => dLogprobs.every((value) => value === 0))).toBe(
      true,
    );
  });
});

describe('the teacher of sdpo', () => {
  const tools: TeacherTools = {
    shown: (_, tokens) => Int32Array.from([...tokens, 99]),
    masked: ({ prompt }) => Int32Array.from(prompt, Number),
    tokensOf: (text) => Int32Array.from(text, Number),
  };
  const right = { ...rolloutOf(3, 1), tokens: Int32Array.of(5, 6, 0) };
  const wrong = { ...rolloutOf(1, 0), tokens: Int32Array.of(7) };
  const told = { ...wrong, verdict: { ...wrong.verdict, feedback: '34' } };
  const promptFor = (shows: string, rollouts: readonly (typeof told | typeof wrong)[], i: number) => {
    const terms = createMethods(stageOf(line(`, sdpo_shows: ${shows}`))).lossTerms;
    return terms.find(({ id }) => id === 'sdpo')?.part.teacherPrompt?.(groupOf(rollouts), rollouts[i], tools);
  };

  it('sees a right completion that is not the own one, or else what was wrong, or nothing', () => {
    expect(promptFor('any', [wrong, right], 0)).toEqual(Int32Array.of(5, 6, 99)); // without its end
    expect(promptFor('any', [wrong, right], 1)).toBeUndefined();
    expect(promptFor('any', [told, wrong], 0)).toEqual(Int32Array.of(3, 4, 99));
    expect(promptFor('any', [told, wrong], 1)).toBeUndefined();
    expect(promptFor('feedback', [told, right], 0)).toEqual(Int32Array.of(3, 4, 99));
    expect(promptFor('sibling', [told, wrong], 0)).toBeUndefined();
    const silent = { ...wrong, verdict: { ...wrong.verdict, feedback: '' } };
    expect(promptFor('any', [silent], 0)).toEqual(groupOf([]).prompt); // the problem as it is asked
    expect(promptFor('solution', [wrong, right], 0)).toBeUndefined(); // the problem has no answer
    const solved = groupOf([right]);
    const known = { ...solved, item: { ...solved.item, answer: '12' } };
    const [term] = createMethods(stageOf(line(', sdpo_shows: solution'))).lossTerms.filter(({ id }) => id === 'sdpo');
    expect(term.part.teacherPrompt?.(known, right, tools)).toEqual(Int32Array.of(1, 2, 99));
    expect(term.part.learnsWithoutRewards).toBe(true);
  });

  /** Everything is wrong, and this is said of it. */
  const saying = (feedback: string): Partial<SmallRun> => ({
    verify: () => ({ score: 0, status: 'incorrect', reason: 'no', feedback, parts: { lcs: 0.5 } }),
    rewards: {},
  });

  it('changes no bit of the gradient where it is told nothing and is the policy itself', async () => {
    const gradient = (coefficient: number, feedback: string) =>
      withTossedRun(
        line(`, sdpo_coef: ${coefficient}`),
        async (run) => {
          const groups = await credit(run, (await collect(run)).groups);
          const alive = groups.map((group) => ({ ...group, dead: false, advantages: Float32Array.of(1, -1, 1, -1) }));
          await run.engine.policy.copySet('reference', 'policy');
          const { totals } = await update(run, alive, { onPolicy: true });
          return { gradient: await gradientOf(run), divergence: totals.measured['sdpo/divergence'] };
        },
        saying(feedback),
      );
    const without = await gradient(0, '');
    const silent = await gradient(1, '');
    const telling = await gradient(1, 'a');
    expect(silent).toEqual(without);
    expect(silent.divergence).toBe(0);
    expect(telling.divergence).toBeGreaterThan(0);
    expect(telling.gradient).not.toEqual(without.gradient);
  });

  it('is refused where only feedback may be shown and the task gives none', async () => {
    await expect(withTossedRun(line(', sdpo_shows: feedback'), goOn)).rejects.toThrow(
      /^sdpo: shows what was wrong, and reverse_text does not say it; /,
    );
  });

  it('gives the same weights and metrics after a kill', async () => {
    const lines = `${line()}\nnum_iterations: 2\ncontrollers: [{name: ref-ema, ema_rate: 0.05}]`;
    const { whole, killed } = await wholeAndKilled(lines, { verify: tossed(3) });
    expect(whole.metrics.some((step) => Number((step as Record<string, unknown>)['sdpo/taught']) > 0)).toBe(true);
    expect(killed).toEqual(whole);
  });
});
