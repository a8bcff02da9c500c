/** Several runs over each other, as their logs grow. Runs that differ in the seed alone are one curve with a band. */
import type { Interval, ServedRun } from '../../data.ts';
import { formatValue, type Kind } from '../../format.ts';
import { CurveReader } from '../../series.ts';
import { byId, element } from '../dom.ts';
import { followLogs } from '../follow_logs.ts';
import { type MetricPanel, metricPanels, type Panel } from '../panels.ts';
import { Curves, NO_COMPLETIONS, type Series } from '../track.ts';
import type { View } from './chart_lines.ts';
import { ChartSection, type ChartSource } from './charts.ts';
import { RedrawTimer } from './redraw_timer.ts';
import { smoothed } from './scales.ts';
import { acrossSeeds, meanInterval, type SeedCurve } from './seed_bands.ts';

export function showOverlay(runs: readonly ServedRun[]): void {
  const readers = runs.map((run) => new CurveReader(run.outline.stages));
  const charts = new ChartSection(byId('charts'));
  const update = (): void => {
    const groups = groupsOf(runs, readers);
    byId('groups').replaceChildren(table(groups));
    const source = overlaySource(groups);
    if (source !== undefined) charts.update(source);
  };
  const runSeconds = (): number => Math.max(...readers.map(({ seconds }) => seconds));
  const redraw = new RedrawTimer({ draw: update, runSeconds });
  followLogs(
    runs.map(({ name }) => name),
    {
      onLines: (run, lines) => {
        for (const line of lines) readers[run]?.read(line);
        redraw.ask();
      },
      onReset: (run) => {
        readers[run] = new CurveReader(runs[run]?.outline.stages ?? []);
      },
      onState: () => {},
      onConnection: () => {},
    },
  );
}

/** Runs whose configs differ in the seed alone. */
interface Group {
  readonly label: string;
  readonly runs: readonly ServedRun[];
  readonly curves: readonly Curves[];
}

function groupsOf(runs: readonly ServedRun[], readers: readonly CurveReader[]): Group[] {
  const groups = new Map<string, { runs: ServedRun[]; curves: Curves[] }>();
  for (const [i, run] of runs.entries()) {
    const curves = readers[i]?.curves();
    const group = groups.get(run.group) ?? { runs: [], curves: [] };
    group.runs.push(run);
    if (curves && curves.stages.length > 0) {
      // Diagnoses of a single run would be marked on the curves of all.
      group.curves.push(new Curves({ ...curves, diagnoses: [], completions: NO_COMPLETIONS }));
    }
    groups.set(run.group, group);
  }
  // By their names, so that a colour stays a group's whatever was ticked first.
  const all = [...groups.values()].sort((a, b) => ((a.runs[0]?.label ?? '') < (b.runs[0]?.label ?? '') ? -1 : 1));
  return all.map((group, i) => {
    const label = group.runs[0]?.label ?? '';
    // Configs may differ in what no key shows, such as the code of a reward.
    const isTaken = all.some((other, at) => at < i && other.runs[0]?.label === label);
    return { ...group, label: isTaken ? `${label} (${group.runs[0]?.name})` : label };
  });
}

function overlaySource(groups: readonly Group[]): ChartSource | undefined {
  const all = groups.flatMap(({ curves }) => curves);
  const [first] = all;
  if (first === undefined) return undefined;
  const longest = all.reduce((most, each) => (lastStep(each) > lastStep(most) ? each : most), first);
  const { main, more } = metricPanels(longest);
  const changes = ({ metric }: MetricPanel): boolean =>
    all.some((curves) => curves.constant(metric) === undefined || curves.constant(metric) !== first.constant(metric));
  const changing = (panels: readonly MetricPanel[]): MetricPanel[] => panels.filter(changes);
  return {
    curves: longest,
    isByView: true,
    panels: (view) => ({
      main: [...accuracyPanels(groups), ...changing(main).map((panel) => metricPanel(panel, groups, view))],
      more: changing(more).map((panel) => metricPanel(panel, groups, view)),
      constants: [],
    }),
  };
}

function lastStep({ metrics }: Curves): number {
  return metrics.step.at(-1) ?? 0;
}

/** Each seed is averaged over its steps by itself, so that the band is that of what is drawn. */
function metricPanel({ title, hint, kind, metric, stage }: MetricPanel, groups: readonly Group[], view: View): Panel {
  return {
    title,
    hint,
    kind,
    series: seriesOf(groups, kind, (curves) => {
      const values = curves.column(metric, stage);
      return { track: curves.metrics, values: withGaps(values, curves.metrics.stage, view.smoothing) };
    }),
  };
}

