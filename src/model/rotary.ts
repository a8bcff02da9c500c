/**
 * The frequencies of the rotary positions: pair i of a head turns by position·frequency_i.
 *
 *   plain     f_i = θ^(−2i/hd)
 *   linear    f_i / factor
 *   llama3    by wavelength 2π/f_i, with a = original / high_freq_factor and b = original / low_freq_factor:
 *             up to a: f_i; beyond b: f_i / factor; between: (1 − s)·f_i/factor + s·f_i,
 *             where s = (original/wavelength − low) / (high − low)
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
    : plain.map((frequency, i) => frequency / divisor(ropeScaling, frequency, i));
}

function divisor(scaling: RopeScaling, frequency: number, index: number): number {
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
    default: {
      const unreachable: never = scaling;
      return unreachable;
    }
  }
}

/** cos and sin of position·frequency, [context, hd/2] each, to be rounded once from float64. */
export function rotaryTables(
  shape: ModelShape,
  context: number,
): { readonly cos: Float64Array; readonly sin: Float64Array } {
  const frequencies = rotaryFrequencies(shape);
  const half = frequencies.length;
  const angles = Float64Array.from({ length: context * half }, (_, i) => Math.floor(i / half) * frequencies[i % half]);
  return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
}
