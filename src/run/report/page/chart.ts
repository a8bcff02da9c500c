/** One panel: curves over steps, time or tokens, with a cursor that the mouse, a finger or the arrow keys move. */
import { duration, formatTick, formatValue, thousands } from '../format.ts';
import { element, shape } from './dom.ts';
import type { Panel } from './panels.ts';
import { type Domain, domainOf, nearest, smoothed, ticksOf } from './scales.ts';
import type { Axis, Curves, Series } from './track.ts';

/** What all charts are drawn by. */
export interface View {
  readonly axis: Axis;
  /** One stage, or all that a panel has values of. */
  readonly stage: number | 'all';
  /** Weight of the past in the drawn average, from 0 to below 1. */
  readonly smoothing: number;
}

export interface ChartEvents {
  /** The cursor is at a position, or gone. */
  readonly onCursor: (position: number | undefined) => void;
  /** The position was chosen: by a click, or by Enter. */
  readonly onChoose: (position: number) => void;
}

/** The drawn part of a series. */
interface Line {
  readonly series: Series;
  /** Class of its colour. */
  readonly color: string;
  /** [points] ascending, without gaps. */
  readonly steps: readonly number[];
  readonly stages: readonly number[];
  readonly x: readonly number[];
  readonly value: readonly number[];
  readonly shown: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

const HEIGHT = { normal: 132, wide: 260 } as const;
const MARGIN = { left: 46, right: 12, top: 10, bottom: 22 } as const;
/** Below this there is nothing to see: a panel in details that are closed. */
const LEAST_WIDTH = 120;
const TAP_PIXELS = 8;

export class Chart {
  readonly root: HTMLElement;
  readonly #panel: Panel;
  readonly #curves: Curves;
  readonly #svg: SVGSVGElement;
  readonly #legend: readonly HTMLElement[];
  readonly #place: HTMLElement;
  readonly #height: number;
  #lines: readonly Line[] = [];
  #width = 0;
  #x: Domain = { low: 0, high: 1 };
  #y: Domain = { low: 0, high: 1 };
  #cursor: SVGGElement | undefined;
  #position: number | undefined;

