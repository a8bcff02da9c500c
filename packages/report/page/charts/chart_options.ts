/** How uPlot draws a panel: scales, axes, series, bands. Everything that changes with the data is asked for each time. */
import type uPlot from 'uplot';
import { formatTick, type Kind } from '../../format.ts';
import type { DrawnColumn } from './aligned.ts';
import { AXIS, bandColor } from './chart_look.ts';
import { paletteColor } from './palette.ts';
import { type Domain, ticksOf } from './scales.ts';

/** What a plot asks its chart for, at each drawing. */
export interface Asked {
  readonly domainX: () => Domain;
  readonly domainY: () => Domain;
  /** The x from which the numbers count. */
  readonly offset: () => number;
  readonly isTime: () => boolean;
  readonly hooks: uPlot.Hooks.Arrays;
}

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly levels: number;
  readonly kind: Kind;
  readonly isLog: boolean;
}

const PIXELS_A_TICK = 70;
const PIXELS_A_CHARACTER = 7;
const POINT = 6;

export function plotOptions(columns: readonly DrawnColumn[], look: Look, asked: Asked): uPlot.Options {
  const { width, height, levels, kind, isLog } = look;
  const x = (plot: uPlot): { low: number; high: number } => ({
    low: plot.scales.x?.min ?? 0,
    high: plot.scales.x?.max ?? 1,
  });
  const xTicks = (plot: uPlot): { values: readonly number[]; step: number } => {
    const offset = asked.offset();
    const { low, high } = x(plot);
    const count = Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / PIXELS_A_TICK));
    return ticksOf({ low: low - offset, high: high - offset }, count, asked.isTime());
  };
  const yTicks = (plot: uPlot): { values: readonly number[]; step: number } =>
    ticksOf({ low: plot.scales.y?.min ?? 0, high: plot.scales.y?.max ?? 1 }, levels);
  const pair = ({ low, high }: Domain): [number, number] => [low, high];
  return {
    width,
    height,
    legend: { show: false },
    padding: [18, 20, 0, 0],
    focus: { alpha: 1 },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 8, width: 1.5, stroke: () => paletteColor('--surface'), fill: pointFill(columns) },
      dataIdx: (plot, series, index) => nearestPoint(plot, columns[series - 1], series, index),
      bind: { dblclick: () => null },
    },
    scales: {
      x: { time: false, range: () => pair(asked.domainX()) },
      y: isLog ? { distr: 3, log: 10, range: () => pair(asked.domainY()) } : { range: () => pair(asked.domainY()) },
    },
    axes: [
      {
        ...AXIS,
        grid: { show: false },
        size: 24,
        gap: 3,
        splits: (plot) => xTicks(plot).values.map((value) => value + asked.offset()),
        values: (plot, splits) =>
          splits.map((value) =>
            formatTick(value - asked.offset(), xTicks(plot).step, asked.isTime() ? 'seconds' : 'number'),
          ),
      },
      {
        ...AXIS,
        size: (_: uPlot, values: string[] | null) => axisWidth(values ?? []),
        gap: 5,
        ...(isLog
          ? {
              splits: (plot: uPlot) => powersOfTen(plot.scales.y?.min ?? 1, plot.scales.y?.max ?? 10, levels),
              values: (_: uPlot, splits: number[]) => splits.map(powerText),
            }
          : {
              splits: (plot: uPlot) => [...yTicks(plot).values],
              values: (plot: uPlot, splits: number[]) =>
                splits.map((value) => formatTick(value, yTicks(plot).step, kind)),
            }),
      },
    ],
    series: [{}, ...columns.map(seriesOf)],
    bands: columns.flatMap(({ line, part }, i) =>
      // The upper end comes right after the lower one.
      part === 'low' ? [{ series: [i + 2, i + 1] as [number, number], fill: () => bandColor(line.color) }] : [],
    ),
    hooks: asked.hooks,
  };
}

/** Pixels of an axis of values: most are short, so that the plots of a column begin at the same place. */
function axisWidth(values: readonly string[]): number {
  const longest = Math.max(0, ...values.map(({ length }) => length));
  return Math.max(50, 12 + PIXELS_A_CHARACTER * longest);
}

function seriesOf({ line, part }: DrawnColumn): uPlot.Series {
  const stroke = (): string => paletteColor(line.color);
  if (part === 'low' || part === 'high') return { stroke: 'transparent', width: 0, points: { show: false } };
  if (part === 'raw') return { stroke, width: 1, alpha: 0.28, points: { show: false } };
  const isDotted = line.series.isMeasured || line.x.length === 1;
  const dash = line.series.isDashed ? [5, 4] : undefined;
  return { stroke, width: 1.75, dash, points: isDotted ? { show: true, size: POINT, fill: stroke } : { show: false } };
}

function pointFill(columns: readonly DrawnColumn[]): (plot: uPlot, series: number) => string {
  return (_, series) => paletteColor(columns[series - 1]?.line.color ?? '--ink');
}

/** The row under the cursor where the average has a point; bands and single values have none of their own. */
function nearestPoint(plot: uPlot, column: DrawnColumn | undefined, series: number, index: number): number | null {
  if (column?.part !== 'average') return null;
  const values = plot.data[series];
  for (let by = 0; values !== undefined && by < values.length; by++) {
    if (typeof values[index - by] === 'number') return index - by;
    if (typeof values[index + by] === 'number') return index + by;
  }
  return null;
}

/** About `count` of them, evenly spread. */
function powersOfTen(low: number, high: number, count: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const stride = Math.max(1, Math.ceil((last - first) / (count + 1)));
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, i) => Number(`1e${first + i * stride}`));
}

function powerText(value: number): string {
  const power = Math.round(Math.log10(value));
  return power >= -3 && power <= 4 ? String(value) : `1e${power}`.replace('-', '−');
}
