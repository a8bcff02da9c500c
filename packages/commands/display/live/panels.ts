/** The two charts of the live region: what training sees, and what held-out problems say. */

import type { Colors } from '../../../../src/cli/display/colors.ts';
import { percent } from '../../../../src/format.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import { type Chart, type Curve, draw, type Range } from './chart.ts';
import type { LiveState } from './state.ts';
import { columnsOf, cut, line, type Span } from './text.ts';

/** Columns of a chart's scale. */
const SCALE = 6;
/** Fewer columns than this leave room for one chart. */
const COLUMNS_WITH_TWO_CHARTS = 60;
const GAP = 2;
/** A line over one of these is drawn on a full one, over another on none: a cell has a single character. */
const MOSTLY_FULL = '▄▅▆▇█';

interface Panel {
  /** A title with its figures, the longest that fits. */
  readonly titles: readonly (readonly Span[])[];
  readonly curve: Curve;
  /** A second curve on the same axis, drawn as a line. */
  readonly line?: Curve;
  /** What the axis spans at least. */
  readonly range?: Range | undefined;
  readonly scale: (value: number) => string;
  readonly paint: (text: string) => string;
  readonly paintLine?: (text: string) => string;
}

/** A title, then `rows` lines of each chart, side by side. */
export function chartLines(state: LiveState, columns: number, rows: number, colors: Colors): string[] {
  const panels = [trainingPanel(state, colors), heldOutPanel(state, colors)];
  const shown = columns < COLUMNS_WITH_TWO_CHARTS ? panels.slice(0, 1) : panels;
  const narrow = Math.floor((columns - GAP * (shown.length - 1)) / shown.length);
  const drawn = shown.map((panel, index) => {
    // The last one has the column that does not divide; after it nothing is filled up.
    const isLast = index === shown.length - 1;
    const width = isLast ? columns - index * (narrow + GAP) : narrow;
    return panelLines(panel, { columns: width, rows, step: state.step }, colors).map((spans) =>
      isLast ? spans : filled(spans, width + GAP),
    );
  });
  return Array.from({ length: 1 + rows }, (_, index) =>
    line(
      drawn.flatMap((lines) => lines[index] ?? []),
      columns,
    ),
  );
}

function filled(spans: readonly Span[], columns: number): readonly Span[] {
  const width = spans.reduce((sum, [text]) => sum + columnsOf(text), 0);
  return [...spans, [' '.repeat(Math.max(0, columns - width))]];
}

function trainingPanel(state: LiveState, colors: Colors): Panel {
  const { metrics } = state;
  const isSupervised = metrics.stage === 'sft' || state.work[state.stageIndex]?.stage === 'sft';
  const name = isSupervised ? 'loss' : 'reward';
  return {
    titles: [[[name, colors.dim], [` ${figure(metrics[name])}`]]],
    curve: state.training,
    scale: (value) => value.toPrecision(3).slice(0, SCALE - 1),
    paint: colors.cyan,
  };
}

function heldOutPanel({ accuracy, greedy, sampled, accuracyRange }: LiveState, colors: Colors): Panel {
  const name: Span = ['held-out', colors.dim];
  const legend = (gap: string, share: (value: number) => string, marks: readonly [string, string]): readonly Span[] =>
    accuracy === undefined
      ? []
      : [
          name,
          [gap + marks[0], colors.magenta],
          [`greedy ${share(accuracy.greedy)}`],
          [gap + marks[1], colors.yellow],
          [`sampled ${share(accuracy.sampled)}`],
        ];
  const short = (value: number): string => percent(value).replace('.0 %', ' %');
  return {
    titles:
      accuracy === undefined
        ? [[name, [' not evaluated yet']]]
        : [
            legend('   ', percent, ['█ ', '─ ']),
            legend(' ', percent, ['█', '─']),
            legend(' ', short, ['█', '─']),
            [name, [` greedy ${percent(accuracy.greedy)}`]],
          ],
    curve: greedy,
    line: sampled,
    range: accuracyRange,
    scale: (value) => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`,
    paint: colors.magenta,
    paintLine: colors.yellow,
  };
}

function panelLines(
  { titles, curve, line: over, range, scale, paint, paintLine = paint }: Panel,
  { columns, rows, step }: { readonly columns: number; readonly rows: number; readonly step: number },
  colors: Colors,
): (readonly Span[])[] {
  const widthOf = (spans: readonly Span[]): number => spans.reduce((sum, [text]) => sum + columnsOf(text), 0);
  const [first = []] = titles;
  const title = titles.find((spans) => widthOf(spans) <= columns) ?? [
    [cut(first.map(([text]) => text).join(''), columns)] as const,
  ];
  const size = { columns: Math.max(1, columns - SCALE), rows, step };
  const chart = draw(curve, size, { range, ...(over && { line: over }) });
  const body = Array.from({ length: rows }, (_, index): readonly Span[] => [
    [mark(chart, index, rows, scale).padEnd(SCALE), colors.dim],
    ...overlaid(chart?.rows[index] ?? '', chart?.line?.[index] ?? '', paint, (text, isOnBlock) =>
      isOnBlock ? colors.bgMagenta(paintLine(text)) : paintLine(text),
    ),
  ]);
  return [title, ...body];
}

/** Blocks, and over them the pieces of a line. */
function overlaid(
  blocks: string,
  over: string,
  paint: (text: string) => string,
  paintLine: (text: string, isOnBlock: boolean) => string,
): Span[] {
  const spans: Span[] = [];
  const kindOf = (column: number): string =>
    (over[column] ?? ' ') === ' ' ? 'block' : MOSTLY_FULL.includes(blocks[column]) ? 'on a block' : 'line';
  for (let begin = 0, end = 0; begin < blocks.length; begin = end) {
    const kind = kindOf(begin);
    while (end < blocks.length && kindOf(end) === kind) end++;
    if (kind === 'block') spans.push([blocks.slice(begin, end), paint]);
    else spans.push([over.slice(begin, end), (text) => paintLine(text, kind === 'on a block')]);
  }
  return spans;
}

/** The ends of a chart's range, beside its highest and its lowest row; one value has only one. */
function mark(chart: Chart | undefined, index: number, rows: number, scale: (value: number) => string): string {
  if (chart === undefined) return '';
  if (index === rows - 1) return scale(chart.low);
  return index === 0 && chart.high > chart.low ? scale(chart.high) : '';
}

function figure(value: StepMetrics[string] | undefined): string {
  return value === undefined ? '–' : Number(value).toFixed(3);
}
