/** The live region as lines: a pure function of state and size, at most ten lines that never wrap. */

import { duration, percent, printable, thousands } from '../../format.ts';
import type { Colors } from '../colors.ts';
import type { Asked } from '../controls.ts';
import { roughDuration } from '../format.ts';
import { type Chart, type Curve, draw } from './chart.ts';
import { type LiveState, secondsLeft, shareDone, tokensPerSecond } from './state.ts';
import { columnsOf, cut, line, row, type Span } from './text.ts';

export interface FrameOptions {
  /** Size of the terminal. */
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
  readonly asked: Asked;
  /** Whether keys can be pressed. */
  readonly keys: boolean;
}

const CHART_ROWS = 3;
/** Columns of a chart's scale. */
const SCALE = 6;
/** Columns of the longest ` 63 %, about 1h 44m left`: the bar keeps its length while the text changes. */
const PROGRESS_TEXT = 25;
/** Fewer rows than this leave no room for charts. */
const ROWS_WITH_CHARTS = 14;
/** Fewer columns than this leave room for one chart. */
const COLUMNS_WITH_TWO_CHARTS = 60;

export function frame(state: LiveState, options: FrameOptions): string[] {
  // The last column stays free: a character there leaves some terminals on the next line.
  const columns = Math.max(1, options.columns - 1);
  const lines = [progress(state, columns, options), place(state, columns, options)];
  if (state.stageIndex >= 0 && options.rows >= ROWS_WITH_CHARTS) lines.push(...charts(state, columns, options.colors));
  lines.push(figures(state, columns, options.colors));
  if (state.example !== undefined) lines.push(example(state.example, columns, options.colors));
  lines.push(keys(columns, options));
  return lines.slice(0, Math.max(1, options.rows - 2));
}

function progress(state: LiveState, columns: number, { colors, asked }: FrameOptions): string {
  const share = shareDone(state);
  const left = secondsLeft(state);
  const eta = left === undefined ? '' : `, about ${roughDuration(left)} left`;
  const text = ` ${String(Math.floor(100 * share)).padStart(3)} %${asked === 'paused' ? ', paused' : eta}`;
  const width = Math.max(0, columns - PROGRESS_TEXT);
  const full = Math.round(width * share);
  return line([['━'.repeat(full), colors.green], ['─'.repeat(width - full), colors.dim], [text]], columns);
}

function place(state: LiveState, columns: number, { colors, asked }: FrameOptions): string {
  const work = state.work[state.stageIndex];
  const rate = tokensPerSecond(state);
  const items: Span[][] = [[[work === undefined ? 'starting' : work.stage, colors.bold]]];
  if (work !== undefined) items.push([[stepOf(state.step, work.steps)]]);
  const notice = NOTICES[asked];
  if (notice !== '') items.push([[notice, colors.yellow]]);
  if (rate !== undefined) items.push([[`${thousands(rate).padStart(6)} tokens/s`]]);
  items.push([[`${duration((state.now - state.startedAt) / 1000)} so far`]]);
  return row(items, columns);
}

/** `step  90 of 200`: as wide as the last step, so that what follows stays where it is. */
function stepOf(step: number, steps: number): string {
  const all = thousands(steps);
  return `step ${thousands(step).padStart(all.length)} of ${all}`;
}

const NOTICES: Readonly<Record<Asked, string>> = {
  nothing: '',
  evaluation: 'evaluating after this step',
  evaluating: 'evaluating',
  pause: 'pausing after this step',
  paused: 'paused',
  stop: 'saving after this step',
};

interface Panel {
  readonly name: string;
  /** What follows the name, the longest that fits. */
  readonly values: readonly string[];
  readonly curve: Curve;
  readonly scale: (value: number) => string;
  readonly paint: (text: string) => string;
}

function charts(state: LiveState, columns: number, colors: Colors): string[] {
  const shown = panels(state, colors);
  const beside = columns < COLUMNS_WITH_TWO_CHARTS ? shown.slice(0, 1) : shown;
  const gap = 2;
  const width = Math.floor((columns - gap * (beside.length - 1)) / beside.length);
  const drawn = beside.map((each) => panel(each, width, state.step, colors));
  return Array.from({ length: 1 + CHART_ROWS }, (_, index) =>
    line(
      drawn.flatMap((lines, column): Span[] => [
        ...(column === 0 ? [] : [[' '.repeat(gap)] as const]),
        ...(lines[index] ?? []),
      ]),
      columns,
    ),
  );
}

