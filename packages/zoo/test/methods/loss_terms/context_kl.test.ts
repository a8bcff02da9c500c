/** What is learned from a problem whose operands are masked: a term of the loss, and a shaper of credit. */
import { describe, expect, it } from 'vitest';
import { maskedTokens } from '../../../../../src/data/prompts/masked_prompt.ts';
import { stageOf as stageOfRun, type TrainingRun } from '../../../../../src/grpo/run.ts';
import { maskedPrompt } from '../../../../../src/grpo/score/masked_prompts.ts';
import { withSampledFigures } from '../../../../../src/grpo/score/sampled_figures.ts';
import { openStep } from '../../../../../src/grpo/step.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { logSoftmaxRows } from '../../../../../src/model/distributions.ts';
import { collect, credit, gradientOf, update } from '../../../../../test/grpo/step_parts.ts';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';
import { wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { randomSequences, VOCABULARY } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { maskedKl } from '../../../methods/uses/masked_kl.ts';
import { symmetric } from '../../../methods/uses/noise_kl.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

const line = (options = ''): string => `loss_terms: [{name: context-kl${options}}]`;
/** Of no advantage, so that the loss is that of the term alone. */
const ALONE = 'objective: reinforce';

const unread = (seed: number): LossSequence[] =>
  randomSequences(seed, 8).map((sequence) => ({
    ...sequence,
    advantages: sequence.advantages.map(() => 0),
    teacherDistributions: sequence.refDistributions ?? new Float32Array(),
  }));

describe('a prompt with masked operands', () => {
  it('has so many of them masked, and nothing else; of letters where there is no number', async () => {
    await withTossedRun(line(), async ({ engine: { tasks } }) => {
      const item = tasks.trainItem(3, 0);
      const prompt = tasks.promptTokens(item);
      const letters = [...prompt].filter((id) => /^\p{L}$/u.test(tasks.codec.tokenText(id))).length;
      for (const [share, count] of [
        [0, 0],
        [0.5, Math.ceil(letters / 2)],
        [1, letters],
      ] as const) {
        const masked = maskedTokens(tasks, item, share, rngFor('m'));
        expect(masked).toHaveLength(prompt.length);
        const changed = [...masked].filter((id, place) => id !== prompt[place]);
        expect(changed.map((id) => tasks.codec.tokenText(id))).toEqual(new Array(count).fill('<masked>'));
      }
    });
  });
});

describe('context-kl', () => {
  it('is the divergence from the masked view, up to the cap, and the price of entropy', () => {
    const given = unread(71);
    const options = ', context_kl_coef: 0.5, context_kl_cap: 0.1, context_entropy_coef: 0.25';
    gradientsOf(given, line(options), ALONE).forEach(({ losses, dEntropies }, s) => {
      const { distributions: logP = [], teacherDistributions: logQ = [], coefficients, entropies } = given[s];
      coefficients.forEach((coefficient, t) => {
        let kl = 0;
        for (let v = t * VOCABULARY; v < (t + 1) * VOCABULARY; v++) kl += Math.exp(logP[v]) * (logP[v] - logQ[v]);
        expect(losses[t]).toBeCloseTo(coefficient * (0.25 * entropies[t] - 0.5 * Math.min(kl, 0.1)), 6);
        expect(dEntropies[t]).toBeCloseTo(0.25 * coefficient, 7);
      });
    });
  });

  it('has the derivatives by the logits that it gives, by finite differences', () => {
    const given = unread(72);
    const options = ', context_kl_coef: 1, context_kl_cap: 99, context_entropy_coef: 0';
    const gradients = gradientsOf(given, line(options), ALONE);
    const largest = Math.max(...gradients.flatMap(({ dLogits = [] }) => [...dLogits].map(Math.abs)));
    const step = 2 ** -6;
    expect(largest).toBeGreaterThan(0);
    gradients.slice(0, 2).forEach(({ dLogits = [] }, s) => {
      dLogits.forEach((derivative, at) => {
        const lossWith = (by: number): number => {
          const moved = given.map((sequence, i) => {
            const logits = sequence.distributions?.map((x, j) => (j === at ? x + by : x)) ?? new Float32Array();
            return i === s ? { ...sequence, distributions: logSoftmaxRows(logits, VOCABULARY, 1) } : sequence;
          });
          return lossOf(gradientsOf(moved, line(options), ALONE));
        };
        expect(Math.abs((lossWith(step) - lossWith(-step)) / (2 * step) - derivative)).toBeLessThanOrEqual(
          2e-3 * largest,
        );
      });
    });
  });

  it('is exactly 0 in value and gradient where nothing is masked', () => {
    const same = unread(73).map((sequence) => ({ ...sequence, teacherDistributions: sequence.distributions }));
    for (const { losses, dLogits = [] } of gradientsOf(same, line(', context_entropy_coef: 0'), ALONE)) {
      expect([...losses, ...dLogits].every((value) => value === 0)).toBe(true);
    }
  });

  it('adds nothing above the cap but its constant, and refuses a second prompt to read behind', () => {
    const capped = gradientsOf(unread(74), line(', context_kl_cap: 1.0e-9, context_entropy_coef: 0'), ALONE);
    expect(capped.every(({ dLogits = [] }) => dLogits.every((value) => value === 0))).toBe(true);
    expect(() => stageOf('loss_terms: [context-kl, sdpo]')).toThrow(/reads completions under a prompt of its own/);
  });

  it('reads the masked prompt with the policy of the run, and moves it; at a weight of 0 no bit of the run changes', async () => {
    const gradient = (share: number) =>
      withTossedRun(line(`, context_kl_coef: 1, mask_share: ${share}, context_entropy_coef: 0`), async (run) => {
        const groups = await credit(run, (await collect(run)).groups);
        const { totals } = await update(run, groups, { onPolicy: true });
        return { gradient: await gradientOf(run), divergence: totals.measured['context-kl/divergence'] };
      });
    const [nothing, all] = [await gradient(0), await gradient(1)];
    expect(nothing.divergence).toBe(0);
    expect(all.divergence).toBeGreaterThan(0);
    expect(all.gradient).not.toEqual(nothing.gradient);
    const { whole: plain } = await wholeAndKilled('');
    const { whole: off } = await wholeAndKilled(line(', context_kl_coef: 0'));
    expect(off.sha256).toBe(plain.sha256);
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${line()}\nnum_iterations: 2`);
    expect(killed).toEqual(whole);
  });
});

it('kl-masked-prompt keeps the completions of a group that depend most on the problem', () => {
  const means = [0.5, 3, 1, 0];
  const group = creditedGroup(means.map((mean) => ({ length: 2, figures: { maskedKl: Float32Array.of(mean, mean) } })));
  const { apply, logged } = creditStep('kl-masked-prompt', { selected_share: 0.5 });
  expect(apply([group])[0].rollouts.map(({ inLoss }) => inLoss)).toEqual([false, undefined, undefined, false]);
  expect(logged.divergence).toBeCloseTo(2, 6);
});

it('noise-bonus adds what a completion is unsure of, up to its cap; the divergence is symmetric', () => {
  const group = creditedGroup([0.5, 3].map((mean) => ({ advantage: -1, length: 2, figures: { noiseKl: Float32Array.of(mean, mean) } }))); // biome-ignore format: one line
  const { apply } = creditStep('noise-bonus', { noise_coef: 0.5, noise_cap: 2 });
  expect([...apply([group])[0].advantages]).toEqual([-0.75, 0]);
  const [p, q] = [logSoftmaxRows([0.3, -1, 2], 3, 1), logSoftmaxRows([0, 0.5, 1], 3, 1)];
  const kl = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, v) => sum + Math.exp(value) * (value - b[v]), 0);
  expect(symmetric(p, q, 3)[0]).toBeCloseTo((kl(p, q) + kl(q, p)) / 2, 6);
  expect(symmetric(p, p, 3)[0]).toBe(0);
});

describe('context-dependency', () => {
  const group = creditedGroup(
    [
      { advantage: 1, figures: { maskedKl: Float32Array.of(0.5, 1.5, 1) } },
      { advantage: -1, figures: { maskedKl: Float32Array.of(3, 3, 3) } },
    ].map((one) => ({ length: 3, ...one })),
  );

  it('weighs completions by their dependency among their group, and selects the tokens that depend most', () => {
    const { apply, logged } = creditStep('context-dependency', { dependent_share: 0.34 });
    const [shaped] = apply([group]);
    expect([...shaped.advantages]).toEqual([0.5, -1.5]);
    expect(shaped.tokenSelection?.map((own) => [...own])).toEqual([
      [0, 1, 0],
      [1, 0, 0],
    ]);
    expect(logged.divergence).toBeCloseTo(2, 6);
  });

  it('leaves a group as it is in which nothing depends on the operands, and a dead one', () => {
    const { apply } = creditStep('context-dependency');
    const none = creditedGroup([
      { advantage: 1, figures: { maskedKl: new Float32Array(2) } },
      { advantage: -1, figures: { maskedKl: new Float32Array(2) } },
    ]);
    expect(apply([none, { ...group, dead: true }])).toEqual([none, { ...group, dead: true }]);
  });

  it('is told the divergence of what was sampled from the same behind the masked prompt', async () => {
    await withTossedRun('credit_steps: [{name: context-dependency, mask_share: 1}]', async (run: TrainingRun) => {
      const stage = stageOfRun(run) as Extract<ReturnType<typeof stageOfRun>, { stage: 'grpo' }>;
      const drawn = (await collect(run)).groups;
      const step = openStep(run, stage);
      const [{ item, prompt, rollouts }] = await withSampledFigures(run.engine, step, run.journal, drawn);
      for (const rollout of rollouts) {
        const { tokens } = rollout;
        const divergences = maskedKl(1).of(rollout) ?? [];
        const distributionsBehind = async (shown: Int32Array) => {
          const batch = packBatch([{ prompt: shown, completions: [tokens] }]);
          return (
            (await run.engine.policy.score(batch, 1, 'policy', ['distributions'])).distributions ?? new Float32Array()
          );
        };
        const [logP, logQ] = [
          await distributionsBehind(prompt),
          await distributionsBehind(maskedPrompt(run.engine, step, item, 1)),
        ];
        const width = logP.length / tokens.length;
        tokens.forEach((_, t) => {
          let kl = 0;
          for (let v = t * width; v < (t + 1) * width; v++) kl += Math.exp(logP[v]) * (logP[v] - logQ[v]);
          expect(divergences[t]).toBeCloseTo(kl, 6);
          expect(divergences[t]).toBeGreaterThan(0);
        });
      }
    });
  });

  it.each(['', '\nper_device_train_batch_size: 4'])(
    'gives the same weights and metrics after a kill%s',
    async (more) => {
      const { whole, killed } = await wholeAndKilled(`credit_steps: [context-dependency]${more}`);
      expect(killed).toEqual(whole);
    },
  );
});
