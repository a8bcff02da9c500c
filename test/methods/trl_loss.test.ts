/** TRL's losses, derivatives and metrics through the methods of a stage in float64, as the host computes them. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/grpo/step.ts';
import { StepMeter } from '../../src/grpo/update/meter.ts';
import { addTerms, measureTerms } from '../../src/grpo/update/objective.ts';
import type { LossGradient, LossSequence } from '../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import { selectedTokens } from '../../src/methods/tokens.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import type { TrlLossCase } from '../golden/load.ts';
import { worstRelative } from '../support/golden_model.ts';
import { emptyGradients, groupOf, rolloutOf } from '../support/rollouts.ts';
import { stageOf } from '../support/stages.ts';
import { stepOf } from '../support/steps.ts';
import { coefficientsOf, golden, optionsOf, stepSizes } from '../support/trl_loss.ts';

const TOLERANCE = 1e-9;
/** What a float32 of the same keeps. */
const ROUNDED = 1e-6;

/** Options of the cases that are keys of a stage, as they are. */
// biome-ignore format: a list
const KEYS = [
  'loss_type', 'importance_sampling_level', 'epsilon', 'epsilon_high', 'delta', 'beta', 'use_bias_correction_kl',
  'entropy_coef', 'top_entropy_quantile', 'off_policy_mask_threshold',
] as const;

/** TRL makes float32 numbers of these two, in float64 arithmetic too. */
const SAPO = [`sapo_temperature_neg: ${Math.fround(1.05)}`, 'sapo_temperature_pos: 1'];

