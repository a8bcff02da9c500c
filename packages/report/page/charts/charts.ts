/** The section of curves: one set of controls, one cursor for all panels. */
import { formatValue } from '../../format.ts';
import { choices, element, write } from '../dom.ts';
import { mainPanels, otherPanels, type Panel } from '../panels.ts';
import type { Axis, Curves } from '../track.ts';
import { readView, writeView } from '../url_state.ts';
import { Chart, type ChartEvents } from './chart.ts';
import type { View } from './chart_lines.ts';
import { DrawQueue } from './draw_queue.ts';
import { onPalette } from './palette.ts';

const SCALES = [
  ['linear', 'linear'],
  ['log', 'log'],
] as const;
/** Largest share of a curve by which its average may lag. */
const MOST_LAG = 0.015;

/** Where the panels come from: one run, or several over each other. */
export interface ChartSource {
  /** Curves of the run whose stages and diagnoses are marked. */
  readonly curves: Curves;
  readonly panels: (view: View) => {
    readonly main: readonly Panel[];
    readonly more: readonly Panel[];
    /** Metrics of one value. */
    readonly constants: readonly (readonly [name: string, value: number])[];
  };
  /** Whether the panels depend on the view. */
  readonly isByView?: boolean;
}

/** One run. */
export function sourceOf(curves: Curves): ChartSource {
  const { panels: more, constants } = otherPanels(curves);
  const all = { main: mainPanels(curves), more, constants };
  return { curves, panels: () => all };
}

export class ChartSection {
  readonly #root: HTMLElement;
  readonly #chooses: boolean;
  readonly #events: ChartEvents;
  readonly #queue = new DrawQueue();
  readonly #charts = new Map<string, Chart>();
  readonly #observed = new Map<Element, Chart>();
  /** In sight, or nearly; and those that are not, and show what was. */
  readonly #seen = new Set<Chart>();
  readonly #late = new Set<Chart>();
  readonly #sight = new IntersectionObserver((entries) => this.#looked(entries), { rootMargin: '200px' });
  readonly #main = element('div', { class: 'panels' });
  readonly #more = element('div', { class: 'panels' });
  readonly #controls = element('div', { class: 'controls' });
  readonly #summary = element('summary');
  readonly #constants = element('p', { class: 'quiet constants' });
  readonly #details = element('details', { class: 'others' }, this.#summary, this.#more, this.#constants);
  #source: ChartSource | undefined;
  #view: View = { axis: 'step', stage: 'all', smoothing: 0, scale: 'linear', zoom: null, hidden: new Set() };
  /** What the visitor, or the address, has set stays as it is when the run grows. */
  #chosen: Partial<View> = {};
  readonly #whole = element('button', { type: 'button', class: 'whole' }, 'Show all');
  /** What the controls were made for. */
  #stages = '';

