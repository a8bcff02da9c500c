/** The buttons, and the lines that say how far the run is and what it runs on. */
import type { BrowserRun } from 'rlvr-train/web';
import { byId, element, write } from '../../packages/report/page/dom.ts';
import { counted, percent, thousands } from '../../src/format.ts';
import { riseOf } from '../../src/methods/support/figures/rise.ts';
import { shortShare } from './curve_tables.ts';
import { type Experiment, linkOf, ofPreset, PRESETS } from './experiment.ts';
import type { History, Share } from './history.ts';
import type { Lab, LabStatus } from './lab.ts';
import type { Note } from './notes.ts';

const PLAIN_TITLE = document.title;
/** What one click adds to a run that has ended. */
const MORE_STEPS = 300;

const LABELS: Readonly<Record<LabStatus, string>> = {
  waiting: 'Train',
  asking: 'Asked above …',
  opening: 'Opening …',
  resting: 'Train',
  training: 'Pause',
  stopping: 'Pausing …',
  busy: 'Working …',
  finished: `${MORE_STEPS} more steps`,
  failed: 'Train',
};

const FIGURES = ['Held-out accuracy', 'Sampled accuracy', 'Reward', 'Time'];

export class Controls {
  readonly #lab: Lab;
  readonly #train = byId('train') as HTMLButtonElement;
  readonly #step = byId('step') as HTMLButtonElement;
  readonly #evaluate = byId('evaluate') as HTMLButtonElement;
  readonly #reset = byId('reset') as HTMLButtonElement;
  readonly #figures = FIGURES.map((term) => new Figure(term));
  /** For those who want to look before they train. */
  readonly #open = element('button', { type: 'button', id: 'open', class: 'small' }, 'Start it without training');
  #notes: readonly Note[] = [];
  #run: BrowserRun | undefined;
  /** The button that was pressed by keyboard, while it is disabled. */
  #left: HTMLButtonElement | undefined;
  /** What the big button says. */
  #said: LabStatus = 'waiting';

