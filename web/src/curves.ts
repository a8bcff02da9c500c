/** The curves: small uPlot charts over the same steps, with a legend each, and the values under the pointer or the arrow keys. */
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { AXIS, bandColor, FONT, movedCursor } from '../../packages/report/page/charts/chart_look.ts';
import { forget, paletteColor } from '../../packages/report/page/charts/palette.ts';
import { element, write } from '../../packages/report/page/dom.ts';
import { latestOf, overlayOf, PANELS, type Panel, readingOf, tableOf } from './curve_tables.ts';
import type { Experiment } from './experiment.ts';
import type { History } from './history.ts';

const HEIGHT = 150;
/** All charts have their cursor at the same step. */
const SYNC = 'curves';

/** What is drawn: a run's history, and what of its job the charts need. */
export interface Charted {
  readonly history: History;
  readonly experiment: Pick<Experiment, 'beta' | 'warmStart' | 'steps'>;
}

interface Chart {
  readonly panel: Panel;
  readonly figure: HTMLElement;
  readonly box: HTMLElement;
  readonly value: HTMLElement;
  /** The box's, as the browser reported; asking for it would make it lay the page out. */
  width: number;
  plot: uPlot | undefined;
  /** What the plot shows. */
  shown: History | undefined;
  revision: number;
}

export class Curves {
  readonly #lab: Charted;
  readonly #charts: readonly Chart[];
  readonly #changed: () => void;
  /** The step under the pointer. */
  #reading: number | undefined;
  #overlays: readonly { readonly name: string; readonly history: History }[] = [];
  /** Undefined until there is something to draw, and it has come: a first visit trains without waiting for it. */
  #library: typeof uPlot | undefined;
  #isLoading = false;