  constructor(panel: Panel, curves: Curves, events: ChartEvents) {
    this.#panel = panel;
    this.#curves = curves;
    this.#height = panel.isWide ? HEIGHT.wide : HEIGHT.normal;
    this.#svg = shape('svg', { height: this.#height, tabindex: 0, role: 'slider', 'aria-label': panel.title });
    this.#legend = panel.series.map(() => element('b'));
    this.#place = element('span', { class: 'place' });
    const keys = panel.series.map(({ label }, i) =>
      element('span', { class: 'legend' }, element('i', { class: `key c${i}` }), `${label} `, this.#legend[i] as Node),
    );
    this.root = element(
      'figure',
      { class: panel.isWide ? 'panel wide' : 'panel' },
      element('figcaption', {}, element('h3', {}, panel.title), element('p', { class: 'hint' }, panel.hint)),
      element('p', { class: 'legends' }, ...keys, this.#place),
      this.#svg,
    );
    this.#listen(events);
  }

  /** Draws everything anew, at the width that the page gives. */
  draw(view: View): void {
    this.#width = this.root.clientWidth;
    this.root.hidden = !this.#read(view);
    if (this.#width < LEAST_WIDTH || this.root.hidden) return;
    this.#svg.setAttribute('viewBox', `0 0 ${this.#width} ${this.#height}`);
    this.#cursor = shape('g', { class: 'cursor' });
    const bands = this.#lines.map((line) => this.#band(line));
    const curves = this.#lines.flatMap((line) => this.#curve(line, view.smoothing));
    this.#svg.replaceChildren(
      ...this.#stages(view),
      ...this.#axes(view),
      ...bands,
      ...curves,
      ...this.#marks(view),
      this.#cursor,
    );
    this.setCursor(this.#position);
  }

  /** Shows the values at a position of the run, or the last ones. */
  setCursor(position: number | undefined): void {
    this.#position = position;
    this.#cursor?.replaceChildren();
    const at = this.#lines.map((line) =>
      position === undefined ? line.steps.length - 1 : nearest(line.steps, position),
    );
    this.#lines.forEach((line, i) => {
      const value = line.value[at[i] ?? -1];
      const legend = this.#legend[this.#panel.series.indexOf(line.series)];
      if (legend) legend.textContent = value === undefined ? '' : formatValue(value, this.#panel.kind);
    });
    const [line, index] = [this.#lines[0], at[0] ?? -1];
    const text = line && index >= 0 ? this.#placeText(line, index) : '';
    this.#place.textContent = position === undefined ? '' : text;
    this.#tell(text);
    if (position === undefined || line === undefined) return;
    const x = this.#pixelX(line.x[index] ?? 0);
    const { top, bottom } = MARGIN;
    this.#cursor?.append(shape('line', { x1: x, x2: x, y1: top, y2: this.#height - bottom }));
    this.#lines.forEach(({ color, shown, x: xs }, i) => {
      const y = shown[at[i] ?? -1];
      const dot = { class: color, cx: this.#pixelX(xs[at[i] ?? -1] ?? 0), cy: this.#pixelY(y ?? 0), r: 4 };
      if (y !== undefined) this.#cursor?.append(shape('circle', dot));
    });
  }

  /** `grpo step 46 · 1m 12s · 120,000 tokens` */
  #placeText({ steps, stages, series: { track } }: Line, index: number): string {
    const stage = stages[index] ?? 0;
    const step = (steps[index] ?? 0) - (this.#curves.offsets[stage] ?? 0);
    const at = track.step.indexOf(steps[index] ?? 0);
    const name = this.#curves.data.stages.length > 1 ? `${this.#curves.data.stages[stage]?.stage} ` : '';
    return `${name}step ${step} · ${duration(track.time[at] ?? 0)} · ${thousands(track.tokens[at] ?? 0)} tokens`;
  }

  /** For screen readers: the cursor is a slider over the points of the first curve. */
  #tell(place: string): void {
    const values = this.#panel.series.map(({ label }, i) => `${label} ${this.#legend[i]?.textContent}`);
    const steps = this.#lines[0]?.steps ?? [];
    const told = {
      'aria-valuemin': steps[0] ?? 0,
      'aria-valuemax': steps.at(-1) ?? 0,
      'aria-valuenow': this.#position ?? steps.at(-1) ?? 0,
      'aria-valuetext': `${place}: ${values.join(', ')}`,
    };
    for (const [name, value] of Object.entries(told)) this.#svg.setAttribute(name, String(value));
  }