function panels(state: LiveState, colors: Colors): Panel[] {
  const { metrics, accuracy } = state;
  const isSupervised = metrics.stage === 'sft' || state.work[state.stageIndex]?.stage === 'sft';
  const greedy = accuracy && `greedy ${percent(accuracy.greedy)}`;
  return [
    {
      name: isSupervised ? 'loss' : 'reward',
      values: [number(metrics[isSupervised ? 'loss' : 'reward'], 3)],
      curve: state.training,
      scale: (value) => value.toPrecision(3).slice(0, SCALE - 1),
      paint: colors.cyan,
    },
    {
      name: 'held-out',
      values: greedy ? [`${greedy}, sampled ${percent(accuracy.sampled)}`, greedy] : ['not evaluated yet'],
      curve: state.heldOut,
      scale: (value) => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`,
      paint: colors.magenta,
    },
  ];
}

/** A title, then the chart with its range at the left; every line padded to `width`. */
function panel({ name, values, curve, scale, paint }: Panel, width: number, step: number, colors: Colors): Span[][] {
  const titles = values.map((value) => `${name} ${value}`);
  const title = titles.find((candidate) => columnsOf(candidate) <= width) ?? cut(titles[0] ?? '', width);
  const head: Span[] = [
    [title.slice(0, name.length), colors.dim],
    [title.slice(name.length) + ' '.repeat(width - columnsOf(title))],
  ];
  const chart = draw(curve, { columns: Math.max(1, width - SCALE), rows: CHART_ROWS, step });
  const body = Array.from({ length: CHART_ROWS }, (_, index): Span[] => {
    return [
      [mark(chart, index, scale).padEnd(SCALE), colors.dim],
      [(chart?.rows[index] ?? '').padEnd(width - SCALE), paint],
    ];
  });
  return [head, ...body];
}

/** The ends of a chart's range, beside its highest and its lowest row; one value has only one. */
function mark(chart: Chart | undefined, index: number, scale: (value: number) => string): string {
  if (chart === undefined) return '';
  if (index === CHART_ROWS - 1) return scale(chart.low);
  return index === 0 && chart.high > chart.low ? scale(chart.high) : '';
}

/** Figures of the stage, each in columns of its own, the most telling first; what does not fit is left out. */
function figures({ metrics, work, stageIndex }: LiveState, columns: number, colors: Colors): string {
  const figure = (name: string, value: string): Span[] => [[`${name} `, colors.dim], [value]];
  const common = [
    figure('grad norm', number(metrics.grad_norm, 2)),
    figure('learning rate', metrics.learning_rate === undefined ? '–' : Number(metrics.learning_rate).toExponential(1)),
  ];
  if (work[stageIndex]?.stage !== 'grpo')
    return row([figure('entropy', number(metrics.entropy, 3)), ...common], columns);
  return row(
    [
      figure('entropy', number(metrics.entropy, 3)),
      figure('length', number(metrics['completions/mean_length'], 1).padStart(4)),
      figure('cut off', share(metrics['completions/clipped_ratio'])),
      figure('dead groups', share(metrics.frac_reward_zero_std)),
      ...(metrics.kl === undefined ? [] : [figure('kl', number(metrics.kl, 4))]),
      ...common,
    ],
    columns,
  );
}

function number(value: number | string | undefined, digits: number): string {
  return value === undefined ? '–' : Number(value).toFixed(digits);
}

function share(value: number | string | undefined): string {
  return (value === undefined ? '–' : percent(Number(value))).padStart(6);
}

function example(shown: NonNullable<LiveState['example']>, columns: number, colors: Colors): string {
  const { prompt, completion, verdict } = shown;
  const right = verdict.score === 1;
  const reason = right ? '' : `  ${printable(verdict.reason)}`;
  const mark: Span = right ? ['✓ ', colors.green] : ['✗ ', colors.red];
  const text = `${printable(prompt)} ${printable(completion)}`;
  // A long text gives way to the reason, which is short and tells more.
  const room = Math.max(Math.floor(columns / 2), columns - 2 - columnsOf(reason));
  return line([mark, [cut(text, room)], [reason, colors.dim]], columns);
}

function keys(columns: number, { colors, asked, keys: canPress }: FrameOptions): string {
  if (!canPress) return line([['Ctrl-C saves and quits', colors.dim]], columns);
  const key = (letter: string, meaning: string): Span[] => [
    [letter, colors.bold],
    [` ${meaning}`, colors.dim],
  ];
  const pause = asked === 'paused' || asked === 'pause' ? 'go on' : 'pause';
  return row([key('p', pause), key('e', 'evaluate now'), key('q', 'save and quit'), key('h', 'help')], columns);
}
