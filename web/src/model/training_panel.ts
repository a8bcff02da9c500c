/** The buttons of a training, how far it is, how long it will take, and what it has to say. */
import { byId, element, write } from '../../../packages/report/page/dom.ts';
import { counted, percent } from '../../../src/format.ts';
import type { Note } from '../notes.ts';
import { seconds } from './amounts.ts';
import type { ModelLab, ModelStatus } from './model_lab.ts';

const LABELS: Readonly<Record<ModelStatus, string>> = {
  waiting: 'Train',
  planning: 'Train',
  opening: 'Opening …',
  resting: 'Train',
  training: 'Pause',
  stopping: 'Pausing …',
  busy: 'Working …',
  finished: 'Finished',
};

export class TrainingPanel {
  readonly #lab: ModelLab;
  readonly #train = element('button', { type: 'button', id: 'train', class: 'main' });
  readonly #open = element('button', { type: 'button', id: 'open' }, 'Open it without training');
  readonly #reset = element('button', { type: 'button', id: 'reset' }, 'Start over');
  readonly #progress = element('p', { id: 'progress' });
  readonly #bar = element('div');
  readonly #whole = element('div', { class: 'bar', role: 'progressbar', 'aria-label': 'Steps' }, this.#bar);
  #notes: readonly Note[] = [];

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    this.#train.addEventListener('click', () => void (lab.status === 'training' ? lab.pause() : lab.train()));
    this.#open.addEventListener('click', () => void lab.open());
    this.#reset.addEventListener('click', () => {
      const { step } = lab.history;
      if (step > 0 && !confirm(`Start over? What ${counted(step, 'step')} of this run learned is removed.`)) return;
      void lab.startOver();
    });
    place.append(
      element('div', { class: 'buttons row' }, this.#train, this.#open, this.#reset),
      this.#whole,
      this.#progress,
    );
  }

  /** In a line: `25 of 60 steps, 15 min left`. */
  line(): string {
    const { history, run, status } = this.#lab;
    if (run === undefined) return '';
    if (status === 'finished') return `${counted(history.total, 'step')}, finished`;
    const left = this.#lab.secondsLeft();
    return `${history.step} of ${counted(history.total, 'step')}${left === undefined ? '' : `, ${seconds(left)} left`}`;
  }

  update(): void {
    const { status, history, run, notes, yaml, sampling } = this.#lab;
    const { isClosed } = this.#lab;
    const isIdle = isClosed || status === 'resting';
    write(this.#train, status === 'resting' && history.step > 0 ? 'Continue' : LABELS[status]);
    this.#train.disabled = yaml === '' || !(isIdle || status === 'training');
    this.#open.hidden = !isClosed;
    this.#open.disabled = yaml === '';
    this.#reset.disabled = !(status === 'resting' || status === 'finished');
    const within = sampling?.asks === 'training' ? this.#lab.sampledShare : 0;
    const share = history.total === 0 ? 0 : (history.step + within) / history.total;
    this.#bar.style.transform = `translateX(${100 * (share - 1)}%)`;
    this.#whole.setAttribute('aria-valuenow', String(Math.round(100 * share)));
    const accuracy = history.accuracies.at(-1);
    const { reward } = history.latest;
    const facts = [
      run === undefined ? (yaml === '' ? 'Choose a model and what it learns first.' : 'Not open yet.') : this.line(),
      ...(status === 'training' ? [doing(this.#lab)] : []),
      ...(run === undefined ? [] : [run.opened.backend.line]),
      ...(reward === null ? [] : [`reward ${reward.toFixed(3)}`]),
      ...(accuracy === undefined ? [] : [`held-out accuracy ${percent(accuracy.greedy.mean)}`]),
    ];
    write(this.#progress, facts.join(' · '));
    document.body.dataset.status = status; // for others: what the page shows
    if (this.#notes === notes.list) return;
    this.#notes = notes.list;
    byId('notes').replaceChildren(
      ...notes.list.map((note) => element('p', { class: `note ${note.level}` }, element('span', {}, note.text))),
    );
  }
}

/** What a training does now, in words. */
function doing({ sampling, history, isLearning }: ModelLab): string {
  if (sampling !== undefined) {
    const does = sampling.asks === 'training' ? 'sampling' : 'evaluating';
    return `${does}, ${sampling.ended} of ${sampling.completions}`;
  }
  if (isLearning) return 'learning from what was paid';
  return history.stages.some(({ stage }) => stage === 'sft') ? 'learning from right answers' : 'reading questions';
}
