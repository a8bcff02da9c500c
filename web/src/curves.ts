/** The curves: small uPlot charts over the same steps. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element, write } from '../../src/report/page/dom.ts';
import type { Curve, History } from './history.ts';
import type { Lab } from './lab.ts';

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly curve: Curve | 'accuracy';
  readonly color: string;
  /** A fixed range, where there is one. */
  readonly range?: readonly [number, number];
}

const PANELS: readonly Panel[] = [
  { title: 'Held-out accuracy', unit: 'share of problems solved', curve: 'accuracy', color: '--c2', range: [0, 1] },
  { title: 'Reward', unit: 'mean of a batch', curve: 'reward', color: '--c0' },
  { title: 'Entropy', unit: 'nats per token', curve: 'entropy', color: '--c3' },
  { title: 'Length', unit: 'tokens per completion', curve: 'length', color: '--c1' },
  { title: 'KL', unit: 'nats, to the policy before reinforcement', curve: 'kl', color: '--c4' },
];

const HEIGHT = 168;
const SMOOTHING = 0.9;
/** uPlot draws no axes without a point. */
const NOTHING: uPlot.AlignedData = [[0], [null], [null]];

interface Chart {
  readonly panel: Panel;
  readonly box: HTMLElement;
  readonly value: HTMLElement;
  /** Of the box, as the browser told; asking for it would make it lay the page out. */
  width: number;
  plot: uPlot | undefined;
  /** What the plot shows. */
  shown: History | undefined;
  revision: number;
}

export class Curves {
  readonly #lab: Lab;
  readonly #charts: readonly Chart[];
  readonly #changed: () => void;
  #overlays: readonly { readonly name: string; readonly history: History }[] = [];

