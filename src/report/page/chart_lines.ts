/** What of a panel's series a view shows: the points that are there, on the chosen axis. */
import { smoothed } from './scales.ts';
import type { Axis, Series } from './track.ts';

/** What all charts are drawn by. */
export interface View {
  readonly axis: Axis;
  /** One stage, or all that a panel has values of. */
  readonly stage: number | 'all';
  /** Weight of the past in the drawn average, from 0 to below 1. */
  readonly smoothing: number;
}

/** The shown part of a series; arrays are [points], ascending, without gaps. */
export interface Line {
  readonly series: Series;
  /** Class of its colour. */
  readonly color: string;
  /** Steps since the run began. */
  readonly steps: readonly number[];
  readonly stages: readonly number[];
  readonly x: readonly number[];
  /** As logged, and as drawn. */
  readonly values: readonly number[];
  readonly averages: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** One line a series that has points in the view. */
export function linesOf(series: readonly Series[], view: View): Line[] {
  return series.flatMap((one, i) => {
    const kept = one.values.flatMap((value, at) => {
      const isShown = value !== null && (view.stage === 'all' || one.track.stage[at] === view.stage);
      return isShown ? [at] : [];
    });
    return kept.length === 0 ? [] : [lineOf(one, `c${i}`, kept, view)];
  });
}

/** @param kept  indices of the points; their values are not null */
function lineOf(series: Series, color: string, kept: readonly number[], { axis, smoothing }: View): Line {
  const { track, values, low = values, high = values, isExact } = series;
  const pick = (column: readonly (number | null)[]): number[] => kept.map((at) => column[at] ?? 0);
  const shown = pick(values);
  return {
    series,
    color,
    steps: pick(track.step),
    stages: pick(track.stage),
    x: pick(track[axis]),
    values: shown,
    averages: isExact ? shown : smoothed(shown, pick(track.stage), smoothing),
    low: pick(low),
    high: pick(high),
  };
}