/** An average over the points that are there. */
function withGaps(values: readonly (number | null)[], stages: readonly number[], weight: number): (number | null)[] {
  const at = values.flatMap((value, i) => (value === null ? [] : [i]));
  const averages = smoothed(
    at.map((i) => values[i] ?? 0),
    at.map((i) => stages[i] ?? 0),
    weight,
  );
  const filled: (number | null)[] = values.map(() => null);
  for (const [i, point] of at.entries()) filled[point] = averages[i] ?? null;
  return filled;
}

function accuracyPanels(groups: readonly Group[]): Panel[] {
  const panel = (title: string, of: 'greedy' | 'sampled'): Panel => ({
    title: `Held-out accuracy, ${title}`,
    hint: 'mean over seeds; bands: its 95 % interval across seeds, of one seed that over problems',
    kind: 'share',
    isWide: of === 'greedy',
    series: seriesOf(groups, 'share', (curves) => {
      const column = (end: 0 | 1 | 2): (number | null)[] =>
        curves.data.evaluations.map((evaluation) => evaluation[of]?.[end] ?? null);
      return { track: curves.evaluations, values: column(0), low: column(1), high: column(2) };
    }).map((series) => ({ ...series, isMeasured: true })),
  });
  return [panel('greedy', 'greedy'), panel('sampled', 'sampled')];
}

function seriesOf(groups: readonly Group[], kind: Kind, of: (curves: Curves) => SeedCurve): Series[] {
  return groups.map(({ label, curves }) => {
    const seeds = acrossSeeds(curves.map(of)) ?? { track: curves[0]?.metrics ?? NO_TRACK, values: [] };
    // The interval of a mean knows nothing of the ends that a share has, nor of what is never below zero.
    const isNegative = curves.some((one) => of(one).values.some((value) => value !== null && value < 0));
    const least = isNegative ? Number.NEGATIVE_INFINITY : 0;
    const most = kind === 'share' ? 1 : Number.POSITIVE_INFINITY;
    const bounded = (end: SeedCurve['low']) =>
      end?.map((value) => (value === null ? null : Math.min(most, Math.max(least, value))));
    return { label, key: label, isExact: true, ...seeds, low: bounded(seeds.low), high: bounded(seeds.high) };
  });
}

const NO_TRACK = { stage: [], step: [], time: [], tokens: [] };

/** A row per group: its seeds, and the last evaluation of each as a mean. */
function table(groups: readonly Group[]): HTMLElement {
  const heads = ['group', 'seeds', 'steps', 'greedy', 'sampled'] as const;
  const cell = (head: (typeof heads)[number], ...content: (HTMLElement | string)[]): HTMLElement =>
    element('td', { 'data-head': head }, ...content);
  const last = ({ curves }: Group, of: 'greedy' | 'sampled'): string => {
    const values = curves.flatMap(
      ({ data }) => data.evaluations.findLast((each) => each[of] !== null)?.[of]?.[0] ?? [],
    );
    return intervalText(meanInterval(values), values.length);
  };
  const rows = groups.map((group, i) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('i', { class: `key c${i % 8}` }), group.label),
      cell('seeds', ...seedLinks(group)),
      cell('steps', String(Math.max(0, ...group.curves.map(lastStep)))),
      cell('greedy', last(group, 'greedy')),
      cell('sampled', last(group, 'sampled')),
    ),
  );
  const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, name)));
  return element(
    'div',
    { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Table of groups' },
    element('table', { class: 'runs' }, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}

function seedLinks({ runs }: Group): (HTMLElement | string)[] {
  const inOrder = [...runs].sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0));
  return inOrder.flatMap(({ name, seed }, i) => [
    i === 0 ? '' : ', ',
    element('a', { href: `run?run=${encodeURIComponent(name)}`, title: name }, String(seed ?? name)),
  ]);
}

function intervalText(interval: Interval | null, seeds: number): string {
  if (interval === null) return '–';
  const [mean, low, high] = interval;
  const range = seeds > 1 ? ` (${(100 * Math.max(0, low)).toFixed(1)}–${(100 * Math.min(1, high)).toFixed(1)})` : '';
  return `${formatValue(mean, 'share')}${range}`;
}
