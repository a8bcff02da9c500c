/** The buttons, and the lines that say where the run stands and what it runs on. */
import { byId, element } from '../../src/run/report/page/dom.ts';
import { type Experiment, linkOf, ofPreset, PRESETS } from './experiment.ts';
import type { Lab, LabStatus, Note } from './lab.ts';

const LABELS: Readonly<Record<LabStatus, string>> = {
  opening: 'Opening …',
  resting: 'Train',
  training: 'Pause',
  stopping: 'Pausing …',
  busy: 'Working …',
  finished: 'Finished',
  failed: 'Train',
};

export class Controls {
  readonly #lab: Lab;
  readonly #train = byId('train') as HTMLButtonElement;
  readonly #step = byId('step') as HTMLButtonElement;
  readonly #evaluate = byId('evaluate') as HTMLButtonElement;
  readonly #reset = byId('reset') as HTMLButtonElement;
  #notes: readonly Note[] = [];

  constructor(lab: Lab) {
    this.#lab = lab;
    this.#train.addEventListener('click', () => void lab.toggle());
    this.#step.addEventListener('click', () => void lab.train(1));
    this.#evaluate.addEventListener('click', () => void lab.evaluate());
    this.#reset.addEventListener('click', () => {
      const { x } = lab.history;
      if (x.length > 0 && !confirm(`Start over? The ${x.length} steps of this run are removed.`)) return;
      void lab.startOver();
    });
  }

  update(): void {
    const { status, run, history } = this.#lab;
    document.body.dataset.status = status;
    this.#train.textContent = status === 'resting' && history.x.length > 0 ? 'Go on' : LABELS[status];
    this.#train.disabled = status !== 'resting' && status !== 'training';
    this.#step.disabled = status !== 'resting';
    this.#evaluate.disabled = run === undefined || status === 'busy' || status === 'stopping';
    this.#reset.disabled = status === 'opening' || status === 'busy' || status === 'stopping';
    this.#progress();
    this.#lines();
    this.#figures();
    if (this.#notes !== this.#lab.notes) this.#showNotes();
  }

  #progress(): void {
    const { history, speed, status } = this.#lab;
    const at = history.x.at(-1) ?? 0;
    const bar = byId('bar');
    bar.setAttribute('aria-valuemax', String(Math.max(1, history.total)));
    bar.setAttribute('aria-valuenow', String(at));
    (bar.firstElementChild as HTMLElement).style.width = `${(100 * at) / Math.max(1, history.total)}%`;
    const left =
      speed > 0 && status === 'training'
        ? `, ${speed.toFixed(1)} steps a second, ${duration((history.total - at) / speed)} left`
        : '';
    byId('progress').textContent = history.total === 0 ? ' ' : `step ${at} of ${history.total}${left}`;
  }

  #lines(): void {
    const { run, storage, status } = this.#lab;
    const backend = byId('backend');
    if (run === undefined) {
      backend.textContent = status === 'failed' ? 'No engine runs.' : 'Starting the engine …';
    } else {
      const { backend: report, parameters, memoryBytes, problems } = run.opened;
      const missing = report.missing.length === 0 ? '' : ` — ${report.missing.join('; ')}`;
      const train = problems.train === null ? 'endless' : thousands(problems.train);
      backend.replaceChildren(
        element('strong', {}, report.line),
        `${missing}. ${thousands(parameters)} parameters, ${Math.round(memoryBytes / 1e6)} MB; ${train} problems to train on, ${thousands(problems.heldOut)} held out.`,
      );
    }
    byId('storage').textContent = storage;
  }

  #figures(): void {
    const { history, experiment } = this.#lab;
    const last = history.accuracies.at(-1);
    const first = history.accuracies[0];
    const reward = history.curves.reward.findLast((value) => value !== null);
    const percent = (share: number | undefined): string =>
      share === undefined ? '–' : `${(100 * share).toFixed(1)} %`;
    const figures: [string, string, string][] = [
      [
        'Held-out accuracy',
        percent(last?.greedy),
        first === undefined || first === last ? 'greedy' : `greedy; ${percent(first.greedy)} before`,
      ],
      ['Sampled accuracy', percent(last?.sampled), 'at temperature 1'],
      [
        'Reward',
        reward === undefined || reward === null ? '–' : reward.toFixed(3),
        `“${experiment.reward}”, last batch`,
      ],
      ['Whole run', ...wholeRun(experiment)],
    ];
    const place = byId('figures');
    const key = JSON.stringify(figures);
    if (place.dataset.shown === key) return;
    place.dataset.shown = key;
    place.replaceChildren(
      ...figures.map(([term, value, about]) =>
        element(
          'div',
          {},
          element('dt', {}, term),
          element('dd', { class: 'figure' }, value),
          element('dd', { class: 'quiet' }, about),
        ),
      ),
    );
  }

  #showNotes(): void {
    this.#notes = this.#lab.notes;
    byId('notes').replaceChildren(
      ...this.#notes.map((note) => {
        const close = element('button', { type: 'button', class: 'plain', 'aria-label': 'Dismiss' }, '×');
        close.addEventListener('click', () => this.#lab.dismiss(note));
        return element('p', { class: `note ${note.level}` }, element('span', {}, note.text), close);
      }),
    );
  }
}

/** The time of a preset as it is; any other run must be measured. */
function wholeRun(experiment: Experiment): [string, string] {
  const preset = PRESETS[experiment.preset] as (typeof PRESETS)[string]; // made of a preset's name
  const isPlain = linkOf({ ...experiment, seed: ofPreset(experiment.preset).seed }) === `preset=${experiment.preset}`;
  return isPlain ? [preset.time, 'on two cores, without a GPU'] : ['–', 'Settings can measure it'];
}

function thousands(value: number): string {
  return value.toLocaleString('en');
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
