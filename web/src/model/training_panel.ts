/** The buttons of a training, how far it is, and what it has to say. */

import { byId, element, write } from '../../../packages/report/page/dom.ts';
import { counted, percent } from '../../../src/format.ts';
import type { Note } from '../notes.ts';
import type { ModelLab, ModelStatus } from './model_lab.ts';

const LABELS: Readonly<Record<ModelStatus, string>> = {
  waiting: 'Open and train',
  planning: 'Measuring …',
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
  readonly #open = element('button', { type: 'button', id: 'open' }, 'Only open it');
  readonly #reset = element('button', { type: 'button', id: 'reset' }, 'Reset');
  readonly #progress = element('p', { id: 'progress', class: 'quiet' });
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
    place.append(element('div', { class: 'buttons row' }, this.#train, this.#open, this.#reset), this.#progress);
  }

  update(): void {
    const { status, history, run, notes, yaml } = this.#lab;
    const isIdle = status === 'waiting' || status === 'resting';
    write(this.#train, status === 'resting' && history.step > 0 ? 'Continue' : LABELS[status]);
    this.#train.disabled = yaml === '' || !(isIdle || status === 'training');
    this.#open.disabled = yaml === '' || status !== 'waiting';
    this.#reset.disabled = !(status === 'resting' || status === 'finished');
    const accuracy = history.accuracies.at(-1);
    const { reward } = history.latest;
    const facts = [
      run === undefined ? 'Not open.' : `step ${history.step} of ${history.total}`,
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
