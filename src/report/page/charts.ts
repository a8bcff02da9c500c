/** The section of curves: one set of controls, one cursor for all panels. */
import { formatValue } from '../format.ts';
import { Chart, type ChartEvents } from './chart.ts';
import type { View } from './chart_lines.ts';
import { choices, element } from './dom.ts';
import { DrawQueue } from './draw_queue.ts';
import { mainPanels, otherPanels, type Panel } from './panels.ts';
import type { Axis, Curves } from './track.ts';

/** Most of a curve that its average may lag behind. */
const MOST_LAG = 0.015;

export class ChartSection {
  readonly #root: HTMLElement;
  readonly #events: ChartEvents;
  readonly #queue = new DrawQueue();
  readonly #charts = new Map<string, Chart>();
  readonly #main = element('div', { class: 'panels' });
  readonly #more = element('div', { class: 'panels' });
  readonly #controls = element('div', { class: 'controls' });
  readonly #summary = element('summary');
  readonly #constants = element('ul', { class: 'constants' });
  readonly #details = element('details', { class: 'others' }, this.#summary, this.#more, this.#constants);
  #curves: Curves | undefined;
  #view: View = { axis: 'step', stage: 'all', smoothing: 0 };
  /** What the visitor has set by hand stays as it is when the run grows. */
  #chosen: Partial<View> = {};
  /** What the controls were made for. */
  #stages = '';

  /** @param onChoose  a step was clicked */
  constructor(root: HTMLElement, onChoose: (position: number) => void) {
    this.#root = root;
    this.#events = {
      onCursor: (position) => {
        for (const chart of this.#charts.values()) chart.setCursor(position);
      },
      onChoose,
    };
    this.#details.addEventListener('toggle', () => this.#draw());
  }

  /** Shows these curves instead of those before; what is the same is kept, and only drawn anew. */
  update(curves: Curves): void {
    const { stages } = curves.data;
    if (stages.length === 0) {
      this.#root.replaceChildren(element('p', { class: 'quiet' }, 'No step has been logged yet.'));
      return;
    }
    const isFirst = this.#curves === undefined;
    this.#curves = curves;
    // A long warm start would push the rest to the edge of an axis of steps; in time, stages are as wide as they took.
    const axis: Axis = stages.length > 1 ? 'time' : 'step';
    this.#view = { axis, stage: 'all', smoothing: usualSmoothing(curves), ...this.#chosen };
    const names = JSON.stringify(stages.map(({ stage, stepsPerPoint }) => [stage, stepsPerPoint]));
    if (names !== this.#stages) this.#controls.replaceChildren(...controls(curves, this.#view, this.#change));
    this.#stages = names;
    this.#place(this.#main, mainPanels(curves), curves);
    const { panels, constants } = otherPanels(curves);
    this.#place(this.#more, panels, curves);
    this.#summary.textContent = `${panels.length + constants.length} more metrics`;
    this.#constants.replaceChildren(
      ...(constants.length === 0 ? [] : [element('li', { class: 'quiet' }, 'The same in every step:')]),
      ...constants.map(([name, value]) =>
        element('li', {}, `${name} `, element('b', {}, formatValue(value, 'number'))),
      ),
    );
    if (isFirst) {
      this.#root.replaceChildren(this.#controls, this.#main, this.#details);
      new ResizeObserver(() => this.#draw()).observe(this.#root);
    } else this.#draw();
  }

  readonly #change = (changes: Partial<View>): void => {
    this.#chosen = { ...this.#chosen, ...changes };
    this.#view = { ...this.#view, ...changes };
    this.#draw();
  };

  /** A chart per panel, in their order; those that are there take the new curves. */
  #place(grid: HTMLElement, panels: readonly Panel[], curves: Curves): void {
    const charts = panels.map((panel) => {
      const known = this.#charts.get(panel.title);
      if (known !== undefined) {
        known.update(panel, curves);
        return known;
      }
      const made = new Chart(panel, curves, this.#events);
      this.#charts.set(panel.title, made);
      return made;
    });
    const isSame = charts.length === grid.children.length && charts.every(({ root }, i) => grid.children[i] === root);
    if (!isSame) grid.replaceChildren(...charts.map(({ root }) => root));
  }

  #draw(): void {
    for (const chart of this.#charts.values()) this.#queue.add(chart, () => chart.draw(this.#view));
  }
}

/** An average of weight w lags 1 / (1 − w) points behind; of few points, none is drawn. */
function usualSmoothing({ data }: Curves): number {
  const points = Math.max(...data.stages.map(({ steps }) => steps.length));
  return Math.min(0.9, Math.max(0, 1 - 1 / (MOST_LAG * points)));
}

function controls(curves: Curves, view: View, change: (changes: Partial<View>) => void): HTMLElement[] {
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
  const click = ' Click a curve, or press Enter in it, for the completions of that step.';
  const notes = [
    `Time is that of training steps, without evaluations.${points}`,
    element('span', { class: 'mouse' }, click),
  ];
  return [
    choices('Over', axes, view.axis, (value) => change({ axis: value })),
    ...(stages.length > 1 ? [stage] : []),
    element('label', { class: 'smoothing' }, 'Smoothing', smoothing),
    element('p', { class: 'quiet' }, ...notes),
  ];
}
