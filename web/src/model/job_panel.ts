/** What the model learns: a preset or rows of the visitor's, as YAML that may be changed, and what it would take of this device. */
import { choices, element } from '../../../packages/report/page/dom.ts';
import { counted, thousands } from '../../../src/format.ts';
import { megabytes, seconds } from './amounts.ts';
import type { ModelLab } from './model_lab.ts';
import { fileNameOf, type Learns, rowsJob, shownSortingJob, sortingJob } from './presets.ts';

const SUBJECTS = [
  ['sort', 'Sort three numbers'],
  ['rows', 'Your own rows'],
] as const;
const WAYS = [
  ['reward', 'By reward: it tries, and a program says what is right'],
  ['examples', 'By examples: it is shown right answers'],
] as const;
const ABOUT = {
  sort: 'Two examples stand before each question. By reward SmolLM2-135M begins near 12 % and ends near 94 %; twenty steps by examples are enough to see a change.',
  rows: 'A question and its right answer in each row; the first line of a CSV names the columns. A fifth of the rows is held out and never trained on. They stay on this device.',
} as const;
const VERIFY = [
  ['exact', 'it is the same text'],
  ['number', 'it is the same number'],
  ['math', 'it is mathematically the same'],
  ['choice', 'it is the same letter or option'],
  ['json', 'it is JSON of the same value'],
] as const;
const ROWS = `question,answer
What day comes after Sunday?,Monday
What day comes before Friday?,Thursday
…`;
/** Where rows are kept over a reload, if the browser allows. */
const KEPT = 'rlvr-train rows';
/** Milliseconds after the last key until the job is looked at. */
const PAUSE_MS = 400;

