/** The curves: small uPlot charts over the same steps. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { element } from '../../src/run/report/page/dom.ts';
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
  { title: 'Entropy', unit: 'nats a token', curve: 'entropy', color: '--c3' },
  { title: 'Length', unit: 'tokens a completion', curve: 'length', color: '--c1' },
  { title: 'KL', unit: 'nats, to the policy before reinforcement', curve: 'kl', color: '--c4' },
];

const HEIGHT = 168;
/** Points of a curve that are drawn; beyond, neighbours are averaged. */
const MOST_POINTS = 600;
const SMOOTHING = 0.9;

interface Chart {
  readonly panel: Panel;
  readonly box: HTMLElement;
  readonly value: HTMLElement;
  plot: uPlot | undefined;
}

export class Curves {
  readonly #lab: Lab;
  readonly #charts: readonly Chart[];
  #overlays: readonly { readonly name: string; readonly history: History }[] = [];

  constructor(place: HTMLElement, lab: Lab) {
    this.#lab = lab;
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
      return { panel, box, value, plot: undefined };
    });
    new ResizeObserver(() => this.redraw()).observe(place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
  }

  overlay(runs: readonly { readonly name: string; readonly history: History }[]): void {
    this.#overlays = runs;
    this.redraw();
  }

  /** The charts one by one: drawing a chart takes milliseconds. */
  get parts(): { update(): void }[] {
    return this.#charts.map((chart) => ({ update: () => this.#draw(chart) }));
  }

  /** After a change of width, colours or series. */
  redraw(): void {
    for (const chart of this.#charts) {
      chart.plot?.destroy();
      chart.plot = undefined;
      this.#draw(chart);
    }
  }

  #draw(chart: Chart): void {
    const { panel, box, value } = chart;
    value.textContent = latest(panel, this.#lab.history);
    if (box.clientWidth === 0) return;
    const data = this.#data(panel);
    if (chart.plot === undefined) chart.plot = new uPlot(this.#options(panel, box.clientWidth), data, box);
    else chart.plot.setData(data);
  }

  /** [x, overlays…, raw, smooth], on the steps that any of them has. */
  #data(panel: Panel): uPlot.AlignedData {
    const { history } = this.#lab;
    const own = panel.curve === 'accuracy' ? accuracyTables(history) : stepTables(history, panel.curve);
    const others = this.#overlays.map(
      ({ history: other }): uPlot.AlignedData =>
        panel.curve === 'accuracy' ? accuracyTables(other)[0]! : stepTables(other, panel.curve)[1]!,
    ); // both have two tables
    const end = Math.max(1, history.total);
    return uPlot.join([[[0, end]], ...others, ...own]);
  }

  #options(panel: Panel, width: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const main = color(panel.color);
    const isAccuracy = panel.curve === 'accuracy';
    const axis = {
      stroke: color('--axis'),
      grid: { stroke: color('--grid'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    const overlays = this.#overlays.map(
      (): uPlot.Series => ({ stroke: color('--axis'), width: 1, alpha: 0.7, spanGaps: true, points: { show: false } }),
    );
    const first: uPlot.Series = isAccuracy
      ? { stroke: main, width: 2, spanGaps: true, points: { show: true, size: 5, fill: main } }
      : { stroke: main, width: 1, alpha: 0.3, spanGaps: true, points: { show: false } };
    const second: uPlot.Series = isAccuracy
      ? { stroke: main, width: 1.5, dash: [4, 3], spanGaps: true, points: { show: false } }
      : { stroke: main, width: 2, spanGaps: true, points: { show: false } };
    const { edges } = this.#lab.history;
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 10, 0, 0],
      scales: {
        x: { time: false },
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
      hooks: { drawAxes: [(plot) => markEdges(plot, edges.slice(1), color('--axis'))] },
    };
  }
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

function latest({ curve }: Panel, { accuracies, curves }: History): string {
  if (curve === 'accuracy') {
    const last = accuracies.at(-1);
    return last === undefined ? '' : `${(100 * last.greedy).toFixed(1)} %`;
  }
  const last = curves[curve].findLast((value) => value !== null);
  if (last === undefined || last === null) return curve === 'kl' ? 'beta is 0: not measured' : '';
  return Math.abs(last) >= 100 ? last.toFixed(0) : last.toPrecision(3);
}

/** Greedy, and sampled. */
function accuracyTables({ accuracies }: History): uPlot.AlignedData[] {
  const x = accuracies.map((accuracy) => accuracy.x);
  return [
    [x, accuracies.map(({ greedy }) => greedy)],
    [x, accuracies.map(({ sampled }) => sampled)],
  ];
}

/** As measured, and smoothed. */
function stepTables(history: History, curve: Curve): uPlot.AlignedData[] {
  const { x, y } = thinned(history.x, history.curves[curve]);
  let mean: number | undefined;
  const smooth = y.map((value) => {
    if (value === null) return null;
    mean = mean === undefined ? value : SMOOTHING * mean + (1 - SMOOTHING) * value;
    return mean;
  });
  return [
    [x, y],
    [x, smooth],
  ];
}

function thinned(x: readonly number[], y: readonly (number | null)[]): { x: number[]; y: (number | null)[] } {
  const width = Math.ceil(x.length / MOST_POINTS);
  if (width <= 1) return { x: [...x], y: [...y] };
  const out: { x: number[]; y: (number | null)[] } = { x: [], y: [] };
  for (let begin = 0; begin < x.length; begin += width) {
    const end = Math.min(x.length, begin + width);
    const known = y.slice(begin, end).filter((value) => value !== null);
    out.x.push(x[end - 1] as number);
    out.y.push(known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length);
  }
  return out;
}
