/** Lines as uPlot takes them: one ascending x, and columns over it. `undefined` is no point, null ends a line. */
import uPlot from 'uplot';
import type { Line } from './chart_lines.ts';

type Column = (number | null | undefined)[];

/** What a column draws of its line. */
export type Part = 'average' | 'raw' | 'low' | 'high';

export interface DrawnColumn {
  readonly line: Line;
  readonly part: Part;
}

export interface Aligned {
  readonly data: uPlot.AlignedData;
  /** Columns of `data`, without x. */
  readonly columns: readonly DrawnColumn[];
}

/** @param isAveraged  whether an average is drawn over what was logged */
export function aligned(lines: readonly Line[], isAveraged: boolean): Aligned {
  const columns = lines.flatMap((line): DrawnColumn[] => {
    const hasRaw = isAveraged && !line.series.isExact && line.x.length > 1;
    const band = line.series.low === undefined ? [] : (['low', 'high'] as const);
    return [...band, ...(hasRaw ? (['raw'] as const) : []), 'average' as const].map((part) => ({ line, part }));
  });
  const [first] = lines;
  const isOneTrack = lines.every(({ series }) => series.track === first?.series.track);
  return { data: isOneTrack ? onOneTrack(lines, columns) : joined(columns), columns };
}

/** Points of one run lie on one track, whose x may stay the same, as tokens do over the steps on one batch. */
function onOneTrack(lines: readonly Line[], columns: readonly DrawnColumn[]): uPlot.AlignedData {
  const points = [...new Set(lines.flatMap(({ kept }) => kept))].sort((a, b) => a - b);
  const rowOf = new Map<number, number>();
  const x: number[] = [];
  const breaks: number[] = [];
  const stages = lines[0]?.series.track.stage ?? [];
  const xs = new Map(lines.flatMap((line) => line.kept.map((point, i) => [point, line.x[i] ?? 0] as const)));
  points.forEach((point, i) => {
    // Between two stages nothing was measured.
    if (i > 0 && stages[point] !== stages[points[i - 1] ?? 0]) {
      breaks.push(x.length);
      x.push(x.at(-1) ?? 0);
    }
    rowOf.set(point, x.length);
    x.push(xs.get(point) ?? 0);
  });
  const filled = columns.map((column): Column => {
    const values: Column = new Array(x.length).fill(undefined);
    if (!column.line.series.isMeasured) for (const row of breaks) values[row] = null;
    column.line.kept.forEach((point, i) => {
      values[rowOf.get(point) ?? 0] = valuesOf(column)[i];
    });
    return values;
  });
  return [x, ...filled];
}

/** Points of several runs, each on a track of its own. */
function joined(columns: readonly DrawnColumn[]): uPlot.AlignedData {
  return uPlot.join(columns.map((column): uPlot.AlignedData => [[...column.line.x], [...valuesOf(column)]]));
}

function valuesOf({ line, part }: DrawnColumn): readonly number[] {
  switch (part) {
    case 'average':
      return line.averages;
    case 'raw':
      return line.values;
    case 'low':
      return line.low;
    case 'high':
      return line.high;
  }
}