export class JobPanel {
  readonly #lab: ModelLab;
  readonly #yaml = element('textarea', { id: 'yaml', spellcheck: 'false', 'aria-label': 'YAML of the job' });
  readonly #about = element('p', { class: 'quiet' });
  readonly #plan = element('div', { class: 'plan', id: 'plan', 'aria-live': 'polite' });
  readonly #rows = element('textarea', {
    id: 'rows',
    rows: 9,
    spellcheck: 'false',
    placeholder: ROWS,
    'aria-label': 'Rows: paste CSV or JSON Lines, or drop a file',
  });
  readonly #verify = element('select', { id: 'verify' });
  readonly #system = element('input', { id: 'system', type: 'text', placeholder: 'Answer with one word.' });
  readonly #own: HTMLElement;
  #subject: (typeof SUBJECTS)[number][0] = 'sort';
  #learns: Learns = 'reward';
  #model = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: unknown;

  constructor(place: HTMLElement, beside: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    this.#rows.value = keptRows();
    this.#verify.append(...VERIFY.map(([value, words]) => element('option', { value }, words)));
    const file = element('input', { id: 'rows-file', type: 'file', accept: '.csv,.tsv,.jsonl,.json,.txt' });
    file.addEventListener('change', () => {
      void this.#take(file.files?.[0]);
      file.value = '';
    });
    this.#own = element(
      'div',
      { class: 'rows', hidden: true },
      this.#rows,
      element(
        'div',
        { class: 'row' },
        element('label', { class: 'button', for: 'rows-file' }, 'Open a file', file),
        element('label', { for: 'verify' }, 'An answer is right when'),
        this.#verify,
      ),
      element('div', { class: 'row' }, element('label', { for: 'system' }, 'Said before each question'), this.#system),
    );
    this.#own.addEventListener('dragover', (event) => event.preventDefault());
    this.#own.addEventListener('drop', (event) => {
      const [dropped] = event.dataTransfer?.files ?? [];
      if (dropped === undefined) return; // a text is dropped into the field by itself
      event.preventDefault();
      void this.#take(dropped);
    });
    for (const field of [this.#rows, this.#verify, this.#system]) field.addEventListener('input', () => this.#later());
    this.#yaml.addEventListener('change', () => this.#lookAt(this.#yaml.value));
    place.append(
      choices('What it learns', SUBJECTS, this.#subject, (subject) => {
        this.#subject = subject;
        this.#write();
      }),
      choices('How', WAYS, this.#learns, (learns) => {
        this.#learns = learns;
        this.#write();
      }),
      this.#about,
      this.#own,
      element('details', {}, element('summary', {}, 'The job as YAML, as the command line reads it'), this.#yaml),
    );
    beside.append(this.#plan);
  }

  /** The job is for this model from here on. */
  use(model: string): void {
    this.#model = model;
    this.#write();
  }

  async #take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    this.#rows.value = await file.text();
    this.#write();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), PAUSE_MS);
  }

  #write(): void {
    const isOwn = this.#subject === 'rows';
    const model = this.#model === '' ? 'MODEL' : this.#model;
    this.#own.hidden = !isOwn;
    this.#about.textContent = ABOUT[this.#subject];
    const of = this.#learns === 'reward' ? sortingJob : shownSortingJob;
    const rows = { file: fileNameOf(this.#rows.value), verify: this.#verify.value, system: this.#system.value.trim() };
    this.#yaml.value = isOwn ? rowsJob(model, rows, this.#learns) : of(model);
    this.#lookAt(this.#yaml.value);
  }

  /** Rows go with the job that names their file. */
  #lookAt(yaml: string): void {
    const rows = this.#rows.value;
    const isOwn = this.#subject === 'rows';
    if (isOwn) keepRows(rows);
    const isReady = this.#model !== '' && !(isOwn && rows.trim() === '');
    void this.#lab.choose(isReady ? yaml : '', isOwn ? { [fileNameOf(rows)]: rows } : undefined);
    if (isReady) void this.#lab.look();
  }

  update(): void {
    const { plan, status, yaml, problem } = this.#lab;
    const shown = plan ?? problem ?? `${status} ${yaml === ''}`;
    if (this.#shown === shown) return;
    this.#shown = shown;
    if (problem !== undefined) {
      this.#plan.replaceChildren(element('p', { class: 'problem' }, problem));
      return;
    }
    if (plan === undefined) {
      const missing = this.#model === '' ? 'Choose a model first.' : 'Paste rows, or drop a file.';
      this.#plan.replaceChildren(yaml === '' ? missing : status === 'planning' ? 'Measuring …' : '');
      return;
    }
    const { parameters, trained, bytes, secondsPerStep, backend, problems, examples, notes } = plan;
    const steps = secondsPerStep.map((each) => seconds(each)).join(' and ');
    const train = problems.train === null ? 'endless problems' : counted(problems.train, 'problem');
    const [example] = examples;
    this.#plan.replaceChildren(
      element(
        'p',
        {},
        element('strong', {}, `${megabytes(bytes)} of memory, about ${steps} a step, ${seconds(plan.seconds)} in all`),
        ` on ${backend.line}.`,
      ),
      element(
        'p',
        {},
        `${train[0]?.toUpperCase()}${train.slice(1)} to train on, ${thousands(problems.heldOut)} held out and never shown.`,
      ),
      ...notes.map((note) => element('p', { class: 'quiet' }, note)),
      ...(example === undefined
        ? []
        : [
            element('h3', {}, 'As the model reads it'),
            element('pre', { class: 'example', tabindex: 0 }, example.prompt, element('mark', {}, example.answer)),
            element(
              'p',
              { class: 'quiet' },
              'Underlined: the right answer. By reward it is never shown; it is what answers are checked against.',
            ),
          ]),
      element(
        'p',
        { class: 'quiet' },
        `${(parameters / 1e6).toFixed(0)} million weights, of which the adapter’s ${(trained / 1e6).toFixed(1)} million are trained. The time is a layer’s, measured for a moment; a busy device takes longer.`,
      ),
    );
  }
}

function keptRows(): string {
  try {
    return localStorage.getItem(KEPT) ?? '';
  } catch {
    return ''; // storage is denied
  }
}

function keepRows(rows: string): void {
  try {
    localStorage.setItem(KEPT, rows);
  } catch {
    // Denied or full: they are pasted again at the next visit.
  }
}