  constructor(lab: Lab) {
    this.#lab = lab;
    this.#train.addEventListener('click', () => void this.#act());
    this.#open.addEventListener('click', () => void lab.open());
    this.#step.addEventListener('click', () => void lab.train(1));
    this.#evaluate.addEventListener('click', () => void lab.evaluate());
    this.#reset.addEventListener('click', () => {
      const { step } = lab.history;
      if (step > 0 && !confirm(`Start over? What ${counted(step, 'step')} of this run learned is removed.`)) return;
      void lab.startOver();
    });
    byId('figures').append(...this.#figures.map(({ box }) => box));
  }

  /** Does what the button says, or nothing: a run that ended since it was drawn takes no further steps at a late Pause. */
  #act(): Promise<void> {
    if (this.#said === 'training') return this.#lab.pause();
    return this.#said === 'finished' ? this.#lab.more(MORE_STEPS) : this.#lab.train();
  }

  update(): void {
    const { status, run, history } = this.#lab;
    this.#said = status;
    this.#title();
    write(this.#train, status === 'resting' && history.step > 0 ? 'Continue' : LABELS[status]);
    // A click while a run opens is for that run, and must not meet a button that is disabled between press and release.
    const isComing = status === 'waiting' || status === 'asking' || status === 'opening';
    const isHeld = status === 'busy' || status === 'stopping';
    this.#disable(this.#train, isHeld || status === 'failed');
    this.#disable(this.#step, !isComing && status !== 'resting');
    this.#disable(this.#evaluate, !isComing && (run === undefined || isHeld));
    this.#disable(this.#reset, isComing || isHeld);
    this.#progress();
    this.#lines();
    this.#showFigures();
    if (this.#notes !== this.#lab.notes.list) this.#showNotes();
  }

  /** A button that is disabled loses the keyboard: once it can be pressed it has it again, unless the visitor went elsewhere. */
  #disable(button: HTMLButtonElement, isDisabled: boolean): void {
    if (isDisabled && document.activeElement === button) this.#left = button;
    button.disabled = isDisabled;
    if (isDisabled || this.#left !== button) return;
    this.#left = undefined;
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }

  /** What a tab among others shows of its run. */
  #title(): void {
    const { history, experiment, status } = this.#lab;
    const last = history.accuracies.at(-1);
    const where = status === 'finished' ? 'done' : status === 'training' ? `${percentOf(history)} of steps` : '';
    const run = [last && `${shortShare(last.greedy)} solved`, where, PRESETS[experiment.preset]?.title];
    const said = last === undefined && where === '' ? [] : run.filter((part) => part !== undefined && part !== '');
    const title = [...said, PLAIN_TITLE].join(' · ');
    if (document.title !== title) document.title = title;
  }

  #progress(): void {
    const { history, pace, status } = this.#lab;
    const speed = pace.perSecond;
    const at = history.step;
    const bar = byId('bar');
    bar.setAttribute('aria-valuemax', String(Math.max(1, history.total)));
    bar.setAttribute('aria-valuenow', String(at));
    const share = at / Math.max(1, history.total);
    (bar.firstElementChild as HTMLElement).style.transform = `translateX(${100 * (share - 1)}%)`;
    const left =
      speed > 0 && status === 'training' ? `, ${speed.toFixed(1)} steps per second, ${this.#timeLeft()} left` : '';
    write(byId('progress'), history.total === 0 ? '\u00a0' : `step ${at} of ${history.total}${left}`);
  }

  /** At the pace of the last steps; empty before there is one. */
  #timeLeft(): string {
    const { history, pace } = this.#lab;
    return pace.perSecond > 0 ? duration((history.total - history.step) / pace.perSecond) : '';
  }

  /** Before the first step what a preset takes elsewhere, from then on what this run does here. */
  #time(): [string, string] {
    const { history, experiment, status } = this.#lab;
    if (status === 'finished') return ['–', 'all steps are taken'];
    if (history.step === 0) return wholeRun(experiment);
    const left = this.#timeLeft();
    return left === '' ? ['–', 'known after the next steps'] : [`${left} left`, 'at the pace of the last steps, here'];
  }

  #lines(): void {
    const { run, storage, status } = this.#lab;
    write(byId('storage'), storage);
    const backend = byId('backend');
    if (status === 'waiting') {
      if (!backend.contains(this.#open)) {
        backend.replaceChildren(
          'Nothing runs yet. Train starts the engine: WebGPU where there is one, else WebAssembly. ',
          this.#open,
        );
      }
    } else if (run === undefined) write(backend, status === 'failed' ? 'No engine runs.' : 'Starting the engine …');
    else if (run !== this.#run) {
      const { backend: report, parameters, memoryBytes, problems } = run.opened;
      const missing = report.missing.length === 0 ? '' : ` — ${report.missing.join('; ')}`;
      const train = problems.train === null ? 'endless' : thousands(problems.train);
      backend.replaceChildren(
        element('strong', {}, report.line),
        `${missing}. ${thousands(parameters)} parameters, ${Math.round(memoryBytes / 1e6)} MB; ${train} problems to train on, ${thousands(problems.heldOut)} held out.`,
      );
    }
    this.#run = run;
  }

  #showFigures(): void {
    const { history, experiment } = this.#lab;
    const last = history.accuracies.at(-1);
    const first = history.accuracies[0];
    const { reward } = history.latest;
    const [greedy, sampled, rewarded, time] = this.#figures as [Figure, Figure, Figure, Figure]; // FIGURES
    const before = (of: 'greedy' | 'sampled'): string =>
      first === undefined || first === last ? '' : `; ${percent(first[of].mean)} before`;
    greedy.show(
      last === undefined ? '–' : percent(last.greedy.mean),
      first === undefined || last === undefined
        ? 'greedy'
        : `${interval(last.greedy)}${before('greedy')}${first === last ? '' : `: ${riseOf(first, last)}`}`,
    );
    sampled.show(
      last === undefined ? '–' : percent(last.sampled.mean),
      last === undefined ? 'at temperature 1' : `${interval(last.sampled)}${before('sampled')}`,
    );
    rewarded.show(reward === null ? '–' : reward.toFixed(3), `by “${experiment.reward}”, last batch`);
    time.show(...this.#time());
  }

  #showNotes(): void {
    this.#notes = this.#lab.notes.list;
    byId('notes').replaceChildren(
      ...this.#notes.map((note) => {
        const close = element('button', { type: 'button', class: 'plain', 'aria-label': 'Dismiss' }, '×');
        close.addEventListener('click', () => this.#lab.notes.dismiss(note));
        return element('p', { class: `note ${note.level}` }, element('span', {}, note.text), close);
      }),
    );
  }
}

/** A figure with its name above and a remark below. */
class Figure {
  readonly box: HTMLElement;
  readonly #value = element('dd', { class: 'figure' });
  readonly #about = element('dd', { class: 'quiet' });

  constructor(term: string) {
    this.box = element('div', {}, element('dt', {}, term), this.#value, this.#about);
  }

  show(value: string, about: string): void {
    write(this.#value, value);
    write(this.#about, about);
  }
}

/** How far the share may be from that of all problems there are: few held-out ones say little. */
function interval({ low, high }: Share): string {
  return `95 % interval ${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %`;
}

/** The time of a preset as it is; any other run must be measured. */
function wholeRun(experiment: Experiment): [string, string] {
  const preset = PRESETS[experiment.preset] as (typeof PRESETS)[string]; // made of a preset's name
  const isPlain = linkOf({ ...experiment, seed: ofPreset(experiment.preset).seed }) === `preset=${experiment.preset}`;
  return isPlain ? [preset.time, 'for all steps, on two cores without a GPU'] : ['–', 'Settings can measure it'];
}

function percentOf({ step, total }: History): string {
  return `${Math.floor((100 * step) / Math.max(1, total))} %`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