interface Computed {
  readonly gradients: readonly LossGradient[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** One group of all rows; what comes after a row's last token is left out, and what is masked before it was given. */
function creditedOf(test: TrlLossCase, step: Step): CreditedGroup {
  const { mask, advantages, entropies } = golden.inputs[test.inputs];
  const width = mask[0].length;
  const rollouts = mask.map((row, i): Rollout => {
    const tokens = row.lastIndexOf(1) + 1;
    const length = tokens === 0 ? width : tokens; // a row without a mask was cut off
    const labels = Uint8Array.from(row.slice(0, length), (value) => (value === 1 ? TOKEN.sampled : TOKEN.given));
    const rollout = {
      ...rolloutOf(length, advantages[i]),
      ...(labels.includes(TOKEN.given) && tokens > 0 && { labels }),
    };
    rollout.entropies.set(Float32Array.from(entropies.data.subarray(i * width, i * width + length)));
    return tokens === 0 ? { ...rollout, inLoss: false } : rollout;
  });
  const group = { ...groupOf(rollouts), advantages: Float32Array.from(advantages) };
  const [credited] = step.methods.creditSteps.reduce<readonly CreditedGroup[]>(
    (groups, { id, part }) => part.apply(groups, step.context(id)),
    [group],
  );
  return credited;
}

function sequencesOf(test: TrlLossCase, group: CreditedGroup): LossSequence[] {
  const inputs = golden.inputs[test.inputs];
  const width = inputs.mask[0].length;
  const coefficients = Float64Array.from(coefficientsOf(inputs, optionsOf(test)));
  return group.rollouts.map((rollout, i): LossSequence => {
    const { length } = rollout.tokens;
    const row = (values: Float64Array): Float32Array =>
      Float32Array.from(values.subarray(i * width, i * width + length));
    const selection = group.tokenSelection?.[i];
    return {
      group,
      rollout,
      logprobs: row(inputs.logps.data),
      oldLogprobs: row(test.old ? inputs.old.data : inputs.logps.data),
      refLogprobs: row(inputs.ref.data),
      entropies: rollout.entropies,
      advantages: new Float32Array(length).fill(inputs.advantages[i]),
      weights: selection ?? new Float32Array(length).fill(1),
      ...(selection && { selection }),
      coefficients: coefficients.subarray(i * width, i * width + length),
    };
  });
}

function computed(test: TrlLossCase): Computed {
  const options = optionsOf(test);
  const lines = KEYS.flatMap((name) => (isUnread(test, name) ? [] : [`${name}: ${options[name]}`]));
  if (options.loss_type === 'sapo') lines.push(...SAPO);
  const step = stepOf(stageOf(...lines));
  const group = creditedOf(test, step);
  const { microBatches, ...sizes } = stepSizes(golden.inputs[test.inputs], options);
  const selected = selectedTokens(group);
  // TRL's mean of the bonus is over the tokens of a micro-batch.
  const update = { sizes: { ...sizes, microBatches, selectedTokens: microBatches * selected }, onPolicy: !test.old };
  const unweighed = sequencesOf(test, group);
  const gradients = emptyGradients(unweighed);
  const sequences = addTerms(step, update, unweighed, gradients);
  const meter = new StepMeter();
  measureTerms(step, update, () => sequences, meter);
  const after = step.methods.lossTerms.map(({ part }) => part.afterUpdate?.({ entropy: 1 }));
  return { gradients, metrics: Object.assign(meter.measured(), ...after) };
}

/** Clipping bounds where nothing is clipped, and what is off: TRL ignores them, a stage says that nothing reads them. */
function isUnread(test: TrlLossCase, name: (typeof KEYS)[number]): boolean {
  const { loss_type, beta } = optionsOf(test);
  const isSmooth = ['sapo', 'vespo'].includes(loss_type);
  if (name === 'epsilon' || name === 'delta') return isSmooth || loss_type === 'cispo';
  if (name === 'use_bias_correction_kl') return beta === 0;
  return name === 'epsilon_high' && isSmooth;
}

/** [rows × width] in the layout of the fixtures, 0 where nothing is. */
function padded(
  test: TrlLossCase,
  gradients: readonly LossGradient[],
  of: 'losses' | 'dLogprobs' | 'dEntropies',
): Float64Array {
  const { mask } = golden.inputs[test.inputs];
  const width = mask[0].length;
  const values = new Float64Array(mask.length * width);
  gradients.forEach((gradient, i) => {
    values.set(gradient[of], i * width);
  });
  return values;
}

// biome-ignore format: a list
const METRICS = [
  'kl', 'clip_ratio/low_mean', 'clip_ratio/high_mean', 'clip_ratio/region_mean', 'clip_ratio/low_min',
  'clip_ratio/high_max', 'cispo_clip_ratio', 'vespo/phi_seq_mean', 'entropy_coef',
] as const;

it('trl_loss.json has 78 cases', () => {
  expect(golden.cases).toHaveLength(78);
});

describe.each(golden.cases.map((test) => [test.name, test] as const))("TRL's %s", (_name, test) => {
  const { gradients, metrics } = computed(test);

  it.each([
    ['float64', TOLERANCE, (values: Float64Array) => [...values]],
    ['float32, as an engine takes them', ROUNDED, (values: Float64Array) => [...Float32Array.from(values)]],
  ])('has its loss and derivatives in %s', (_precision, tolerance, as) => {
    const losses = as(padded(test, gradients, 'losses'));
    const scale = losses.reduce((sum, loss) => sum + Math.abs(loss), 0);
    expect(Math.abs(losses.reduce((sum, loss) => sum + loss, 0) - test.loss) / scale).toBeLessThanOrEqual(tolerance);
    expect(worstRelative(as(padded(test, gradients, 'dLogprobs')), test.dlogps.data)).toBeLessThanOrEqual(tolerance);
    const bonus = test.dentropies?.data ?? new Float64Array(losses.length);
    expect(worstRelative(as(padded(test, gradients, 'dEntropies')), bonus)).toBeLessThanOrEqual(tolerance);
  });

  it('gives what was said between turns exactly no loss and no derivative', () => {
    const { mask } = golden.inputs[test.inputs];
    gradients.forEach(({ losses, dLogprobs, dEntropies }, i) => {
      losses.forEach((loss, t) => {
        if (mask[i][t] === 0) expect([loss, dLogprobs[t], dEntropies[t]]).toEqual([0, 0, 0]);
      });
    });
  });

  it('has its metrics', () => {
    for (const name of METRICS) {
      const expected = test.metrics[name];
      if (typeof expected === 'number') expect(metrics[name], name).toBeCloseTo(expected, 6); // TRL counts in float32
    }
  });
});
