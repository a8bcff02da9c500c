/** The update against its formulas, written out by hand over what the policy scores before the step. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { CreditedGroup } from '../../src/methods/records.ts';
import {
  type Answer,
  answered,
  credit,
  gradientOf,
  metricsOf,
  nudge,
  reinforced,
  scoresOf,
  slopes,
  tokensOf,
  update,
  weightsOf,
} from './step_parts.ts';

/** Coefficients, advantages and the log-probs of the rollouts are float32. */
const ROUNDED = 1e-6;
/** Every term at once: two clips and the cap, a KL term, an entropy bonus, masked completions. */
const EVERYTHING = {
  per_device_train_batch_size: 4,
  temperature: 0.9,
  mask_truncated_completions: true,
  epsilon: 0.1,
  epsilon_high: 0.2,
  delta: 1.3,
  beta: 0.3,
  use_bias_correction_kl: false,
  entropy_coef: 0.2,
  // Far below the last bit of a weight: the step is taken, and the weights stay.
  learning_rate: 1e-30,
};
const EPSILON = { low: 0.1, high: 0.2, delta: 1.3 };

/** Weights of the terms beside the surrogate. */
interface Terms {
  readonly beta: number;
  readonly entropy_coef: number;
}

/** Different lengths, two that were cut off, and a dead group. */
const ANSWERS: readonly (readonly Answer[])[] = [
  [
    { text: 'ab', reward: 1 },
    { text: 'abcde', reward: 0 },
    { text: '', reward: 0.5 },
    { text: 'zyx', reward: 0.25 },
  ],
  [
    { text: 'q', reward: 1 },
    { text: 'q', reward: 1 },
    { text: 'rst', reward: 1 },
    { text: 'uvwxyz', reward: 1, cut: true },
  ],
  [
    { text: 'uvwxyz', reward: 3, cut: true },
    { text: 'mno', reward: 2 },
    { text: 'pq', reward: 0 },
    { text: 'r', reward: 1 },
  ],
];

const tokensWithLoss = (rollout: CreditedGroup['rollouts'][number]): number =>
  rollout.finishReason === 'length' ? 0 : rollout.tokens.length;
const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

type Aggregation = 'grpo' | 'bnpo' | 'dr_grpo' | 'dapo';

/** c of each token of a completion of n tokens; a micro-batch is a group here. */
function coefficient(type: Aggregation, n: number, group: CreditedGroup, groups: readonly CreditedGroup[]): number {
  const completions = sum(groups, ({ rollouts }) => rollouts.length);
  const tokens = (of: CreditedGroup): number => sum(of.rollouts, tokensWithLoss);
  const longest = 3 + 1 + 2; // letters of the longest word, EOS, and the task's slack
  return {
    grpo: 1 / (completions * n),
    bnpo: 1 / (groups.length * tokens(group)),
    dr_grpo: 1 / (completions * longest),
    dapo: 1 / sum(groups, tokens),
  }[type];
}

interface ByHand {
  readonly loss: number;
  /** Means over the tokens with a loss. */
  readonly kl: number;
  readonly clippedLow: number;
  readonly clippedHigh: number;
  readonly capped: number;
}

/** The whole objective over groups under the weights as they stand. */
async function byHand(
  run: TrainingRun,
  groups: readonly CreditedGroup[],
  type: Aggregation,
  { beta, entropy_coef }: Terms = EVERYTHING,
): Promise<ByHand> {
  const allTokens = sum(groups, ({ rollouts }) => sum(rollouts, tokensWithLoss));
  const totals = { loss: 0, kl: 0, clippedLow: 0, clippedHigh: 0, capped: 0 };
  for (const group of groups) {
    const scores = await scoresOf(run, tokensOf(group), { temperature: 0.9 });
    const which = beta === 0 ? 'policy' : 'reference';
    const references = await scoresOf(run, tokensOf(group), { temperature: 0.9, which });
    group.rollouts.forEach((rollout, i) => {
      const n = tokensWithLoss(rollout);
      for (let t = 0; t < n; t++) {
        const advantage = group.tokenAdvantages?.[i]?.[t] ?? group.advantages[i];
        const logprob = scores[i].logprobs[t];
        const ratio = Math.exp(logprob - rollout.logprobs[t]);
        const bounded = Math.min(Math.max(ratio, 1 - EPSILON.low), 1 + EPSILON.high);
        const surrogate = Math.min(Math.min(ratio, EPSILON.delta) * advantage, bounded * advantage);
        const x = references[i].logprobs[t] - logprob;
        const kl = Math.exp(x) - 1 - x;
        totals.loss += coefficient(type, n, group, groups) * (beta * kl - surrogate);
        totals.loss -= (entropy_coef / allTokens) * scores[i].entropies[t];
        totals.kl += kl / allTokens;
        totals.clippedLow += advantage < 0 && ratio < 1 - EPSILON.low ? 1 / allTokens : 0;
        totals.clippedHigh += advantage > 0 && ratio > 1 + EPSILON.high ? 1 / allTokens : 0;
        totals.capped += advantage < 0 && ratio > EPSILON.delta ? 1 / allTokens : 0;
      }
    });
  }
  return totals;
}

