/** What each chart of the page shows: its title, its lines as tables over steps, and its values in words. */
import { withInterval } from '../../packages/zoo/diagnostics/words.ts';
import { percent } from '../../src/format.ts';
import type { Curve, History, Share } from './history.ts';

export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly curve: Curve | 'accuracy';
  /** Variable of the palette. */
  readonly color: string;
  /** A fixed range, where there is one. */
  readonly range?: readonly [number, number];
  /** What is drawn how, in the order of the lines: a legend. */
  readonly key: readonly (readonly [mark: 'line' | 'faint' | 'dashed' | 'band', means: string])[];
}

const MEASURED: Panel['key'] = [
  ['faint', 'each step'],
  ['line', 'smoothed'],
];

export const PANELS: readonly Panel[] = [
  {
    title: 'Held-out accuracy',
    unit: 'share solved',
    curve: 'accuracy',
    color: '--greedy',
    range: [0, 1],
    key: [
      ['line', 'greedy'],
      ['band', 'its 95 % interval'],
      ['dashed', 'sampled'],
    ],
  },
  { title: 'Reward', unit: 'mean of a batch', curve: 'reward', color: '--train', key: MEASURED },
  { title: 'Entropy', unit: 'nats per token', curve: 'entropy', color: '--train', key: MEASURED },
  { title: 'Length', unit: 'tokens per completion', curve: 'length', color: '--train', key: MEASURED },
  { title: 'KL', unit: 'nats, to the policy before reinforcement', curve: 'kl', color: '--train', key: MEASURED },
];

const SMOOTHING = 0.9;

type Column = (number | null)[];

/** Steps and their values: [x, low, high, greedy, sampled] of accuracy; [x, raw, smooth] of a curve. */
export function tableOf({ x, curves, accuracies }: History, curve: Panel['curve']): [x: number[], ...Column[]] {
  if (curve === 'accuracy') {
    return [
      accuracies.map((accuracy) => accuracy.x),
      accuracies.map(({ greedy }) => greedy.low),
      accuracies.map(({ greedy }) => greedy.high),
      accuracies.map(({ greedy }) => greedy.mean),
      accuracies.map(({ sampled }) => sampled.mean),
    ];
  }
  let mean: number | undefined;
  const smooth = curves[curve].map((value) => {
    if (value === null) return null;
    mean = mean === undefined ? value : SMOOTHING * mean + (1 - SMOOTHING) * value;
    return mean;
  });
  return [[...x], [...curves[curve]], smooth]; // uPlot keeps what it is given
}

/** The line of an earlier run that is laid under those of this one. */
export function overlayOf(history: History, curve: Panel['curve']): [x: number[], line: Column] {
  const table = tableOf(history, curve);
  const line = table[curve === 'accuracy' ? 3 : 2] as Column; // as tableOf makes them
  return [table[0], line];
}

/** The last value, shown beside the title. */
export function latestOf({ curve }: Panel, history: History): string {
  if (curve === 'accuracy') {
    const last = history.accuracies.at(-1);
    return last === undefined ? '' : withInterval(last.greedy);
  }
  const last = history.latest[curve];
  return last === null ? '' : figure(last);
}

/** The values at a step, or at the last one before it that has some. Empty where there is none. */
export function readingOf({ curve }: Panel, history: History, step: number): string {
  if (curve === 'accuracy') {
    const at = history.accuracies.findLast(({ x }) => x <= step);
    if (at === undefined) return '';
    return `step ${at.x}: ${withInterval(at.greedy)}, sampled ${percent(at.sampled.mean)}`;
  }
  const [x, raw, smooth] = tableOf(history, curve) as [number[], Column, Column];
  const i = raw.findLastIndex((value, place) => value !== null && (x[place] as number) <= step);
  return i < 0 ? '' : `step ${x[i]}: ${figure(raw[i] as number)}, smoothed ${figure(smooth[i] as number)}`;
}

/** A share in few letters: `87 % (71–96)`, for a tab's title or a list. */
export function shortShare({ mean, low, high }: Share): string {
  const points = (share: number): string => (100 * share).toFixed(0);
  return `${points(mean)} % (${points(low)}–${points(high)})`;
}

function figure(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
