/**
 * The live region as lines that never wrap: a pure function of state and size. Ten of them at most in a terminal of 24
 * rows; a taller one has larger charts and a group of completions, and half of it stays for finished lines.
 */

import type { Colors } from '../../../../src/cli/display/colors.ts';
import { duration, percent, printable, thousands } from '../../../../src/format.ts';
import type { Asked } from '../../process/controls.ts';
import { roughDuration } from '../rough_duration.ts';
import { groupLines } from './group.ts';
import { HELP } from './help.ts';
import { chartLines } from './panels.ts';
import { type LiveState, secondsLeft, shareDone, tokensPerSecond } from './state.ts';
import { columnsOf, cut, line, row, type Span, wrapWords } from './text.ts';

export interface FrameOptions {
  /** Size of the terminal. */
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
  readonly asked: Asked;
  /** Whether keys can be pressed. */
  readonly keys: boolean;
  /** Whether help was asked for. */
  readonly help?: boolean;
}

/** Columns of the longest ` 63 %, about 1h 44m left`: the bar keeps its length while the text changes. */
const PROGRESS_TEXT = 25;
/** Fewer rows than this leave no room for charts; this many have room for a group. */
const ROWS_WITH_CHARTS = 14;
const ROWS_WITH_GROUP = 30;
/** Lines of a chart, and of groups. */
const FEWEST_CHART_ROWS = 3;
const MOST_CHART_ROWS = 12;
const MOST_GROUP_ROWS = 14;

export function frame(state: LiveState, options: FrameOptions): string[] {
  // The last column stays free: a character there leaves some terminals on the next line.
  const columns = Math.max(1, options.columns - 1);
  const head = [progress(state, columns, options), place(state, columns, options)];
  const room = Math.max(1, options.rows - 2);
  const body = options.help
    ? helpLines(columns, room - head.length - 1, options)
    : figuresAndCharts(state, columns, options);
  return [...head, ...body, keys(columns, options)].slice(0, room);
}

function figuresAndCharts(state: LiveState, columns: number, { rows, colors }: FrameOptions): string[] {
  const lines: string[] = [];
  if (state.stageIndex >= 0 && rows >= ROWS_WITH_CHARTS) {
    lines.push(...chartLines(state, columns, chartRows(rows), colors));
  }
  lines.push(figures(state, columns, colors));
  if (state.groups !== undefined && rows >= ROWS_WITH_GROUP) {
    lines.push(
      ...groupLines(state.groups.shown, columns, Math.min(MOST_GROUP_ROWS, Math.floor((rows - 16) / 3)), colors),
    );
  } else if (state.example !== undefined) lines.push(example(state.example, columns, colors));
  return lines;
}

function chartRows(rows: number): number {
  const more = Math.floor((rows - 24) / 4);
  return Math.min(MOST_CHART_ROWS, FEWEST_CHART_ROWS + Math.max(0, more));
}

/** The keys stay below them, whatever room there is. */
function helpLines(columns: number, room: number, { colors }: FrameOptions): string[] {
  const lines = HELP.flatMap((text) => wrapWords(text, columns).split('\n'));
  return lines.slice(0, Math.max(0, room)).map((text) => line([[text, colors.dim]], columns));
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
  stop: 'stopping and saving',
};

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

function keys(columns: number, { colors, asked, keys: canPress, help }: FrameOptions): string {
  if (!canPress) return line([['Ctrl-C saves and quits', colors.dim]], columns);
  const key = (letter: string, meaning: string): Span[] => [
    [letter, colors.bold],
    [` ${meaning}`, colors.dim],
  ];
  const pause = asked === 'paused' || asked === 'pause' ? 'continue' : 'pause';
  return row(
    [key('p', pause), key('e', 'evaluate now'), key('q', 'save and quit'), key('h', help ? 'back' : 'help')],
    columns,
  );
}