  /** @param onChoose  a step was clicked; without it there is nothing to go to */
  constructor(root: HTMLElement, onChoose?: (position: number) => void) {
    this.#root = root;
    this.#chooses = onChoose !== undefined;
    this.#events = {
      onCursor: (position) => {
        for (const chart of this.#charts.values()) chart.setCursor(position);
      },
      onChoose: onChoose ?? (() => {}),
      onZoom: (zoom) => this.#change({ zoom }),
      onToggle: (key) => {
        const hidden = new Set(this.#view.hidden);
        if (!hidden.delete(key)) hidden.add(key);
        this.#change({ hidden });
      },
    };
    this.#whole.addEventListener('click', () => this.#change({ zoom: null }));
    onPalette(() => {
      for (const chart of this.#charts.values()) chart.repaint();
    });
    addEventListener('beforeprint', () => this.#drawLate());
    addEventListener('hashchange', () => this.#restore());
    this.#details.addEventListener('toggle', () => this.#resized());
  }

  /** Shows these curves instead of those before; what is the same is kept, and only redrawn. */
  update(source: ChartSource): void {
    const { curves } = source;
    const { stages } = curves.data;
    if (stages.length === 0) {
      this.#root.replaceChildren(element('p', { class: 'quiet' }, 'No step has been logged yet.'));
      return;
    }
    const isFirst = this.#source === undefined;
    this.#source = source;
    if (isFirst) this.#chosen = readView(stages.length);
    // A long warm start would push the rest to the edge of an axis of steps; in time, stages are as wide as they took.
    const axis: Axis = stages.length > 1 ? 'time' : 'step';
    const usual = { axis, stage: 'all', smoothing: usualSmoothing(curves), scale: 'linear', zoom: null } as const;
    this.#view = { ...usual, hidden: new Set(), ...this.#chosen };
    const names = JSON.stringify(stages.map(({ stage, stepsPerPoint }) => [stage, stepsPerPoint]));
    if (names !== this.#stages) this.#makeControls();
    this.#stages = names;
    this.#placeAll();
    if (isFirst) {
      this.#root.replaceChildren(this.#controls, this.#main, this.#details);
      new ResizeObserver(() => this.#resized()).observe(this.#root);
    } else this.#draw();
  }

  readonly #change = (changes: Partial<View>): void => {
    // A part of one axis is none of another; a stage has its own.
    const zoom = 'axis' in changes || 'stage' in changes ? { zoom: null } : {};
    this.#chosen = { ...this.#chosen, ...zoom, ...changes };
    this.#view = { ...this.#view, ...zoom, ...changes };
    writeView(this.#chosen);
    this.#show();
  };

  /** The address is another: what it says is shown, as by a click on a link. */
  #restore(): void {
    if (this.#source === undefined) return;
    this.#chosen = readView(this.#source.curves.data.stages.length);
    this.#stages = '';
    this.update(this.#source);
  }

  #show(): void {
    if (this.#source?.isByView) this.#placeAll();
    this.#draw();
  }

  #makeControls(): void {
    if (this.#source === undefined) return;
    const zoomBy = (factor: number) => (): void => {
      const [chart] = [...this.#charts.values()].filter(({ width }) => width > 0);
      if (chart !== undefined) this.#change({ zoom: chart.zoomed(factor) });
    };
    const button = (label: string, name: string, factor: number): HTMLElement => {
      const made = element('button', { type: 'button', 'aria-label': name }, label);
      made.addEventListener('click', zoomBy(factor));
      return made;
    };
    const zoom = element(
      'span',
      { class: 'zoom' },
      button('+', 'Zoom in', 0.5),
      button('−', 'Zoom out', 2),
      this.#whole,
    );
    this.#controls.replaceChildren(
      ...controls(this.#source.curves, this.#view, this.#change, { zoom, chooses: this.#chooses }),
    );
  }

  #placeAll(): void {
    if (this.#source === undefined) return;
    const { curves } = this.#source;
    const { main, more: panels, constants } = this.#source.panels(this.#view);
    this.#place(this.#main, main, curves);
    this.#place(this.#more, panels, curves);
    const others = panels.length + constants.length;
    this.#details.hidden = others === 0;
    write(this.#summary, `${others} more ${others === 1 ? 'metric' : 'metrics'}`);
    const list = constants.map(([name, value]) => `${name} ${formatValue(value, 'number')}`).join(' · ');
    write(this.#constants, list === '' ? '' : `The same in every step: ${list}`);
  }

  /** A chart per panel, in their order; those that are there take the new curves. */
  #place(grid: HTMLElement, panels: readonly Panel[], curves: Curves): void {
    const charts = panels.map((panel) => {
      const existing = this.#charts.get(panel.title);
      if (existing !== undefined) {
        existing.update(panel, curves);
        return existing;
      }
      const made = new Chart(panel, curves, this.#events);
      this.#charts.set(panel.title, made);
      this.#watch(made);
      return made;
    });
    const isSame = charts.length === grid.children.length && charts.every(({ root }, i) => grid.children[i] === root);
    if (!isSame) grid.replaceChildren(...charts.map(({ root }) => root));
  }

  /** All widths are asked for before the first chart is drawn, for each drawing would have the page laid out again. */
  #resized(): void {
    for (const chart of this.#charts.values()) chart.forgetWidth();
    for (const chart of this.#charts.values()) void chart.width;
    this.#draw();
  }

  /** What is in sight is drawn; what is not, when it comes into sight. */
  #draw(): void {
    this.#whole.hidden = this.#view.zoom === null;
    for (const chart of this.#charts.values()) {
      chart.see(this.#view);
      // A panel takes its place, and tells its values, before it is first seen; in details that are closed it has none.
      const isNew = !chart.isDrawn && (this.#details.open || !this.#more.contains(chart.root));
      if (this.#seen.has(chart) || isNew) this.#drawSoon(chart);
      else this.#late.add(chart);
    }
  }

  #drawSoon(chart: Chart): void {
    this.#late.delete(chart);
    this.#queue.add(chart, () => chart.draw(this.#view));
  }

  /** Paper shows all of them. */
  #drawLate(): void {
    for (const chart of this.#late) chart.draw(this.#view);
    this.#late.clear();
  }

  #watch(chart: Chart): void {
    this.#observed.set(chart.root, chart);
    this.#sight.observe(chart.root);
  }

  #looked(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const chart = this.#observed.get(target);
      if (chart === undefined) continue;
      if (!isIntersecting) this.#seen.delete(chart);
      else {
        this.#seen.add(chart);
        if (this.#late.has(chart)) this.#drawSoon(chart);
      }
    }
  }
}

/** An average of weight w lags by 1 / (1 − w) points; for few points, none is drawn. */
function usualSmoothing({ data }: Curves): number {
  const points = Math.max(...data.stages.map(({ steps }) => steps.length));
  return Math.min(0.9, Math.max(0, 1 - 1 / (MOST_LAG * points)));
}

function controls(
  curves: Curves,
  view: View,
  change: (changes: Partial<View>) => void,
  { zoom, chooses }: { readonly zoom: HTMLElement; readonly chooses: boolean },
): HTMLElement[] {
  const { stages } = curves.data;
  const axes = [
    ['step', 'steps'],
    ['time', 'time'],
    ['tokens', 'tokens'],
  ] as const;
  const names = stages.map(
    ({ stage }, i) =>
      [String(i), stages.filter((each) => each.stage === stage).length > 1 ? `${stage} ${i + 1}` : stage] as const,
  );
  const smoothing = element('input', { type: 'range', min: 0, max: 0.98, step: 0.02, value: view.smoothing });
  smoothing.addEventListener('input', () => change({ smoothing: Number(smoothing.value) }));
  const stage = choices('Stage', [['all', 'all'], ...names], String(view.stage), (value) =>
    change({ stage: value === 'all' ? 'all' : Number(value) }),
  );
  const averaged = stages.find(({ stepsPerPoint }) => stepsPerPoint > 1);
  const points = averaged ? ` A point is the mean of ${averaged.stepsPerPoint} steps.` : '';
  const choose = chooses ? ' Click a curve, or press Enter in it, for the completions of that step.' : '';
  const click = `${choose} Drag over a part, or press + and −, to see it larger; 0 shows all. A name switches its curve off.`;
  const notes = [
    `Time is that of training steps, without evaluations.${points}`,
    element('span', { class: 'mouse' }, click),
  ];
  return [
    choices('Over', axes, view.axis, (value) => change({ axis: value })),
    ...(stages.length > 1 ? [stage] : []),
    choices('Scale', SCALES, view.scale, (value) => change({ scale: value })),
    zoom,
    element('label', { class: 'smoothing' }, 'Smoothing', smoothing),
    element(
      'details',
      { class: 'how' },
      element('summary', {}, 'How to use them'),
      element('p', { class: 'quiet' }, ...notes),
    ),
  ];
}
