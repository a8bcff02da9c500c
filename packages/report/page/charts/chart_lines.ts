/** What of a panel's series a view shows: the points that are there, on the chosen axis. */
import type { Axis, Series } from '../track.ts';
import { colorOf } from './palette.ts';
import { smoothed } from './scales.ts';

/** What all charts are drawn by. */
export interface View {
  readonly axis: Axis;
  /** One stage, or all that a panel has values of. */
  readonly stage: number | 'all';
  /** Weight of the past in the drawn average, from 0 to below 1. */
  readonly smoothing: number;
  /** Scale of values that are no shares. */
  readonly scale: 'linear' | 'log';
  /** Part of the axis; null: all of it. */
  readonly zoom: { readonly low: number; readonly high: number } | null;
  /** Keys of series that are switched off. */
  readonly hidden: ReadonlySet<string>;
}

/** The shown part of a series; arrays are [points], ascending, without gaps. */
export interface Line {
  readonly series: Series;
  /** Variable of the palette. */
  readonly color: string;
  /** Points of the track that are shown. */
  readonly kept: readonly number[];
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

/** One line a series that has points in the view and is not switched off. */
export function linesOf(series: readonly Series[], view: View): Line[] {
  return series.flatMap((one, i) => {
    const kept = keptPoints(one, view);
    return kept.length === 0 || view.hidden.has(one.key) ? [] : [lineOf(one, colorOf(one, i), kept, view)];
  });
}

/** Whether a panel of these has anything to show, switched on or off. */
export function hasPoints(series: readonly Series[], view: View): boolean {
  return series.some((one) => keptPoints(one, view).length > 0);
}

function keptPoints({ track, values }: Series, { stage }: View): number[] {
  const kept: number[] = [];
  for (const [at, value] of values.entries()) {
    if (value !== null && (stage === 'all' || track.stage[at] === stage)) kept.push(at);
  }
  return kept;
}

/** @param kept  indices of the points; their values are not null */
function lineOf(series: Series, color: string, kept: readonly number[], { axis, smoothing }: View): Line {
  const { track, values, low = values, high = values, isExact } = series;
  const pick = (column: readonly (number | null)[]): number[] => kept.map((at) => column[at] ?? 0);
  const picked = pick(values);
  const stages = pick(track.stage);
  return {
    series,
    color,
    kept,
    steps: pick(track.step),
    stages,
    x: pick(track[axis]),
    values: picked,
    averages: isExact ? picked : smoothed(picked, stages, smoothing),
    low: pick(low),
    high: pick(high),
  };
}