  /** @param accuracy  place of the held-out curve @param others  place of the rest @param changed  called when charts must be drawn again */
  constructor(accuracy: HTMLElement, others: HTMLElement, lab: Charted, changed: () => void) {
    this.#lab = lab;
    this.#changed = changed;
    this.#charts = PANELS.map((panel) => {
      const value = element('span', { class: 'now' });
      const box = element('div', {
        class: 'plot',
        tabindex: 0,
        role: 'slider',
        'aria-label': `${panel.title}: read the curve with the arrow keys`,
        'aria-valuemin': 0,
        'aria-valuenow': 0,
      });
      const caption = element('figcaption', {}, element('strong', {}, panel.title), value, legendOf(panel));
      const figure = element('figure', { class: 'chart', 'data-curve': panel.curve }, caption, box);
      (panel.curve === 'accuracy' ? accuracy : others).append(figure);
      const chart: Chart = { panel, figure, box, value, width: 0, plot: undefined, shown: undefined, revision: 0 };
      box.addEventListener('keydown', (event) => this.#key(chart, event));
      box.addEventListener('blur', () => this.#read(undefined));
      return chart;
    });
    const sizes = new ResizeObserver((entries) => this.#resize(entries));
    for (const { box } of this.#charts) sizes.observe(box);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      forget();
      for (const { plot } of this.#charts) plot?.redraw(false, true);
    });
  }

  overlay(runs: readonly { readonly name: string; readonly history: History }[]): void {
    this.#overlays = runs;
    this.#renew(this.#charts);
  }

  /** The charts one by one: drawing a chart takes milliseconds. */
  get parts(): { update(): boolean }[] {
    return this.#charts.map((chart) => ({ update: () => this.#draw(chart) }));
  }

  /** Arrow keys take the cursor from point to point. */
  #key({ plot, panel }: Chart, event: KeyboardEvent): void {
    const x = plot?.data[0] ?? [];
    if (plot === undefined || x.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = plot.cursor.idx ?? (panel.curve === 'accuracy' ? x.length - 1 : this.#lab.history.x.length - 1);
    const to = movedCursor(event, at, x.length);
    if (to === undefined) return;
    event.preventDefault();
    const step = x[to] as number;
    plot.setCursor({ left: plot.valToPos(step, 'x'), top: 0 }); // the others follow
  }

  /** Shows in every chart what its curve is at a step; nothing: the last values again. */
  #read(step: number | undefined): void {
    if (step === this.#reading) return;
    this.#reading = step;
    for (const chart of this.#charts) this.#showValue(chart);
  }

  #showValue({ panel, box, value }: Chart): void {
    const { history } = this.#lab;
    const step = this.#reading;
    const reading = step === undefined ? '' : readingOf(panel, history, step);
    const said = reading === '' ? latestOf(panel, history) : reading;
    write(value, said);
    box.setAttribute('aria-valuemax', String(history.total));
    box.setAttribute('aria-valuenow', String(step ?? history.step));
    box.setAttribute('aria-valuetext', said === '' ? 'nothing measured yet' : said);
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
    const { history, experiment } = this.#lab;
    const { panel, figure, box, width } = chart;
    // Without a penalty nothing of it is measured.
    figure.hidden = panel.curve === 'kl' && experiment.beta === 0 && this.#overlays.length === 0;
    const revision = history.revisions[panel.curve];
    const isShown = chart.plot !== undefined && chart.shown === history && chart.revision === revision;
    if (isShown || width === 0) return false;
    this.#showValue(chart);
    if (this.#library === undefined) {
      if (history.x.length > 0 || history.accuracies.length > 0 || this.#overlays.length > 0) void this.#load();
      return false;
    }
    const data = this.#data(panel, this.#library);
    const { plot } = chart;
    if (plot === undefined) chart.plot = new this.#library(this.#options(chart), data, box);
    else plot.batch(() => plot.setData(data)); // at once, so that the time it takes counts in this frame
    chart.shown = history;
    chart.revision = revision;
    return plot === undefined;
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#library = (await import('uplot')).default;
    } finally {
      this.#isLoading = false; // where the network fails, the next point asks again
    }
    this.#changed();
  }

  /** [x, overlays…, lines of this run], on the steps that any of them has. */
  #data({ curve }: Panel, { join }: typeof uPlot): uPlot.AlignedData {
    const own = tableOf(this.#lab.history, curve);
    if (this.#overlays.length === 0) return own[0].length === 0 ? [[0], ...own.slice(1).map(() => [null])] : own;
    const others = this.#overlays.map(({ history }): uPlot.AlignedData => overlayOf(history, curve));
    const [x, ...lines] = own;
    return join([...others, ...lines.map((line): uPlot.AlignedData => [x, line])]);
  }

  #options({ panel, width }: Chart): uPlot.Options {
    const main = (): string => paletteColor(panel.color);
    const faint = (): string => paletteColor('--faint');
    const isAccuracy = panel.curve === 'accuracy';
    const overlays = this.#overlays.map(
      (): uPlot.Series => ({ stroke: faint, width: 1, alpha: 0.7, spanGaps: true, points: { show: false } }),
    );
    const bare: uPlot.Series = { stroke: main, spanGaps: true, points: { show: false } };
    const own: uPlot.Series[] = isAccuracy
      ? [
          { ...bare, stroke: 'transparent' }, // the ends of the interval bound its band
          { ...bare, stroke: 'transparent' },
          { ...bare, width: 2, points: { show: true, size: 5, fill: main } },
          { ...bare, stroke: () => paletteColor('--sampled'), width: 1.5, dash: [4, 3] },
        ]
      : [
          { ...bare, width: 1, alpha: 0.3 },
          { ...bare, width: 2 },
        ];
    const low = overlays.length + 1;
    const bands: uPlot.Band[] = isAccuracy ? [{ series: [low + 1, low], fill: () => bandColor(panel.color) }] : [];
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { show: false }, sync: { key: SYNC } },
      bands,
      padding: [8, 22, 0, 0], // half of the last step's number is beyond the plot
      scales: {
        x: { time: false, range: () => [0, this.#lab.history.total || plannedSteps(this.#lab.experiment)] },
        y: panel.range === undefined ? { range: roomy } : { range: [panel.range[0], panel.range[1]] },
      },
      axes: [
        { ...AXIS, size: 24, gap: 2 },
        {
          ...AXIS,
          size: 44,
          gap: 4,
          splits: panel.range && (() => [0, 0.25, 0.5, 0.75, 1]),
          values: panel.range && percents,
        },
      ],
      series: [{}, ...overlays, ...own],
      hooks: {
        drawAxes: [(plot) => markEdges(plot, this.#lab.history)],
        setCursor: [({ cursor, data }) => this.#read(cursor.idx == null ? undefined : data[0][cursor.idx])],
      },
    };
  }
}

/** Before the run is open. */
function plannedSteps({ warmStart, steps }: Charted['experiment']): number {
  return Math.max(1, warmStart + steps);
}

const percents = (_: uPlot, splits: number[]): string[] => splits.map((split) => `${Math.round(split * 100)} %`);

function roomy(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = Math.max(1e-6, (high - low) * 0.08, Math.abs(high) * 0.1);
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/** Where a stage begins, and which. */
function markEdges({ ctx, bbox, valToPos }: uPlot, { edges, stages }: History): void {
  const color = paletteColor('--faint');
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.font = FONT.replace('11px', `${11 * devicePixelRatio}px`);
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'left';
  for (const [i, edge] of edges.entries()) {
    if (i === 0) continue;
    const x = valToPos(edge, 'x', true);
    ctx.setLineDash([3, 3]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const name = stages[i]?.stage === 'grpo' ? 'reinforcement' : 'supervised';
    ctx.fillText(name, x + 4 * devicePixelRatio, bbox.top + bbox.height - 2);
  }
  ctx.restore();
}

function legendOf({ unit, key, color }: Panel): HTMLElement {
  return element(
    'small',
    { style: `--line: var(${color})` },
    `${unit}: `,
    ...key.flatMap(([mark, means]) => [element('i', { class: `mark ${mark}` }), `${means} `]),
  );
}
