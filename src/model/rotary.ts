/**
 * The frequencies of the rotary positions: pair i of a head turns by position·frequency_i.
 *
 *   plain     f_i = θ^(−2i/hd)
 *   linear    f_i / factor
 *   llama3    by wavelength 2π/f_i, with a = original / high_freq_factor and b = original / low_freq_factor:
 *             up to a: f_i; beyond b: f_i / factor; between: (1 − s)·f_i/factor + s·f_i,
 *             where s = (original/wavelength − low) / (high − low)
 *
 *   yarn      by pair: (1 − r)·f_i + r·f_i/factor, r = (i − low)/(high − low) within [0, 1], where low and high are the
 *             pairs that turn beta_fast and beta_slow times over the original context; cos and sin are multiplied by
 *             attention_factor. arXiv:2309.00071
 *
 * @see transformers, modeling_rope_utils.py, whose float32 these float64 numbers are close to
 */
import type { ModelShape, RopeScaling } from './shape.ts';

/** [hd/2] */
export function rotaryFrequencies({
  headDim,
  ropeTheta,
  ropeScaling,
}: Pick<ModelShape, 'headDim' | 'ropeTheta' | 'ropeScaling'>): Float64Array {
  const half = headDim / 2;
  const plain = Float64Array.from({ length: half }, (_, i) => ropeTheta ** (-i / half));
  return ropeScaling === undefined
    ? plain
    : plain.map((frequency, i) => frequency / divisor(ropeScaling, frequency, i, { headDim, ropeTheta }));
}

function divisor(
  scaling: RopeScaling,
  frequency: number,
  index: number,
  of: Pick<ModelShape, 'headDim' | 'ropeTheta'>,
): number {
  switch (scaling.type) {
    case 'linear':
      return scaling.factor;
    case 'factors':
      return scaling.factors[index];
    case 'llama3': {
      const { factor, lowFreqFactor: low, highFreqFactor: high, originalMaxPositionEmbeddings: original } = scaling;
      const turns = (original * frequency) / (2 * Math.PI);
      if (turns > high) return 1;
      if (turns < low) return factor;
      const share = (turns - low) / (high - low);
      return 1 / ((1 - share) / factor + share);
    }
    case 'yarn': {
      const { low, high } = yarnBounds(scaling, of);
      const share = Math.min(1, Math.max(0, (index - low) / (high - low)));
      return 1 / (share / scaling.factor + (1 - share));
    }
    default: {
      const unreachable: never = scaling;
      return unreachable;
    }
  }
}

/** Pairs between which YaRN mixes. */
function yarnBounds(
  { betaFast, betaSlow, originalMaxPositionEmbeddings: original, truncate }: Extract<RopeScaling, { type: 'yarn' }>,
  { headDim, ropeTheta }: Pick<ModelShape, 'headDim' | 'ropeTheta'>,
): { readonly low: number; readonly high: number } {
  const pairOf = (turns: number): number =>
    (headDim * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(ropeTheta));
  const [fast, slow] = [pairOf(betaFast), pairOf(betaSlow)];
  const low = Math.max(0, truncate ? Math.floor(fast) : fast);
  const high = Math.min(headDim - 1, truncate ? Math.ceil(slow) : slow);
  return { low, high: low === high ? high + 0.001 : high };
}

/** cos and sin of position·frequency, [context, hd/2] each, to be rounded once from float64. */
export interface RotaryTables {
  readonly cos: Float64Array;
  readonly sin: Float64Array;
}

export function rotaryTables(shape: ModelShape, context: number): RotaryTables {
  const { ropeScaling: scaling } = shape;
  return tablesOf(rotaryFrequencies(shape), context, scaling?.type === 'yarn' ? scaling.attentionFactor : 1);
}

/** Those of the layers that turn in another way; undefined where there are none. */
export function otherRotaryTables({ headDim, family }: ModelShape, context: number): RotaryTables | undefined {
  if (family?.otherRope === undefined) return undefined;
  const { theta } = family.otherRope;
  const frequencies = theta === null ? new Float64Array(headDim / 2) : rotaryFrequencies({ headDim, ropeTheta: theta });
  return tablesOf(frequencies, context);
}

function tablesOf(frequencies: Float64Array, context: number, factor = 1): RotaryTables {
  const half = frequencies.length;
  const angles = Float64Array.from({ length: context * half }, (_, i) => Math.floor(i / half) * frequencies[i % half]);
  const times = (of: (angle: number) => number) => angles.map((angle) => factor * of(angle));
  return { cos: times(Math.cos), sin: times(Math.sin) };
}
