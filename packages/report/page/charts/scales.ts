/** From values to pixels: domains, round ticks, smoothing. */

export interface Domain {
  readonly low: number;
  readonly high: number;
}

/** Values `step` apart that cover a domain from inside, and the distance between them. */
export interface Ticks {
  readonly values: readonly number[];
  readonly step: number;
}

const ROUND = [1, 2, 2.5, 5, 10];
const ROUND_SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

/** At most about `count` round values within the domain; with `isTime`, multiples that clocks have. */
export function ticksOf({ low, high }: Domain, count: number, isTime = false): Ticks {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0)) return { values: [low], step: 1 };
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = isTime && rough <= 43200 ? ROUND_SECONDS : ROUND.map((factor) => factor * power);
  const step = steps.find((size) => size >= rough * (1 - 1e-9)) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples, not sums: a sum of tenths is not a tenth.
  const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  return { values, step };
}

/** A domain with room for all values, from zero where that wastes less than half of it, to round ends. */
export function domainOf(values: readonly number[], count: number): Domain {
  if (values.length === 0) return { low: 0, high: 1 };
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > 0 && low < high / 2) low = 0;
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const { step } = ticksOf({ low, high }, count);
  const [down, up] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  return { low: down, high: up };
}

/**
 * Exponential moving average, as TensorBoard's: each value weighs (1 − weight) of what is new, without the pull of
 * the zero that it starts from. Starts afresh with each stage.
 */
export function smoothed(values: readonly number[], stages: readonly number[], weight: number): number[] {
  let average = 0;
  let mass = 0;
  return values.map((value, i) => {
    if (stages[i] !== stages[i - 1]) [average, mass] = [0, 0];
    average = average * weight + value * (1 - weight);
    mass = mass * weight + (1 - weight);
    return average / mass;
  });
}

/** Index of the entry of ascending `positions` that is nearest to `position`; -1 where there is none. */
export function nearest(positions: readonly number[], position: number): number {
  if (positions.length === 0) return -1;
  let [low, high] = [0, positions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  const before = positions[low - 1];
  return before !== undefined && position - before < (positions[low] ?? 0) - position ? low - 1 : low;
}

/** Whole powers of ten around all values above zero. */
export function logDomainOf(values: readonly number[]): Domain {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { low: 0.1, high: 1 };
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of positive) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const low = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const high = 10 ** Math.ceil(Math.log10(most) - 1e-9);
  return { low, high: high > low ? high : low * 10 };
}
