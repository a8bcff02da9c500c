/**
 * One run, as its log grows: the lines come from the server, and are read into curves here. Figures, curves, title and
 * badge are of the same lines and are renewed together. What the log does not say, the server's page of a run that has
 * ended does.
 */
import type { JsonObject } from '../../../src/run/json.ts';
import type { CompletionsData, RunState, ServedRun } from '../data.ts';
import type { Markup } from '../markup.ts';
import { placeText, renderSaid, type Said } from '../said.ts';
import { CurveReader } from '../series.ts';
import { ChartSection, sourceOf } from './charts/charts.ts';
import { RedrawTimer } from './charts/redraw_timer.ts';
import { RunCommands } from './commands.ts';
import { CompletionsViewer } from './completions.ts';
import { byId, element, write } from './dom.ts';
import { followLogs } from './follow_logs.ts';
import { Curves, NO_COMPLETIONS } from './track.ts';

/** Milliseconds from one look at the completions to the next. */
const COMPLETIONS_MS = 15_000;

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
  /** Undefined until the log was read as far as it goes. */
  #state: RunState | undefined;
  readonly #redraw: RedrawTimer;
  /** Hidden ones are not asked for, except the first. */
  #seesCompletions = true;
  #completionsAt = Number.NEGATIVE_INFINITY;

  constructor(run: ServedRun) {
    this.#run = run;
    this.#reader = new CurveReader(run.outline.stages);
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
    byId('charts').append(element('p', { class: 'quiet' }, 'Reading the log…'));
    this.#commands = new RunCommands(byId('commands'), run.name);
    followLogs([run.name], {
      onLines: (_, lines) => this.#read(lines),
      onCurves: (_, state) => {
        this.#reader = CurveReader.from(run.outline.stages, state);
        this.#redraw.ask();
      },
      onReset: () => {
        this.#reader = new CurveReader(run.outline.stages);
        this.#state = undefined;
      },
      onState: (_, state) => this.#is(state),
      onConnection: (isConnected) => this.#commands.connection(isConnected),
    });
  }

  #curves(): Curves {
    return new Curves({ ...this.#reader.curves(), completions: this.#completions });
  }

  #read(lines: readonly JsonObject[]): void {
    for (const line of lines) this.#reader.read(line);
    this.#redraw.ask();
  }

  #is(state: RunState): void {
    const hasEnded = this.#state?.condition === 'running' && state.condition !== 'running';
    this.#state = state;
    this.#commands.show(state);
    if (hasEnded) {
      this.#completionsAt = Number.NEGATIVE_INFINITY;
      void this.#takeEnd();
    }
    this.#redraw.ask();
  }

  #update(): void {
    if (this.#state === undefined) return; // a part of the log would show figures that were not asked for
    const curves = this.#curves();
    this.#charts.update(sourceOf(curves));
    this.#tell(curves);
    if (this.#viewer === undefined) void this.#look();
    else this.#lookIfSeen();
  }

  #lookIfSeen(): void {
    if (this.#seesCompletions && performance.now() - this.#completionsAt > COMPLETIONS_MS) void this.#look();
  }

  /** The figures, `under way, grpo step 12 of 600` in the head, and the tab's title. */
  #tell({ data: curves }: Curves): void {
    if (this.#state === undefined) return;
    const { title, outline } = this.#run;
    if (this.#state.condition !== 'running') {
      document.title = `${title} · rlvr-train`;
      return;
    }
    const said: Said = {
      outline,
      curves,
      evaluations: this.#reader.evaluationLines,
      summary: undefined,
      failure: undefined,
      fleet: this.#state.fleet ?? undefined,
      isRunning: true,
    };
    place(byId('said'), renderSaid(said));
    const status = document.querySelector<HTMLElement>('.status');
    if (status !== null)
      write(status, `${this.#state.asked === 'paused' ? 'paused' : 'under way'}, ${placeText(said)}`);
    const current = curves.stages.at(-1);
    const [step, most] = [current?.taken ?? 0, outline.stages[current?.index ?? 0]?.max_steps];
    document.title = `${step} of ${most} · ${title}`;
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

  /** What the server's page says of a run that has ended: its summary, or why it stopped. */
  async #takeEnd(): Promise<void> {
    const response = await fetch(location.href);
    if (!response.ok || this.#state?.condition === 'running') return;
    const fresh = parsed(await response.text());
    for (const part of ['#said', '.about', '#details']) {
      const [old, now] = [document.querySelector(part), fresh.querySelector(part)];
      if (old !== null && now !== null) old.replaceWith(document.adoptNode(now));
    }
  }
}

/** Puts markup into a place, whose elements stay where it is the same: a reader may have marked a text. */
function place(root: HTMLElement, { text }: Markup): void {
  const fresh = parsed(text).body;
  if (fresh.innerHTML.trim() === root.innerHTML.trim()) return;
  root.replaceChildren(...document.adoptNode(fresh).childNodes);
}

/** In a new document no script runs; the markup is our own, and texts in it are escaped. */
function parsed(text: string): Document {
  return new DOMParser().parseFromString(text, 'text/html');
}