  /** @param changed  called when charts must be drawn again */
  constructor(place: HTMLElement, lab: Lab, changed: () => void) {
    this.#lab = lab;
    this.#changed = changed;
    this.#charts = PANELS.map((panel) => {
      const value = element('span', { class: 'now' });
      const box = element('div', { class: 'plot' });
      place.append(
        element(
          'figure',
          { class: 'chart', 'data-curve': panel.curve },
          element('figcaption', {}, element('strong', {}, panel.title), ' ', value, element('small', {}, panel.unit)),
          box,
        ),
      );
      return { panel, box, value, width: 0, plot: undefined, shown: undefined, revision: 0 };
    });
    const sizes = new ResizeObserver((entries) => this.#resize(entries));
    for (const { box } of this.#charts) sizes.observe(box);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#renew(this.#charts));
  }

  overlay(runs: readonly { readonly name: string; readonly history: History }[]): void {
    this.#overlays = runs;
    this.#renew(this.#charts);
  }

  /** The charts one by one: drawing a chart takes milliseconds. */
  get parts(): { update(): boolean }[] {
    return this.#charts.map((chart) => ({ update: () => this.#draw(chart) }));
  }

  #resize(entries: readonly ResizeObserverEntry[]): void {
    const widths = new Map(entries.map(({ target, contentRect }) => [target, Math.floor(contentRect.width)]));
    const resized = this.#charts.filter(({ box, width }) => (widths.get(box) ?? width) !== width);
    for (const chart of resized) chart.width = widths.get(chart.box) as number;
    if (resized.length > 0) this.#renew(resized);
  }

  /** After a change of width, colours or series. */
  #renew(charts: readonly Chart[]): void {
    for (const chart of charts) {
      chart.plot?.destroy();
      chart.plot = undefined;
    }
    this.#changed();
  }

  /** @returns true where the chart is a new one, which takes a frame of its own */
  #draw(chart: Chart): boolean {
    const { history } = this.#lab;
    const { panel, box, value, width } = chart;
    const revision = history.revisions[panel.curve];
    const isShown = chart.plot !== undefined && chart.shown === history && chart.revision === revision;
    if (isShown || width === 0) return false;
    write(value, latest(panel, history));
    const data = this.#data(panel);
    const { plot } = chart;
    if (plot === undefined) chart.plot = new uPlot(this.#options(chart), data, box);
    else plot.batch(() => plot.setData(data)); // at once, so that the time it takes counts in this frame
    chart.shown = history;
    chart.revision = revision;
    return plot === undefined;
  }

  /** [x, overlays…, raw, smooth], on the steps that any of them has. */
  #data({ curve }: Panel): uPlot.AlignedData {
    const own = tables(this.#lab.history, curve);
    if (this.#overlays.length === 0) return own[0].length === 0 ? NOTHING : own;
    const others = this.#overlays.map(({ history }): uPlot.AlignedData => {
      const [x, raw, smooth] = tables(history, curve);
      return [x, curve === 'accuracy' ? raw : smooth];
    });
    const [x, ...lines] = own;
    return uPlot.join([...others, ...lines.map((line): uPlot.AlignedData => [x, line])]);
  }

  #options({ panel, box, width }: Chart): uPlot.Options {
    const color = (name: string): string => computedColor(box, name);
    const main = color(panel.color);
    const faint = color('--faint');
    const isAccuracy = panel.curve === 'accuracy';
    const axis = {
      stroke: faint,
      grid: { stroke: color('--rule'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const overlays = this.#overlays.map(
      (): uPlot.Series => ({ stroke: faint, width: 1, alpha: 0.7, spanGaps: true, points: { show: false } }),
    );
    const first: uPlot.Series = isAccuracy
      ? { stroke: main, width: 2, spanGaps: true, points: { show: true, size: 5, fill: main } }
      : { stroke: main, width: 1, alpha: 0.3, spanGaps: true, points: { show: false } };
    const second: uPlot.Series = isAccuracy
      ? { stroke: main, width: 1.5, dash: [4, 3], spanGaps: true, points: { show: false } }
      : { stroke: main, width: 2, spanGaps: true, points: { show: false } };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 10, 0, 0],
      scales: {
        x: { time: false, range: () => [0, Math.max(1, this.#lab.history.total)] },
        y: panel.range === undefined ? { range: roomy } : { range: [panel.range[0], panel.range[1]] },
      },
      axes: [
        { ...axis, size: 24, gap: 2 },
        {
          ...axis,
          size: 44,
          gap: 4,
          splits: panel.range && (() => [0, 0.25, 0.5, 0.75, 1]),
          values: panel.range && percents,
        },
      ],
      series: [{}, ...overlays, first, second],
      hooks: { drawAxes: [(plot) => markEdges(plot, this.#lab.history.edges.slice(1), faint)] },
    };
  }
}

/** A colour of the palette as a canvas takes it, which knows no light-dark(): the browser computes it for an element. */
function computedColor(place: HTMLElement, name: string): string {
  place.style.color = `var(${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
}

const percents = (_: uPlot, splits: number[]): string[] => splits.map((split) => `${Math.round(split * 100)} %`);

function roomy(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max(1e-6, (high - low) * 0.08, Math.abs(high) * 0.1);
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

function markEdges(plot: uPlot, edges: readonly number[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash([3, 3]);
  for (const edge of edges) {
    const x = plot.valToPos(edge, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function latest({ curve }: Panel, history: History): string {
  if (curve === 'accuracy') {
    const last = history.accuracies.at(-1);
    return last === undefined ? '' : `${(100 * last.greedy).toFixed(1)} %`;
  }
  const last = history.latest[curve];
  if (last === null) return curve === 'kl' ? 'beta is 0: not measured' : '';
  return Math.abs(last) >= 100 ? last.toFixed(0) : last.toPrecision(3);
}

type Table = [x: number[], raw: (number | null)[], smooth: (number | null)[]];

/** Greedy and sampled accuracy; or a curve as measured, and smoothed. */
function tables({ x, curves, accuracies }: History, curve: Panel['curve']): Table {
  if (curve === 'accuracy') {
    return [
      accuracies.map((accuracy) => accuracy.x),
      accuracies.map(({ greedy }) => greedy),
      accuracies.map(({ sampled }) => sampled),
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
