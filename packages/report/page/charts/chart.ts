/** One panel: curves over steps, time or tokens, with a cursor that the mouse, a finger or the arrow keys move. */
import uPlot from 'uplot';
import { counted } from '../../../../src/format.ts';
import { duration, formatValue } from '../../format.ts';
import { element, write } from '../dom.ts';
import type { Panel } from '../panels.ts';
import type { Axis, Curves } from '../track.ts';
import { aligned } from './aligned.ts';
import { drawMarks, drawStages, type StageGround } from './chart_canvas.ts';
import { hasPoints, type Line, linesOf, type View } from './chart_lines.ts';
import { movedCursor } from './chart_look.ts';
import { plotOptions } from './chart_options.ts';
import { colorOf } from './palette.ts';
import { saveCsv, savePng } from './save_chart.ts';
import { type Domain, domainOf, logDomainOf, nearest } from './scales.ts';

export interface ChartEvents {
  /** The cursor is at a position, or gone. */
  readonly onCursor: (position: number | undefined) => void;
  /** The position was chosen: by a click, or by Enter. */
  readonly onChoose: (position: number) => void;
  /** This part of the axis was asked for; null: all of it. */
  readonly onZoom: (zoom: Domain | null) => void;
  /** A series is to be switched on or off. */
  readonly onToggle: (key: string) => void;
}

const HEIGHT = { normal: 150, wide: 280 } as const;
const LEVELS = { normal: 3, wide: 5 } as const;
/** Below this there is nothing to see: a panel in details that are closed. */
const LEAST_WIDTH = 120;
const CLICK_PIXELS = 8;
/** What a key makes of the width in sight. */
const ZOOM_FACTOR = 0.5;

/** Characters of a name in a legend of a small panel: its beginning, and its end, by which names of runs differ. */
const NAME_ENDS = [5, 11] as const;

function shortened(name: string): string {
  const [begin, end] = NAME_ENDS;
  return name.length <= begin + end + 1 ? name : `${name.slice(0, begin)}…${name.slice(-end)}`;
}

export class Chart {
  readonly root: HTMLElement;
  #panel: Panel;
  #curves: Curves;
  readonly #events: ChartEvents;
  readonly #box: HTMLElement;
  readonly #legends = element('p', { class: 'legends' });
  readonly #place = element('span', { class: 'place' });
  #values: readonly HTMLElement[] = [];
  #buttons: readonly HTMLButtonElement[] = [];
  #lines: readonly Line[] = [];
  #view: View | undefined;
  #plot: uPlot | undefined;
  /** What the plot was made for: with anything else it is made again. */
  #made = '';
  #position: number | undefined;
  /** As it was last asked for; 0: not yet. */
  #width = 0;

