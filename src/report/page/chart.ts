/** One panel: curves over steps, time or tokens, with a cursor that the mouse, a finger or the arrow keys move. */
import { thousands } from '../../format.ts';
import { duration, formatValue } from '../format.ts';
import { type Line, linesOf, type View } from './chart_lines.ts';
import { band, cursorLabel, curve, Frame, horizontalAxis, marks, stageGrounds, verticalAxis } from './chart_parts.ts';
import { element, shape } from './dom.ts';
import type { Panel } from './panels.ts';
import { type Domain, domainOf, nearest } from './scales.ts';
import type { Axis, Curves } from './track.ts';

export interface ChartEvents {
  /** The cursor is at a position, or gone. */
  readonly onCursor: (position: number | undefined) => void;
  /** The position was chosen: by a click, or by Enter. */
  readonly onChoose: (position: number) => void;
}

const HEIGHT = { normal: 140, wide: 268 } as const;
const LEVELS = { normal: 3, wide: 5 } as const;
/** Below this there is nothing to see: a panel in details that are closed. */
const LEAST_WIDTH = 120;
const CLICK_PIXELS = 8;

/** Points that a key moves the cursor by. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export class Chart {
  readonly root: HTMLElement;
  #panel: Panel;
  #curves: Curves;
  readonly #svg: SVGSVGElement;
  readonly #values: readonly HTMLElement[];
  readonly #cursor = shape('g', { class: 'cursor' });
  #lines: readonly Line[] = [];
  #frame: Frame | undefined;
  #position: number | undefined;

  constructor(panel: Panel, curves: Curves, events: ChartEvents) {
    this.#panel = panel;
    this.#curves = curves;
    const height = HEIGHT[this.#size];
    this.#svg = shape('svg', { height, tabindex: 0, role: 'slider', 'aria-label': panel.title });
    this.#values = panel.series.map(() => element('b'));
    const legends = panel.series.map(({ label }, i) =>
      element('span', { class: 'legend' }, element('i', { class: `key c${i}` }), `${label} `, this.#values[i] ?? ''),
    );
    this.root = element(
      'figure',
      { class: panel.isWide ? 'panel wide' : 'panel' },
      element('figcaption', {}, element('h3', {}, panel.title), element('p', { class: 'hint' }, panel.hint)),
      element('p', { class: 'legends' }, ...legends),
      this.#svg,
    );
    this.#listenToPointer(events);
    this.#listenToKeys(events);
  }

  /** Takes what there is by now; `draw` shows it. The panel has the same series as the one before, or more behind them. */
  update(panel: Panel, curves: Curves): void {
    [this.#panel, this.#curves] = [panel, curves];
  }

  get #size(): keyof typeof HEIGHT {
    return this.#panel.isWide ? 'wide' : 'normal';
  }

  /** Draws everything anew, at the width that the page gives; hides a panel that has nothing to show. */
  draw(view: View): void {
    this.#lines = linesOf(this.#panel.series, view);
    this.root.hidden = this.#lines.length === 0;
    const width = this.root.clientWidth;
    if (this.root.hidden || width < LEAST_WIDTH) return;
    const frame = new Frame(this.#domainX(view.axis), this.#domainY(), width, HEIGHT[this.#size]);
    this.#frame = frame;
    this.#svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT[this.#size]}`);
    this.#svg.replaceChildren(
      ...stageGrounds(frame, this.#stages(view.axis)),
      ...verticalAxis(frame, LEVELS[this.#size], this.#panel.kind),
      ...horizontalAxis(frame, this.#offset(view.axis), view.axis === 'time'),
      ...this.#lines.flatMap((line) => band(frame, line)),
      ...this.#lines.flatMap((line) => curve(frame, line, view.smoothing > 0)),
      ...marks(frame, this.#diagnosed(view.axis)),
      this.#cursor,
    );
    this.setCursor(this.#position);
  }

  /** Shows the values at a position of the run, or the last ones. */
  setCursor(position: number | undefined): void {
    this.#position = position;
    const at = this.#lines.map(({ steps }) => (position === undefined ? steps.length - 1 : nearest(steps, position)));
    this.#lines.forEach(({ series, values }, i) => {
      const shown = this.#values[this.#panel.series.indexOf(series)];
      if (shown) shown.textContent = formatValue(values[at[i] ?? 0] ?? 0, this.#panel.kind);
    });
    const [line, index] = [this.#lines[0], at[0] ?? 0];
    if (line === undefined || this.#frame === undefined) return;
    const place = this.#placeText(line, index);
    this.#tell(place);
    this.#cursor.replaceChildren(...(position === undefined ? [] : this.#cursorShapes(this.#frame, at, place)));
  }

  #cursorShapes(frame: Frame, at: readonly number[], place: string): SVGElement[] {
    const x = (line: Line | undefined, i: number): number => frame.pixelX(line?.x[at[i] ?? 0] ?? 0);
    const first = x(this.#lines[0], 0);
    const line = shape('line', { x1: first, x2: first, y1: frame.top, y2: frame.bottom });
    const dots = this.#lines.map((line, i) =>
      shape('circle', { class: line.color, cx: x(line, i), cy: frame.pixelY(line.averages[at[i] ?? 0] ?? 0), r: 4 }),
    );
    return [line, ...dots, cursorLabel(frame, first, place)];
  }

  /** `grpo step 46 · 1m 12s · 120,000 tokens` */
  #placeText({ steps, stages, series: { track } }: Line, index: number): string {
    const step = steps[index] ?? 0;
    const stage = stages[index] ?? 0;
    const at = track.step.findIndex((other, i) => other === step && track.stage[i] === stage);
    const all = this.#curves.data.stages;
    const name = all.length > 1 ? `${all[stage]?.stage} ` : '';
    const own = step - (this.#curves.offsets[stage] ?? 0);
    return `${name}step ${own} · ${duration(track.time[at] ?? 0)} · ${thousands(track.tokens[at] ?? 0)} tokens`;
  }

  /** For screen readers: the cursor is a slider over the points of the first curve. */
  #tell(place: string): void {
    const values = this.#panel.series.map(({ label }, i) => `${label} ${this.#values[i]?.textContent}`);
    const steps = this.#lines[0]?.steps ?? [];
    const told = {
      'aria-valuemin': steps[0] ?? 0,
      'aria-valuemax': steps.at(-1) ?? 0,
      'aria-valuenow': this.#position ?? steps.at(-1) ?? 0,
      'aria-valuetext': `${place}: ${values.join(', ')}`,
    };
    for (const [name, value] of Object.entries(told)) this.#svg.setAttribute(name, String(value));
  }

  /** From the beginning of the first stage in sight to the end of the last: the same for all panels that show them. */
  #domainX(axis: Axis): Domain {
    const { metrics } = this.#curves;
    const seen = this.#seen();
    const low = this.#begin(seen[0] ?? 0, axis);
    const high = metrics[axis][metrics.stage.lastIndexOf(seen.at(-1) ?? 0)] ?? low;
    return { low, high: high > low ? high : low + 1 };
  }

  #domainY(): Domain {
    const values = this.#lines.flatMap(({ values, low, high }) => [...values, ...low, ...high]);
    const { low, high } = domainOf(values, LEVELS[this.#size]);
    return { low, high: this.#panel.kind === 'share' ? Math.min(1, high) : high };
  }

  /** Stages that the lines have points of, in order. */
  #seen(): number[] {
    return [...new Set(this.#lines.flatMap(({ stages }) => stages))].sort((a, b) => a - b);
  }

  /** Where a stage begins: at the last point before it. */
  #begin(stage: number, axis: Axis): number {
    const { metrics } = this.#curves;
    const first = metrics.stage.indexOf(stage);
    return (first < 0 ? metrics[axis].at(-1) : metrics[axis][first - 1]) ?? 0;
  }

  /** The stages in sight, where there are several. */
  #stages(axis: Axis): { name: string; begin: number; end: number }[] {
    const seen = this.#seen();
    if (seen.length < 2) return [];
    const { metrics, data } = this.#curves;
    return seen.map((stage) => ({
      name: data.stages[stage]?.stage ?? '',
      begin: this.#begin(stage, axis),
      end: metrics[axis][metrics.stage.lastIndexOf(stage)] ?? this.#begin(stage, axis),
    }));
  }

  /** Steps of a single stage are counted from its own beginning, as everywhere else. */
  #offset(axis: Axis): number {
    const [first, ...others] = this.#seen();
    return axis === 'step' && others.length === 0 ? (this.#curves.offsets[first ?? 0] ?? 0) : 0;
  }

  /** Where something was diagnosed. */
  #diagnosed(axis: Axis): number[] {
    const { metrics, data } = this.#curves;
    return data.diagnoses.flatMap(({ stage, marks: steps }) =>
      steps.flatMap((step) => metrics[axis][nearest(metrics.step, this.#curves.position(stage, step))] ?? []),
    );
  }

  #listenToPointer({ onCursor, onChoose }: ChartEvents): void {
    const svg = this.#svg;
    const positionAt = ({ clientX }: PointerEvent): number | undefined => {
      const { left, width } = svg.getBoundingClientRect();
      const line = this.#lines[0];
      return this.#frame && line?.steps[nearest(line.x, this.#frame.valueAt((clientX - left) / width))];
    };
    let pressedAt: PointerEvent | undefined;
    svg.addEventListener('pointerdown', (event) => {
      pressedAt = event;
      onCursor(positionAt(event));
    });
    svg.addEventListener('pointermove', (event) => onCursor(positionAt(event)));
    svg.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') onCursor(undefined); // a finger lifts to let the eye see
    });
    svg.addEventListener('pointerup', (event) => {
      const position = positionAt(event);
      const moved = pressedAt ? Math.abs(event.clientX - pressedAt.clientX) : CLICK_PIXELS;
      if (event.pointerType === 'mouse' && moved < CLICK_PIXELS && position !== undefined) onChoose(position);
    });
  }

  #listenToKeys({ onCursor, onChoose }: ChartEvents): void {
    this.#svg.addEventListener('blur', () => onCursor(undefined));
    this.#svg.addEventListener('keydown', (event) => {
      const steps = this.#lines[0]?.steps ?? [];
      const at = this.#position === undefined ? steps.length - 1 : nearest(steps, this.#position);
      const position = steps[at];
      if (event.key === 'Enter' && position !== undefined) onChoose(position);
      if (event.key === 'Escape') onCursor(undefined);
      const move = MOVES[event.key];
      if (move === undefined) return;
      event.preventDefault();
      onCursor(steps[Math.min(steps.length - 1, Math.max(0, at + move))]);
    });
  }
}