/** Groups of ANSWERS, of a policy that has moved since, with a reference that has moved once more. */
async function offPolicy(keys: Readonly<Record<string, unknown>>): Promise<[TrainingRun, readonly CreditedGroup[]]> {
  const run = await reinforced({ ...EVERYTHING, ...keys });
  const groups = await credit(run, await answered(run, ANSWERS));
  await nudge(run, 0.1);
  if (run.engine.policy.slots.sets.has('reference')) await run.engine.policy.copySet('reference', 'policy');
  await nudge(run, 0.1);
  return [run, groups];
}

describe('an update', () => {
  it.each<Aggregation>(['grpo', 'bnpo', 'dr_grpo', 'dapo'])(
    'has the loss and the gradient of the formula: %s',
    async (type) => {
      const [run, groups] = await offPolicy({ loss_type: type });
      const expected = await byHand(run, groups, type);
      const { totals } = await update(run, groups, { onPolicy: false });
      expect(totals.loss).toBeCloseTo(expected.loss, 6);
      const { gradient, differences, norm } = await slopes(run, async () => (await byHand(run, groups, type)).loss);
      expect(Math.abs(gradient - differences)).toBeLessThan(ROUNDED * norm);
    },
  );

  it('takes the advantage of each token, where credit is given by token', async () => {
    const [run, whole] = await offPolicy({});
    const groups = whole.map((group) => ({
      ...group,
      tokenAdvantages: group.rollouts.map(({ tokens }, i) =>
        Float32Array.from(tokens, (_, t) => group.advantages[i] + 0.25 * (t - 1)),
      ),
    }));
    const expected = await byHand(run, groups, 'dapo');
    expect(expected.loss).not.toBeCloseTo((await byHand(run, whole, 'dapo')).loss, 3);
    expect((await update(run, groups, { onPolicy: false })).totals.loss).toBeCloseTo(expected.loss, 6);
    const { gradient, differences, norm } = await slopes(run, async () => (await byHand(run, groups, 'dapo')).loss);
    expect(Math.abs(gradient - differences)).toBeLessThan(ROUNDED * norm);
  });

  it.each([
    { beta: 0.3, entropy_coef: 0 },
    { beta: 0, entropy_coef: 0.2 },
    { beta: 0, entropy_coef: 0 },
  ])('acts on dead groups too, through the terms that it has: %o', async (terms) => {
    const [run, groups] = await offPolicy(terms);
    const { loss } = await byHand(run, groups, 'dapo', terms);
    expect((await update(run, groups, { onPolicy: false })).totals.loss).toBeCloseTo(loss, 6);
    const { gradient, differences, norm } = await slopes(
      run,
      async () => (await byHand(run, groups, 'dapo', terms)).loss,
    );
    expect(Math.abs(gradient - differences)).toBeLessThan(ROUNDED * norm);
  });

  it('counts what the two clips hold back, and measures the KL term', async () => {
    const [run, groups] = await offPolicy({ delta: null });
    const { kl, clippedLow, clippedHigh, capped } = await byHand(run, groups, 'dapo');
    // The case has tokens of each kind.
    for (const share of [kl, clippedLow, clippedHigh, capped]) expect(share).toBeGreaterThan(0.02);
    const metrics = metricsOf(run, await update(run, groups, { onPolicy: false }));
    expect(metrics.kl).toBeCloseTo(kl, 6);
    expect(metrics['clip_ratio/low_mean']).toBeCloseTo(clippedLow, 12);
    expect(metrics['clip_ratio/high_mean']).toBeCloseTo(clippedHigh, 12);
    expect(metrics['clip_ratio/region_mean']).toBeCloseTo(clippedLow + clippedHigh, 12);
  });

  it('has ratios of exactly 1 on the weights that sampled: the loss is the mean of −advantage over tokens', async () => {
    const run = await reinforced({ loss_type: 'dapo' });
    const groups = await credit(run, await answered(run, ANSWERS));
    const { totals } = await update(run, groups, { onPolicy: true });
    const ofGroup = ({ rollouts, advantages }: CreditedGroup): number =>
      rollouts.reduce((total, { tokens }, i) => total - tokens.length * advantages[i], 0);
    const [inLiveGroups, inDeadGroup] = [29, 14];
    expect(totals.loss).toBeCloseTo(sum(groups, ofGroup) / (inLiveGroups + inDeadGroup), 6);
    expect(Math.abs(totals.loss)).toBeGreaterThan(0.01);
    expect([totals.logprobDifferenceMax, totals.rows]).toEqual([0, inLiveGroups]);
  });

  it('gives completions that were cut off no loss, where they are masked', async () => {
    const gradients: Float64Array[] = [];
    for (const reward of [3, -700]) {
      const run = await reinforced({ mask_truncated_completions: true, loss_type: 'dr_grpo' });
      const groups = await credit(run, await answered(run, ANSWERS));
      groups[2].advantages[0] = reward;
      await update(run, groups, { onPolicy: true });
      gradients.push(await gradientOf(run));
    }
    expect(gradients[1]).toEqual(gradients[0]);
    expect(gradients[0].some((value) => value !== 0)).toBe(true);
  });

  it('without a KL term and a bonus leaves dead groups out of the gradient, and counts them in its sizes', async () => {
    const steps = await Promise.all(
      [ANSWERS, [ANSWERS[0]]].map(async (answers) => {
        const run = await reinforced({ loss_type: 'dr_grpo' });
        const dead = answers.slice(1).map((group) => group.map((answer) => ({ ...answer, reward: 1 })));
        const groups = await credit(run, await answered(run, [answers[0], ...dead]));
        return { loss: (await update(run, groups, { onPolicy: true })).totals.loss, gradient: await gradientOf(run) };
      }),
    );
    const [withDead, alone] = steps;
    expect(3 * withDead.loss).toBeCloseTo(alone.loss, 7);
    const norm = Math.hypot(...alone.gradient);
    withDead.gradient.forEach((value, i) => {
      expect(Math.abs(3 * value - alone.gradient[i])).toBeLessThan(ROUNDED * norm);
    });
  });

  it('has one gradient however it is cut into micro-batches', async () => {
    const gradients: Float64Array[] = [];
    for (const completions of [4, 8, 12]) {
      const [run, groups] = await offPolicy({ per_device_train_batch_size: completions, generation_batch_size: 24 });
      await update(run, groups, { onPolicy: false });
      gradients.push(await gradientOf(run));
    }
    const norm = Math.hypot(...gradients[0]);
    for (const gradient of gradients) {
      const error = Math.hypot(...gradient.map((value, i) => value - gradients[0][i]));
      expect(error).toBeLessThan(1e-12 * norm);
    }
  });

  it('takes the step of its schedule, and gives the norm before clipping', async () => {
    const keys = { learning_rate: 0.01, lr_scheduler_type: 'linear', warmup_steps: 2, max_grad_norm: 1e-3 };
    const run = await reinforced(keys);
    const groups = await credit(run, await answered(run, ANSWERS));
    const before = await weightsOf(run);
    const { learningRate, gradNorm } = await update(run, groups, { onPolicy: true });
    expect(learningRate).toBe(0.005);
    expect(gradNorm).toBeCloseTo(Math.hypot(...(await gradientOf(run))), 6);
    expect(gradNorm).toBeGreaterThan(1e-3);
    // AdamW's first step moves a weight by the rate, whatever the size of its gradient.
    const moved = (await weightsOf(run)).map((value, i) => Math.abs(value - before[i]));
    expect(Math.max(...moved)).toBeCloseTo(0.005, 4);
  });

  it('that is not finite changes no weight, and gives the batch with the error', async () => {
    const run = await reinforced();
    const groups = await credit(run, await answered(run, ANSWERS));
    groups[0].advantages[1] = Number.NaN;
    const before = await weightsOf(run);
    const failure = update(run, groups, { onPolicy: true });
    await expect(failure).rejects.toMatchObject({ code: 'non-finite', facts: { step: 0 } });
    const { facts } = await failure.catch((error) => error);
    expect(facts.batch[0].completions[1]).toMatchObject({ text: 'abcde', reward: 0, advantage: 'NaN' });
    expect(await weightsOf(run)).toEqual(before);
  });
});
