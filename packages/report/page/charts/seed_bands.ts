/** Curves of runs that differ in the seed alone, as one: the mean, and the 95 % interval of that mean across the seeds. */
import type { Axis, Series } from '../track.ts';
import { nearest } from './scales.ts';

/** What one seed gives: values at the points of its own track, null where there is none. */
export type SeedCurve = Pick<Series, 'track' | 'values' | 'low' | 'high'>;

/** 97.5 % points of Student's t for 1, 2, 3, … degrees of freedom; beyond, `1.96 + 2.4 / n` is right to a hundredth. */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/**
 * At the points of the seed that came farthest, as far as all have come; of another its value between its own
 * neighbouring points. One seed alone keeps the band that it has.
 */
export function acrossSeeds(seeds: readonly SeedCurve[]): SeedCurve | undefined {
  const there = seeds.filter(({ values }) => values.some((value) => value !== null));
  const [only] = there;
  if (only === undefined || there.length === 1) return only;
  const longest = there.reduce((most, seed) => (lastStep(seed) > lastStep(most) ? seed : most));
  const end = Math.min(...there.map(lastStep));
  const points = longest.track.step.flatMap((step, i) =>
    step <= end ? [{ step, stage: longest.track.stage[i] ?? 0 }] : [],
  );
  const at = (of: (seed: SeedCurve) => readonly (number | null)[]) => {
    const columns = there.map((seed) => between(seed, of(seed), points));
    return points.map((_, i) => columns.map((column) => column[i] ?? null).filter((value) => value !== null));
  };
  const bands = at(({ values }) => values).map(meanInterval);
  const mean = (axis: Axis): number[] => at(({ track: own }) => own[axis]).map((values) => average(values) ?? 0);
  return {
    track: {
      stage: points.map(({ stage }) => stage),
      step: points.map(({ step }) => step),
      time: ascending(mean('time')),
      tokens: ascending(mean('tokens')),
    },
    values: bands.map((band) => band?.[0] ?? null),
    low: bands.map((band) => band?.[1] ?? null),
    high: bands.map((band) => band?.[2] ?? null),
  };
}

/** Mean and its 95 % interval; of a single value the value. */
export function meanInterval(values: readonly number[]): readonly [mean: number, low: number, high: number] | null {
  const mean = average(values);
  if (mean === undefined) return null;
  const n = values.length;
  if (n === 1) return [mean, mean, mean];
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = (STUDENT[n - 2] ?? 1.96 + 2.4 / n) * Math.sqrt(variance / n);
  return [mean, mean - half, mean + half];
}

function average(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function lastStep({ track, values }: SeedCurve): number {
  const at = values.findLastIndex((value) => value !== null);
  return track.step[at] ?? 0;
}

/** A column of one seed at given points of the run: on the line between its neighbours, null outside of its stage. */
function between(
  { track, values }: Pick<SeedCurve, 'track' | 'values'>,
  column: readonly (number | null)[],
  points: readonly { readonly step: number; readonly stage: number }[],
): (number | null)[] {
  const known = track.step.flatMap((step, i) => {
    const value = column[i] ?? null;
    return value === null || (values[i] ?? null) === null ? [] : [{ step, stage: track.stage[i] ?? 0, value }];
  });
  const steps = known.map(({ step }) => step);
  return points.map(({ step, stage }) => {
    const near = nearest(steps, step);
    const a = known[near];
    if (a === undefined || a.stage !== stage) return null;
    if (a.step === step) return a.value;
    const b = known[a.step < step ? near + 1 : near - 1];
    if (b === undefined || b.stage !== stage) return null;
    return a.value + ((b.value - a.value) * (step - a.step)) / (b.step - a.step);
  });
}

/** A mean over fewer seeds may fall back where one has no value; an axis does not. */
function ascending(values: readonly number[]): number[] {
  let most = 0;
  return values.map((value) => {
    most = Math.max(most, value);
    return most;
  });
}
