/** One run, as its log grows: the lines come from the server, and are read into curves here. */
import type { JsonObject } from '../../run/json.ts';
import type { CompletionsData, RunState, ServedRun } from '../data.ts';
import { CurveReader } from '../series.ts';
import { ChartSection, sourceOf } from './charts/charts.ts';
import { RedrawTimer } from './charts/redraw_timer.ts';
import { RunCommands } from './commands.ts';
import { CompletionsViewer } from './completions.ts';
import { byId, element, write } from './dom.ts';
import { followLogs } from './follow_logs.ts';
import { Curves } from './track.ts';

/** Milliseconds from one look at the completions to the next, and at what the server says of a run under way. */
const COMPLETIONS_MS = 15_000;
const SAID_MS = 10_000;
const NO_COMPLETIONS: CompletionsData = { groups: [], reasons: [], rewardNames: [], stepsRecorded: 0, stepsKept: 0 };

export function showLiveRun(run: ServedRun): void {
  new LiveRun(run);
}

class LiveRun {
  readonly #run: ServedRun;
  readonly #charts: ChartSection;
  #viewer: CompletionsViewer | undefined;
  readonly #commands: RunCommands;
  #reader: CurveReader;
  #completions = NO_COMPLETIONS;
  /** Undefined until the server has sent it. */
  #state: RunState | undefined;
  readonly #redraw: RedrawTimer;
  /** Those that nobody looks at are not asked for, but the first. */
  #seesCompletions = true;
  #completionsAt = Number.NEGATIVE_INFINITY;
  /** The page has just been made: what it says is not asked for at once. */
  #saidAt = performance.now();
  #renewal: ReturnType<typeof setTimeout> | undefined;
  /** Whether the sections that the server writes say less than the log. */
  #isSaidOld = false;

  constructor(run: ServedRun) {
    this.#run = run;
    this.#reader = new CurveReader(run.stages);
    const completions = byId('completions');
    completions.append(element('p', { class: 'quiet' }, 'The completions of the newest steps come in a moment.'));
    this.#charts = new ChartSection(byId('charts'), (position) => {
      this.#viewer?.goTo(position);
      completions.scrollIntoView({ block: 'start' });
    });
    new IntersectionObserver(([entry]) => {
      this.#seesCompletions = entry?.isIntersecting ?? true;
      if (this.#viewer !== undefined) this.#lookIfSeen();
    }).observe(completions);
    this.#redraw = new RedrawTimer({
      draw: () => this.#update(),
      tell: () => this.#tell(this.#curves()),
      runSeconds: () => this.#reader.seconds,
    });
    this.#charts.update(sourceOf(this.#curves()));
    this.#commands = new RunCommands(byId('commands'), run.name);
    followLogs([run.name], {
      onLines: (_, lines) => this.#read(lines),
      onReset: () => {
        this.#reader = new CurveReader(run.stages);
      },
      onState: (_, state) => this.#is(state),
      onConnection: (isConnected) => this.#commands.connection(isConnected),
    });
  }

  #curves(): Curves {
    return new Curves({ ...this.#reader.curves(), completions: this.#completions });
  }

  #read(lines: readonly JsonObject[]): void {
    for (const line of lines) {
      this.#reader.read(line);
      if (line.evaluation !== undefined || line.diagnosis !== undefined) this.#isSaidOld = true;
    }
    this.#redraw.ask();
  }

  #is(state: RunState): void {
    if (this.#state !== undefined && state.condition !== this.#state.condition) {
      clearTimeout(this.#renewal);
      [this.#renewal, this.#isSaidOld] = [undefined, true];
      [this.#completionsAt, this.#saidAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    }
    this.#state = state;
    this.#commands.show(state);
    this.#redraw.ask();
  }

  #update(): void {
    const curves = this.#curves();
    this.#charts.update(sourceOf(curves));
    this.#tell(curves);
    if (this.#viewer === undefined) void this.#look();
    else this.#lookIfSeen();
    if (this.#isSaidOld) this.#renewSoon();
  }

  #lookIfSeen(): void {
    if (this.#seesCompletions && performance.now() - this.#completionsAt > COMPLETIONS_MS) void this.#look();
  }

  /** `under way, grpo step 12 of 600`, in the head and in the tab's title. */
  #tell({ data: { stages } }: Curves): void {
    const current = stages.at(-1);
    const most = this.#run.stages[current?.index ?? 0]?.max_steps;
    const step = current?.steps.at(-1) ?? 0;
    const place = current === undefined ? 'no step yet' : `${current.stage} step ${step} of ${most}`;
    const isRunning = this.#state?.condition === 'running';
    const status = document.querySelector<HTMLElement>('.status');
    if (status !== null && isRunning) {
      write(status, `${this.#state?.asked === 'paused' ? 'paused' : 'under way'}, ${place}`);
    }
    const title = isRunning ? `${step} of ${most} · ${this.#run.name}` : `${this.#run.name} · rlvr-train`;
    if (document.title !== title) document.title = title;
  }

  /** The completions of the newest steps. */
  async #look(): Promise<void> {
    this.#completionsAt = performance.now();
    const response = await fetch(`completions.json?run=${encodeURIComponent(this.#run.name)}`);
    if (!response.ok) return;
    this.#completions = (await response.json()) as CompletionsData; // our server sends it
    if (this.#viewer === undefined) this.#viewer = new CompletionsViewer(byId('completions'), this.#curves());
    else this.#viewer.update(this.#curves());
  }

  #renewSoon(): void {
    const wait = Math.max(0, this.#saidAt + SAID_MS - performance.now());
    this.#renewal ??= setTimeout(() => void this.#renewSaid(), wait);
  }

  /** The figures, notices and details, as the server now writes them; in a new document no script runs. */
  async #renewSaid(): Promise<void> {
    clearTimeout(this.#renewal);
    [this.#renewal, this.#isSaidOld] = [undefined, false];
    this.#saidAt = performance.now();
    const response = await fetch(location.href);
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const part of ['#said', '.about']) {
      const [old, now] = [document.querySelector(part), fresh.querySelector(part)];
      if (old !== null && now !== null && old.innerHTML !== now.innerHTML) old.replaceWith(document.adoptNode(now));
    }
    const details = fresh.querySelector('#details');
    // A reader of the config keeps their place: it changes at the end of a run alone.
    if (details !== null && this.#state?.condition !== 'running')
      byId('details').replaceWith(document.adoptNode(details));
    this.#tell(this.#curves());
  }
}
