/** What is known of the one run: what the panels show. */
import type { BrowserEvent, CreditedGroup, Diagnosis, Evaluation, OpenedRun } from 'rlvr-train/web';
import type { Moved } from './experiment.ts';
import { History } from './history.ts';
import { Notes } from './notes.ts';
import { Pace } from './pace.ts';

export class ShownRun {
  history = new History([]);
  groups: readonly CreditedGroup[] = [];
  /** [groups][rollouts] their tries; undefined where answers do not search. */
  searches: Extract<BrowserEvent, { readonly type: 'rollouts' }>['searches'] = [];
  /** Texts of the groups' tokens, by id, where the vocabulary has none. */
  tokenTexts: Extract<BrowserEvent, { readonly type: 'rollouts' }>['tokenTexts'] = {};
  groupsStep = 0;
  /** Greedy answers to some held-out problems, by the newest evaluation. */
  heldOut: { readonly step: number; readonly answers: Evaluation['examples'] } | undefined;
  /** Why only memory keeps it; empty: it is kept. */
  storage = '';
  /** Settings that were moved within the run, oldest first. */
  moved: readonly Moved[] = [];
  readonly notes: Notes;
  /** Warnings of diagnostics among the notes, by their codes. */
  readonly #warned = new Map<string, string>();
  readonly pace = new Pace();
  protected readonly changed: () => void;

  /** @param changed  called whenever anything here is different */
  constructor(changed: () => void) {
    this.changed = changed;
    this.notes = new Notes(changed);
  }

  /** Nothing is known of the next run yet. */
  protected forget(): void {
    this.history = new History([]);
    this.groups = [];
    this.heldOut = undefined;
    this.notes.clear();
    this.storage = '';
    this.moved = [];
    this.pace.restart();
  }

  protected show({ stages, metrics, notes, status, storage, changes }: OpenedRun): void {
    this.history = new History(stages, metrics);
    for (const text of notes) this.notes.say('warn', text);
    if (this.history.step > 0 && status !== 'finished') {
      this.notes.say('note', `A saved run was found, at step ${this.history.step}. Train continues from there.`);
    }
    this.storage = storage.reason;
    this.moved = changes.map(({ stageIndex, step, settings }) => ({
      step: (this.history.edges[stageIndex] ?? 0) + step,
      settings,
    }));
  }

  protected hear(event: BrowserEvent): void {
    this.history.hear(event);
    if (event.type === 'rollouts') {
      this.groups = event.groups;
      this.searches = event.searches;
      this.tokenTexts = event.tokenTexts;
      this.groupsStep = this.history.place('grpo', event.step);
    }
    if (event.type === 'evaluation') {
      this.heldOut = { step: this.history.place(event.stage, event.step), answers: event.evaluation.examples };
    }
    if (event.type === 'step') this.pace.tick();
    if (event.type === 'note') this.notes.say('note', event.message);
    if (event.type === 'diagnosis') this.#diagnosed(event.diagnosis);
    if (event.type === 'storage') this.storage = event.storage.reason;
    this.changed();
  }

  #diagnosed({ code, level, message }: Diagnosis): void {
    const earlier = this.notes.list.find(({ text }) => text === this.#warned.get(code));
    if (level === 'withdrawn' && earlier !== undefined) this.notes.dismiss(earlier);
    if (level !== 'warning' && level !== 'stop') return;
    this.#warned.set(code, message);
    this.notes.say('warn', message);
  }
}
