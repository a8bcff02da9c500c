/**
 * A surrogate and its ratio as a loss term: losses += c·w·ℓ, and its derivatives; the ratio spreads the derivative by
 * its logarithm over its tokens.
 */

import type {
  LossSequence,
  LossTerm,
  Measures,
  Meter,
  Objective,
  Ratio,
  Surrogate,
  SurrogatePoint,
} from '../../points.ts';
import { bounded } from '../../ratios/bounded.ts';

/** TRL's names: shares of the loss tokens, or of the completions if there is one ratio per completion. */
const CLIP_RATIO = 'clip_ratio';

/** TRL keeps the log of an importance weight above that of 1e-8 (vespo). */
const LEAST_LOG = Math.log(1e-8);
const MOST_LOG = 20;

/** The policy's own term: the objective itself, or its surrogate by this ratio. */
export function objectiveTerm(objective: Objective, ratio: Ratio): LossTerm {
  return 'add' in objective ? objective : surrogateTerm(objective, ratio);
}

function surrogateTerm(surrogate: Surrogate, stageRatio: Ratio): LossTerm {
  const ratio = surrogate.ratio ?? stageRatio;
  const { onDevice = false } = ratio;
  const point: SurrogatePoint = { logRatio: 0, logprob: 0, oldLogprob: 0, advantage: 0 };
  const value = { loss: 0, slope: 0, logprobSlope: 0 };
  let scratch = new Float64Array(0);
  const logRatiosOf = (sequence: LossSequence): Float64Array => {
    const { length } = sequence.coefficients;
    if (scratch.length < 2 * length) scratch = new Float64Array(2 * length);
    const logRatios = scratch.subarray(0, length);
    ratio.measure(sequence, logRatios);
    if (surrogate.importanceInRatio) addImportance(sequence, logRatios);
    return logRatios;
  };
  const move = (sequence: LossSequence, t: number, logRatios: Float64Array): void => {
    point.logprob = sequence.logprobs[t];
    point.oldLogprob = sequence.oldLogprobs[t];
    point.logRatio = bounded(logRatios[t]);
    point.advantage = sequence.advantages[t];
  };
  return {
    coupling: ratio.isPerSequence ? 'sequence' : 'token',
    device: onDevice ? surrogate.device : undefined,
    stopsGradient: surrogate.stopsGradient ?? ratio.stopsGradient,
    ...(surrogate.actsWithoutAdvantage && { actsWithoutAdvantage: true }),
    add(sequences, gradients) {
      sequences.forEach((sequence, i) => {
        const { losses, dLogprobs } = gradients[i];
        const { coefficients, weights, importance } = sequence;
        const logRatios = logRatiosOf(sequence);
        const slopes = scratch.subarray(logRatios.length, 2 * logRatios.length).fill(0);
        for (let t = 0; t < coefficients.length; t++) {
          const factor = surrogate.importanceInRatio ? 1 : (importance?.[t] ?? 1);
          const weight = coefficients[t] * weights[t] * factor;
          if (weight === 0) continue; // not 0·x: a masked token's ratio may be infinite
          move(sequence, t, logRatios);
          value.loss = value.slope = value.logprobSlope = 0;
          surrogate.at(point, value);
          losses[t] += weight * value.loss;
          if (point.logRatio === logRatios[t]) slopes[t] = weight * value.slope; // beyond its bounds it is a constant
          dLogprobs[t] += weight * value.logprobSlope;
        }
        ratio.spread(sequence, slopes, dLogprobs);
      });
    },
    measures: measuresOf(),
  };

  function measuresOf(): Measures | undefined {
    const { clipped, cap, gauge, clipMetric = CLIP_RATIO } = surrogate;
    if (clipped === undefined && gauge === undefined) return undefined;
    const countClips = (sequence: LossSequence, logRatios: Float64Array, meter: Meter): void => {
      let [low, high, capped, tokens] = [0, 0, 0, 0];
      for (let t = 0; t < sequence.coefficients.length; t++) {
        if (sequence.coefficients[t] === 0) continue;
        tokens++;
        move(sequence, t, logRatios);
        const bound = surrogate.clipped?.(point);
        if (bound === 'low') low++;
        if (bound === 'high') high++;
        if (cap?.holds(point)) capped++;
        if (ratio.isPerSequence) break;
      }
      const count = ratio.isPerSequence ? 1 : tokens;
      if (cap !== undefined) meter.mean(cap.name, capped, count);
      if (clipMetric !== CLIP_RATIO) {
        meter.mean(clipMetric, low + high, count);
        return;
      }
      meter.mean(`${CLIP_RATIO}/low_mean`, low, count);
      meter.mean(`${CLIP_RATIO}/high_mean`, high, count);
      meter.mean(`${CLIP_RATIO}/region_mean`, low + high, count);
      if (count === 0) return;
      meter.least(`${CLIP_RATIO}/low_min`, low / count);
      meter.most(`${CLIP_RATIO}/high_max`, high / count);
    };
    const names = ['low_mean', 'high_mean', 'region_mean', 'low_min', 'high_max'];
    const clipNames = clipMetric === CLIP_RATIO ? names.map((name) => `${CLIP_RATIO}/${name}`) : [clipMetric];
    return {
      ...(gauge === undefined && { zeroOnPolicy: [...clipNames, ...(cap ? [cap.name] : [])] }),
      add(sequence, meter) {
        const logRatios = logRatiosOf(sequence);
        if (clipped !== undefined) countClips(sequence, logRatios, meter);
        if (gauge === undefined) return;
        const first = sequence.coefficients.findIndex((coefficient) => coefficient !== 0);
        if (first < 0) return;
        move(sequence, first, logRatios);
        meter.mean(gauge.name, gauge.at(point), 1);
      },
    };
  }
}

/** The log of all importance weights of a completion joins that of its ratio. */
function addImportance({ importance, coefficients }: LossSequence, logRatios: Float64Array): void {
  if (importance === undefined) return;
  let sum = 0;
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] !== 0) sum += Math.min(Math.max(Math.log(importance[t]), LEAST_LOG), MOST_LOG);
  }
  for (let t = 0; t < logRatios.length; t++) logRatios[t] += sum;
}

/** A token's weight in the policy's own term; 0 masks it. */
export function ownWeight({ coefficients, weights, importance }: LossSequence, t: number): number {
  return coefficients[t] === 0 ? 0 : coefficients[t] * weights[t] * (importance?.[t] ?? 1);
}