  /** Chooses the points that the view shows, and the domains they need; false where there is none. */
  #read({ axis, stage, smoothing }: View): boolean {
    this.#lines = this.#panel.series.flatMap((series, i) => {
      const { track, values, low = values, high = values } = series;
      const average = series.isMeasured ? values : smoothed(values, smoothing);
      const kept = values.flatMap((value, at) => {
        const isShown = value !== null && (stage === 'all' || track.stage[at] === stage);
        return isShown ? [at] : [];
      });
      const pick = (list: readonly (number | null)[]): number[] => kept.map((at) => list[at] ?? 0);
      const color = `c${i}`;
      const line = { series, color, steps: pick(track.step), stages: pick(track.stage), x: pick(track[axis]) };
      return kept.length === 0
        ? []
        : [{ ...line, value: pick(values), shown: pick(average), low: pick(low), high: pick(high) }];
    });
    if (this.#lines.length === 0) return false;
    this.#x = this.#domainOfStages(axis);
    const ys = this.#lines.flatMap(({ value, low, high }) => [...value, ...low, ...high]);
    const { low, high } = domainOf(ys, this.#tickCount());
    this.#y = this.#panel.kind === 'share' ? { low, high: Math.min(1, high) } : { low, high };
    return true;
  }

  #tickCount(): number {
    return this.#panel.isWide ? 5 : 3;
  }

  #pixelX(value: number): number {
    const { low, high } = this.#x;
    const width = this.#width - MARGIN.left - MARGIN.right;
    return rounded(MARGIN.left + (width * (value - low)) / (high - low));
  }

  #pixelY(value: number): number {
    const { low, high } = this.#y;
    const height = this.#height - MARGIN.top - MARGIN.bottom;
    return rounded(this.#height - MARGIN.bottom - (height * (value - low)) / (high - low));
  }

  #axes({ axis }: View): SVGElement[] {
    const vertical = ticksOf(this.#y, this.#tickCount());
    const [left, right] = [MARGIN.left, this.#width - MARGIN.right];
    const levels = vertical.values.flatMap((value) => {
      const y = this.#pixelY(value);
      const text = formatTick(value, vertical.step, this.#panel.kind);
      return [
        shape('line', { class: value === 0 ? 'zero' : 'grid', x1: left, x2: right, y1: y, y2: y }),
        shape('text', { x: left - 6, y: y + 3.5, 'text-anchor': 'end' }, text),
      ];
    });
    // Steps of one stage are counted from its own beginning, as everywhere else.
    const stages = new Set(this.#lines.flatMap(({ stages }) => stages));
    const [only] = stages;
    const offset = axis === 'step' && stages.size === 1 ? (this.#curves.offsets[only ?? 0] ?? 0) : 0;
    const domain = { low: this.#x.low - offset, high: this.#x.high - offset };
    const horizontal = ticksOf(domain, Math.max(2, Math.floor((right - left) / 80)), axis === 'time');
    const columns = horizontal.values.map((value) => {
      const x = this.#pixelX(value + offset);
      const kind = axis === 'time' ? 'seconds' : 'number';
      const anchor = x > right - 14 ? 'end' : 'middle';
      const text = formatTick(value, horizontal.step, kind);
      return shape('text', { x: anchor === 'end' ? right + 8 : x, y: this.#height - 6, 'text-anchor': anchor }, text);
    });
    return [...levels, ...columns];
  }

  /** Where several stages are in sight: a ground for every other one, and their names. */
  #stages({ axis }: View): SVGElement[] {
    const track = this.#lines[0]?.series.track;
    const seen = [...new Set(this.#lines.flatMap(({ stages }) => stages))].sort((a, b) => a - b);
    if (track === undefined || seen.length < 2) return [];
    return seen.flatMap((stage) => {
      const begin = this.#begin(stage, axis);
      const end = seen.includes(stage + 1) ? this.#begin(stage + 1, axis) : this.#x.high;
      const [x, width] = [this.#pixelX(begin), this.#pixelX(end) - this.#pixelX(begin)];
      const height = this.#height - MARGIN.top - MARGIN.bottom;
      const ground = shape('rect', {
        class: stage % 2 === 0 ? 'stage' : 'stage other',
        x,
        y: MARGIN.top,
        width,
        height,
      });
      const name = this.#curves.data.stages[stage]?.stage ?? '';
      return width < 30 ? [ground] : [ground, shape('text', { class: 'name', x: x + 5, y: MARGIN.top + 12 }, name)];
    });
  }

  /** From the beginning of the first stage in sight to the end of the last: the same for all panels that show them. */
  #domainOfStages(axis: Axis): Domain {
    const { metrics } = this.#curves;
    const seen = this.#lines.flatMap(({ stages }) => stages);
    const low = this.#begin(Math.min(...seen), axis);
    const high = metrics[axis][metrics.stage.lastIndexOf(Math.max(...seen))] ?? low;
    return { low, high: high > low ? high : low + 1 };
  }

  /** Where a stage begins: at the last point before it. */
  #begin(stage: number, axis: Axis): number {
    const { metrics } = this.#curves;
    const first = metrics.stage.indexOf(stage);
    return (first < 0 ? metrics[axis].at(-1) : metrics[axis][first - 1]) ?? 0;
  }

  #band({ low, high, x, color, series }: Line): SVGElement {
    if (series.low === undefined) return shape('path', {});
    const there = x.map((value, i) => `${this.#pixelX(value)},${this.#pixelY(high[i] ?? 0)}`);
    const back = x.map((value, i) => `${this.#pixelX(value)},${this.#pixelY(low[i] ?? 0)}`).reverse();
    return shape('polygon', { class: `band ${color}`, points: [...there, ...back].join(' ') });
  }

  /** A stage's line begins anew: what lies between two stages was never measured. */
  #curve({ series, x, value, shown, stages, color }: Line, smoothing: number): SVGElement[] {
    const path = (ys: readonly number[]): string =>
      x
        .map((at, i) => {
          const isBreak = i === 0 || (!series.isMeasured && stages[i] !== stages[i - 1]);
          return `${isBreak ? 'M' : 'L'}${this.#pixelX(at)} ${this.#pixelY(ys[i] ?? 0)}`;
        })
        .join('');
    const line = shape('path', { class: `curve ${color}`, d: path(shown) });
    const dots = x.map((at, i) =>
      shape('circle', { class: color, cx: this.#pixelX(at), cy: this.#pixelY(shown[i] ?? 0), r: 3 }),
    );
    if (series.isMeasured || x.length === 1) return [line, ...dots];
    return smoothing > 0 ? [shape('path', { class: `curve raw ${color}`, d: path(value) }), line] : [line];
  }

  /** Steps at which a diagnosis was raised: a mark on the axis. */
  #marks({ axis }: View): SVGElement[] {
    const { metrics, data } = this.#curves;
    const y = this.#height - MARGIN.bottom;
    const positions = data.diagnoses.flatMap(({ stage, marks }) =>
      marks.map((step) => this.#curves.position(stage, step)),
    );
    const xs = positions.map((position) => metrics[axis][nearest(metrics.step, position)] ?? Number.NaN);
    const inSight = [...new Set(xs.filter((x) => x >= this.#x.low && x <= this.#x.high).map((x) => this.#pixelX(x)))];
    return inSight.map((x) => shape('path', { class: 'mark', d: `M${x - 4} ${y + 1}h8l-4 -7z` }));
  }

  #listen({ onCursor, onChoose }: ChartEvents): void {
    const positionAt = (event: PointerEvent): number | undefined => {
      const line = this.#lines[0];
      const box = this.#svg.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      return line?.steps[nearest(line.x, this.#x.low + share * (this.#x.high - this.#x.low))];
    };
    let pressed: { x: number; y: number } | undefined;
    this.#svg.addEventListener('pointerdown', (event) => {
      pressed = { x: event.clientX, y: event.clientY };
      onCursor(positionAt(event));
    });
    this.#svg.addEventListener('pointermove', (event) => onCursor(positionAt(event)));
    this.#svg.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') onCursor(undefined); // a finger lifts to let the eye see
    });
    this.#svg.addEventListener('pointerup', (event) => {
      const position = positionAt(event);
      const moved = pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      const isClick = event.pointerType === 'mouse' && moved !== undefined && moved < TAP_PIXELS;
      if (isClick && position !== undefined) onChoose(position);
    });
    this.#svg.addEventListener('blur', () => onCursor(undefined));
    this.#svg.addEventListener('keydown', (event) => {
      const steps = this.#lines[0]?.steps ?? [];
      const at = this.#position === undefined ? steps.length - 1 : nearest(steps, this.#position);
      if (event.key === 'Enter' && steps[at] !== undefined) onChoose(steps[at]);
      const next = { ...MOVES, Home: -at, End: steps.length - 1 - at }[event.key];
      if (event.key === 'Escape') onCursor(undefined);
      if (next === undefined) return;
      event.preventDefault();
      onCursor(steps[Math.min(steps.length - 1, Math.max(0, at + next))]);
    });
  }
}

/** Points that a key moves the cursor by. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
