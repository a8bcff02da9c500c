/** The section of curves: one set of controls, one cursor for all panels. */
import { formatValue } from '../format.ts';
import { Chart, type ChartEvents } from './chart.ts';
import type { View } from './chart_lines.ts';
import { choices, element } from './dom.ts';
import { mainPanels, otherPanels, type Panel } from './panels.ts';
import type { Axis, Curves } from './track.ts';

/** Most of a curve that its average may lag behind. */
const MOST_LAG = 0.015;

/** Fills `root`. @param onChoose  a step was clicked */
export function showCharts(root: HTMLElement, curves: Curves, onChoose: (position: number) => void): void {
  const { stages } = curves.data;
  if (stages.length === 0) {
    root.append(element('p', { class: 'quiet' }, 'No step has been logged yet.'));
    return;
  }
  // A long warm start would push the rest to the edge of an axis of steps; in time, stages are as wide as they took.
  const axis: Axis = stages.length > 1 ? 'time' : 'step';
  let view: View = { axis, stage: 'all', smoothing: usualSmoothing(curves) };
  const charts: Chart[] = [];
  const change = (changes: Partial<View>): void => {
    view = { ...view, ...changes };
    for (const chart of charts) chart.draw(view);
  };
  const events: ChartEvents = {
    onCursor: (position) => {
      for (const chart of charts) chart.setCursor(position);
    },
    onChoose,
  };
  const grid = (panels: readonly Panel[]): HTMLElement => {
    const made = panels.map((panel) => new Chart(panel, curves, events));
    charts.push(...made);
    return element('div', { class: 'panels' }, ...made.map((chart) => chart.root));
  };
  root.append(
    controls(curves, view, change),
    grid(mainPanels(curves)),
    others(curves, grid, () => change({})),
  );
  new ResizeObserver(() => change({})).observe(root);
}

/** An average of weight w lags 1 / (1 − w) points behind; of few points, none is drawn. */
function usualSmoothing({ data }: Curves): number {
  const points = Math.max(...data.stages.map(({ steps }) => steps.length));
  return Math.min(0.9, Math.max(0, 1 - 1 / (MOST_LAG * points)));
}

function controls(curves: Curves, view: View, change: (changes: Partial<View>) => void): HTMLElement {
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
  const stage = choices('Stage', [['all', 'all'], ...names], 'all', (value) =>
    change({ stage: value === 'all' ? 'all' : Number(value) }),
  );
  const averaged = stages.find(({ stepsPerPoint }) => stepsPerPoint > 1);
  const points = averaged ? ` A point is the mean of ${averaged.stepsPerPoint} steps.` : '';
  const click = ' Click a curve, or press Enter in it, for the completions of that step.';
  const notes = [
    `Time is that of training steps, without evaluations.${points}`,
    element('span', { class: 'mouse' }, click),
  ];
  return element(
    'div',
    { class: 'controls' },
    choices('Over', axes, view.axis, (value) => change({ axis: value })),
    ...(stages.length > 1 ? [stage] : []),
    element('label', { class: 'smoothing' }, 'Smoothing', smoothing),
    element('p', { class: 'quiet' }, ...notes),
  );
}

/** What is of use now and then: drawn when it is opened. */
function others(curves: Curves, grid: (panels: readonly Panel[]) => HTMLElement, redraw: () => void): HTMLElement {
  const { panels, constants } = otherPanels(curves);
  const list = constants.map(([name, value]) =>
    element('li', {}, `${name} `, element('b', {}, formatValue(value, 'number'))),
  );
  const details = element(
    'details',
    { class: 'others' },
    element('summary', {}, `${panels.length + constants.length} more metrics`),
    grid(panels),
    ...(list.length > 0
      ? [element('p', { class: 'quiet' }, 'The same in every step:'), element('ul', { class: 'constants' }, ...list)]
      : []),
  );
  details.addEventListener('toggle', redraw);
  return details;
}
