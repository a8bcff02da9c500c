/** Several runs over each other, as their logs grow. Finished runs that differ in the seed alone are one curve with a band. */
import type { ServedRun } from '../../data.ts';
import type { Kind } from '../../format.ts';
import { CurveReader } from '../../series.ts';
import { byId, element } from '../dom.ts';
import { followLogs } from '../follow_logs.ts';
import { type MetricPanel, metricPanels, type Panel } from '../panels.ts';
import { Curves, NO_COMPLETIONS, type Series } from '../track.ts';
import type { View } from './chart_lines.ts';
import { ChartSection, type ChartSource } from './charts.ts';
import { groupTable } from './group_table.ts';
import { RedrawTimer } from './redraw_timer.ts';
import { groupsOf, lastStep, type RunGroup } from './run_groups.ts';
import { smoothed } from './scales.ts';
import { acrossSeeds, type SeedCurve } from './seed_bands.ts';

export function showOverlay(runs: readonly ServedRun[]): void {
  new Overlay(runs);
}

class Overlay {
  readonly #runs: readonly ServedRun[];
  readonly #readers: CurveReader[];
  /** Whether each has finished; undefined until its log was read as far as it goes. */
  readonly #finished: (boolean | undefined)[];
  readonly #charts = new ChartSection(byId('charts'));
  readonly #reading = element('p', { class: 'quiet', role: 'status' });

  constructor(runs: readonly ServedRun[]) {
    this.#runs = runs;
    this.#readers = runs.map(({ outline }) => new CurveReader(outline.stages));
    this.#finished = runs.map(() => undefined);
    byId('groups').append(this.#reading);
    this.#tellReading();
    const runSeconds = (): number => Math.max(...this.#readers.map(({ seconds }) => seconds));
    const redraw = new RedrawTimer({ draw: () => this.#update(), runSeconds });
    followLogs(
      runs.map(({ name }) => name),
      {
        onLines: (run, lines) => {
          for (const line of lines) this.#readers[run]?.read(line);
          redraw.ask();
        },
        onCurves: (run, state) => {
          this.#readers[run] = CurveReader.from(runs[run]?.outline.stages ?? [], state);
          redraw.ask();
        },
        onReset: (run) => {
          this.#readers[run] = new CurveReader(runs[run]?.outline.stages ?? []);
          this.#finished[run] = undefined;
        },
        onState: (run, { condition }) => {
          this.#finished[run] = condition === 'finished';
          this.#tellReading();
          redraw.ask();
        },
        onConnection: () => {},
      },
    );
  }

  /** Figures of a log that was read in part would be those of another step. */
  #tellReading(): void {
    const read = this.#finished.filter((each) => each !== undefined).length;
    this.#reading.textContent = `Reading the logs: ${read} of ${this.#runs.length}.`;
  }

  #update(): void {
    if (this.#finished.includes(undefined)) return;
    const groups = groupsOf(
      this.#runs.map((run, i) => ({
        run,
        // Diagnoses of a single run would be marked on the curves of all.
        curves: new Curves({
          ...(this.#readers[i] as CurveReader).curves(), // one per run
          diagnoses: [],
          completions: NO_COMPLETIONS,
        }),
        isFinished: this.#finished[i] === true,
      })),
    );
    byId('groups').replaceChildren(groupTable(groups));
    const source = overlaySource(groups);
    if (source !== undefined) this.#charts.update(source);
  }
}

function overlaySource(groups: readonly RunGroup[]): ChartSource | undefined {
  const all = groups.flatMap(({ runs }) => runs.map(({ curves }) => curves)).filter(hasStarted);
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

function hasStarted({ data }: Curves): boolean {
  return data.stages.length > 0;
}

/** Each seed is averaged over its steps by itself, so that the band is that of what is drawn. */
function metricPanel(
  { title, hint, kind, metric, stage }: MetricPanel,
  groups: readonly RunGroup[],
  view: View,
): Panel {
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

function accuracyPanels(groups: readonly RunGroup[]): Panel[] {
  const panel = (title: string, of: 'greedy' | 'sampled'): Panel => ({
    title: `Held-out accuracy, ${title}`,
    hint:
      of === 'greedy'
        ? 'mean over seeds; band: 95 % interval over seeds, or over problems where there is one seed'
        : '',
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

function seriesOf(groups: readonly RunGroup[], kind: Kind, of: (curves: Curves) => SeedCurve): Series[] {
  return groups.map(({ name, label, runs }) => {
    const own = runs.map(({ curves }) => of(curves));
    const seeds = acrossSeeds(own) ?? { track: runs[0]?.curves.metrics ?? NO_TRACK, values: [] };
    // The interval of a mean knows nothing of the ends that a share has, nor of what is never below zero.
    const isNegative = own.some(({ values }) => values.some((value) => value !== null && value < 0));
    const least = isNegative ? Number.NEGATIVE_INFINITY : 0;
    const most = kind === 'share' ? 1 : Number.POSITIVE_INFINITY;
    const bounded = (end: SeedCurve['low']) =>
      end?.map((value) => (value === null ? null : Math.min(most, Math.max(least, value))));
    return { label, key: name, isExact: true, ...seeds, low: bounded(seeds.low), high: bounded(seeds.high) };
  });
}

const NO_TRACK = { stage: [], step: [], time: [], tokens: [] };