  constructor(panel: Panel, curves: Curves, events: ChartEvents) {
    this.#panel = panel;
    this.#curves = curves;
    this.#events = events;
    this.#box = element(
      'div',
      {
        class: 'plot',
        tabindex: 0,
        role: 'slider',
        'aria-label': panel.title,
        style: `height: ${HEIGHT[this.#size]}px`,
      },
      this.#place,
    );
    const save = (label: string, name: string, action: () => void): HTMLElement => {
      const button = element('button', { type: 'button', class: 'save', 'aria-label': name }, label);
      button.addEventListener('click', action);
      return button;
    };
    this.root = element(
      'figure',
      { class: panel.isWide ? 'panel wide' : 'panel' },
      element(
        'figcaption',
        {},
        element('h3', {}, panel.title),
        element('p', { class: 'hint' }, panel.hint),
        element(
          'span',
          { class: 'saves' },
          save('CSV', `Save ${panel.title} as CSV`, () => saveCsv(this.#panel.title, this.#lines, this.#curves)),
          save('PNG', `Save ${panel.title} as PNG`, () => {
            if (this.#plot) savePng(this.#panel.title, this.#lines, this.#plot);
          }),
        ),
      ),
      this.#legends,
      this.#box,
    );
    this.#makeLegends();
    this.#listenToPointer();
    this.#listenToKeys();
  }

  /** Takes what there is by now; `draw` shows it. */
  update(panel: Panel, curves: Curves): void {
    const labels = ({ series }: Panel): string => JSON.stringify(series.map(({ key, label }) => [key, label]));
    const isSame = labels(panel) === labels(this.#panel);
    [this.#panel, this.#curves] = [panel, curves];
    if (!isSame) this.#makeLegends();
  }

  get #size(): keyof typeof HEIGHT {
    return this.#panel.isWide ? 'wide' : 'normal';
  }

  get isDrawn(): boolean {
    return this.#plot !== undefined;
  }

  /** The width that the page gives; 0 where the panel is not to be seen. */
  get width(): number {
    if (this.root.hidden) return 0;
    // Asking makes the browser lay the page out; one in details that are closed has no width yet.
    if (this.#width === 0) this.#width = this.root.clientWidth;
    return this.#width;
  }

  /** The page may give another width by now. */
  forgetWidth(): void {
    this.#width = 0;
  }

  /** What is to be drawn next: a key that is pressed before that starts from here. */
  see(view: View): void {
    this.#view = view;
    for (const [i, { key }] of this.#panel.series.entries()) {
      const isPressed = String(!view.hidden.has(key));
      const button = this.#buttons[i];
      // The same value again would be styled again.
      if (button && button.getAttribute('aria-pressed') !== isPressed) button.setAttribute('aria-pressed', isPressed);
    }
  }

  /** Draws everything again; hides a panel that has nothing to show. */
  draw(view: View): void {
    this.see(view);
    const { series, kind } = this.#panel;
    this.root.hidden = !hasPoints(series, view);
    this.#lines = linesOf(series, view);
    const width = this.width;
    if (width < LEAST_WIDTH) return;
    const { data, columns } = aligned(this.#lines, view.smoothing > 0);
    const isLog =
      view.scale === 'log' && kind !== 'share' && this.#lines.some(({ values }) => values.some((v) => v > 0));
    const look = { width: width - 2, height: HEIGHT[this.#size], levels: LEVELS[this.#size], kind, isLog };
    const parts = columns.map(({ line, part }) => [line.color, part, line.series.isMeasured, line.x.length === 1]);
    const made = JSON.stringify([look.width, isLog, parts]);
    if (this.#plot === undefined || made !== this.#made) {
      this.#plot?.destroy();
      this.#plot = new uPlot(
        plotOptions(columns, look, {
          domainX: () => this.#domainX(),
          domainY: () => this.#domainY(isLog),
          offset: () => this.#offset(),
          isTime: () => this.#view?.axis === 'time',
          hooks: this.#hooks(),
        }),
        data.length < 2 ? ([[0], ...columns.map(() => [null])] as uPlot.AlignedData) : data,
        this.#box,
      );
      this.#made = made;
    } else this.#plot.batch(() => this.#plot?.setData(data)); // at once, so that its time counts in this frame
    this.setCursor(this.#position);
  }

  /** After a change of the colours. */
  repaint(): void {
    this.#plot?.redraw(false, true);
  }

  /** Shows the values at a position of the run, or the last ones. */
  setCursor(position: number | undefined): void {
    this.#position = position;
    const at = this.#lines.map(({ steps }) => (position === undefined ? steps.length - 1 : nearest(steps, position)));
    this.#panel.series.forEach((series, i) => {
      const line = this.#lines.findIndex((each) => each.series === series);
      const value = this.#lines[line]?.values[at[line] ?? 0];
      const place = this.#values[i];
      if (place) write(place, value === undefined ? '' : formatValue(value, this.#panel.kind));
    });
    const [line, index] = [this.#lines[0], at[0] ?? 0];
    if (line === undefined || this.#plot === undefined) return;
    const place = this.#placeText(line, index);
    this.#tell(place);
    write(this.#place, position === undefined ? '' : place);
    const left = position === undefined ? -10 : this.#plot.valToPos(line.x[index] ?? 0, 'x');
    this.#plot.setCursor({ left, top: position === undefined ? -10 : 0 }, false);
  }

  #makeLegends(): void {
    const { series } = this.#panel;
    this.#values = series.map(() => element('b'));
    this.#buttons = series.map(({ label, key, color }, i) => {
      const button = element(
        'button',
        { type: 'button', class: 'legend', 'aria-pressed': 'true', title: label },
        element('i', { class: 'key', style: `color: var(${colorOf({ color }, i)})` }),
        `${this.#panel.isWide ? label : shortened(label)} `,
        this.#values[i] ?? '',
      );
      button.addEventListener('click', () => this.#events.onToggle(key));
      return button;
    });
    this.#legends.replaceChildren(...this.#buttons);
  }

  #hooks(): uPlot.Hooks.Arrays {
    return {
      drawClear: [(plot) => drawStages(plot, this.#stages())],
      draw: [(plot) => drawMarks(plot, this.#diagnosed())],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width >= CLICK_PIXELS) {
            this.#events.onZoom({ low: plot.posToVal(left, 'x'), high: plot.posToVal(left + width, 'x') });
          }
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    };
  }

  /** `grpo step 46 · 1m 12s · 120,000 tokens` */
  #placeText({ steps, stages, kept, series: { track } }: Line, index: number): string {
    const step = steps[index] ?? 0;
    const stage = stages[index] ?? 0;
    const at = kept[index] ?? 0;
    const all = this.#curves.data.stages;
    const name = all.length > 1 ? `${all[stage]?.stage} ` : '';
    const stepInStage = step - (this.#curves.offsets[stage] ?? 0);
    return `${name}step ${stepInStage} · ${duration(track.time[at] ?? 0)} · ${counted(track.tokens[at] ?? 0, 'token')}`;
  }

  /** For screen readers: the cursor is a slider over the points of the first curve. */
  #tell(place: string): void {
    const values = this.#panel.series.flatMap(({ label }, i) => {
      const value = this.#values[i]?.textContent ?? '';
      return value === '' ? [] : [`${label} ${value}`];
    });
    const steps = this.#lines[0]?.steps ?? [];
    const told = {
      'aria-valuemin': steps[0] ?? 0,
      'aria-valuemax': steps.at(-1) ?? 0,
      'aria-valuenow': this.#position ?? steps.at(-1) ?? 0,
      'aria-valuetext': `${place}: ${values.join(', ')}`,
    };
    for (const [name, value] of Object.entries(told)) this.#box.setAttribute(name, String(value));
  }

  /** From the beginning of the first stage in sight to the end of the last: the same for all panels that show them. */
  #domainX(): Domain {
    const axis = this.#axis;
    if (this.#view?.zoom) return this.#view.zoom;
    const { metrics } = this.#curves;
    const seen = this.#seen();
    const low = this.#begin(seen[0] ?? 0, axis);
    const end = metrics[axis][metrics.stage.lastIndexOf(seen.at(-1) ?? 0)] ?? low;
    const high = Math.max(end, ...this.#lines.map(({ x }) => x.at(-1) ?? low));
    return { low, high: high > low ? high : low + 1 };
  }

  /** The range of what is in sight. */
  #domainY(isLog: boolean): Domain {
    const zoom = this.#view?.zoom;
    const values: number[] = [];
    for (const { x, values: shown, averages, low, high } of this.#lines) {
      for (const [i, at] of x.entries()) {
        if (zoom && (at < zoom.low || at > zoom.high)) continue;
        values.push(shown[i] ?? 0, averages[i] ?? 0, low[i] ?? 0, high[i] ?? 0);
      }
    }
    if (isLog) return logDomainOf(values);
    const { low, high } = domainOf(values, LEVELS[this.#size]);
    return { low, high: this.#panel.kind === 'share' ? Math.min(1, high) : high };
  }

  get #axis(): Axis {
    return this.#view?.axis ?? 'step';
  }

  /** Stages that the lines have points of, in order. */
  #seen(): number[] {
    const ends = this.#lines.flatMap(({ stages }) => [...new Set(stages)]);
    return [...new Set(ends)].sort((a, b) => a - b);
  }

  /** Where a stage begins: at the last point before it. */
  #begin(stage: number, axis: Axis): number {
    const { metrics } = this.#curves;
    const first = metrics.stage.indexOf(stage);
    return (first < 0 ? metrics[axis].at(-1) : metrics[axis][first - 1]) ?? 0;
  }

  /** The stages in sight, where there are several. */
  #stages(): StageGround[] {
    const seen = this.#seen();
    if (seen.length < 2) return [];
    const { metrics, data } = this.#curves;
    const axis = this.#axis;
    return seen.map((stage) => ({
      name: data.stages[stage]?.stage ?? '',
      begin: this.#begin(stage, axis),
      end: metrics[axis][metrics.stage.lastIndexOf(stage)] ?? this.#begin(stage, axis),
    }));
  }

  /** Steps of a single stage are counted from its own beginning, as everywhere else. */
  #offset(): number {
    const [first, ...others] = this.#seen();
    return this.#axis === 'step' && others.length === 0 ? (this.#curves.offsets[first ?? 0] ?? 0) : 0;
  }

  /** Where something was diagnosed. */
  #diagnosed(): number[] {
    const { metrics, data } = this.#curves;
    return data.diagnoses.flatMap(({ stage, marks: steps }) =>
      steps.flatMap((step) => metrics[this.#axis][nearest(metrics.step, this.#curves.position(stage, step))] ?? []),
    );
  }

  #listenToPointer(): void {
    const { onCursor, onChoose, onZoom } = this.#events;
    const positionAt = ({ clientX }: PointerEvent): number | undefined => {
      const line = this.#lines[0];
      if (this.#plot === undefined || line === undefined) return undefined;
      const { left } = this.#plot.over.getBoundingClientRect();
      return line.steps[nearest(line.x, this.#plot.posToVal(clientX - left, 'x'))];
    };
    let pressedAt: PointerEvent | undefined;
    this.#box.addEventListener('pointerdown', (event) => {
      pressedAt = event;
      onCursor(positionAt(event));
    });
    this.#box.addEventListener('pointermove', (event) => onCursor(positionAt(event)));
    this.#box.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') onCursor(undefined); // a finger lifts to let the eye see
    });
    this.#box.addEventListener('pointerup', (event) => {
      const position = positionAt(event);
      const moved = pressedAt ? Math.abs(event.clientX - pressedAt.clientX) : CLICK_PIXELS;
      if (event.pointerType === 'mouse' && moved < CLICK_PIXELS && position !== undefined) onChoose(position);
    });
    this.#box.addEventListener('dblclick', () => onZoom(null));
  }

  #listenToKeys(): void {
    const { onCursor, onChoose, onZoom } = this.#events;
    this.#box.addEventListener('blur', () => onCursor(undefined));
    this.#box.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = this.#lines[0]?.steps ?? [];
      const at = this.#position === undefined ? steps.length - 1 : nearest(steps, this.#position);
      const position = steps[at];
      if (event.key === 'Enter' && position !== undefined) onChoose(position);
      if (event.key === 'Escape') onCursor(undefined);
      if (event.key === '0') onZoom(null);
      if (event.key === '+' || event.key === '=') onZoom(this.zoomed(ZOOM_FACTOR));
      if (event.key === '-') onZoom(this.zoomed(1 / ZOOM_FACTOR));
      const to = movedCursor(event, at, steps.length);
      if (to === undefined) return;
      event.preventDefault();
      onCursor(steps[to]);
    });
  }

  /** The axis around the cursor, or around its middle, narrower or wider; null: all of it. */
  zoomed(factor: number): Domain | null {
    const { low, high } = this.#domainX();
    const whole = this.#view && { ...this.#view, zoom: null };
    const line = this.#lines[0];
    const atCursor = line && this.#position !== undefined ? line.x[nearest(line.steps, this.#position)] : undefined;
    const middle = atCursor ?? (low + high) / 2;
    const width = (high - low) * factor;
    const from = middle - ((middle - low) / (high - low || 1)) * width;
    const view = this.#view;
    this.#view = whole;
    const all = this.#domainX();
    this.#view = view;
    if (width >= all.high - all.low) return null;
    const begin = Math.min(Math.max(all.low, from), all.high - width);
    return { low: begin, high: begin + width };
  }
}
