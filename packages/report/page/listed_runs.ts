/** The list of runs: what each is and how far it came, found by words, sorted by a column; those that are ticked are compared. */
import { ago, duration, percent } from '../../../src/format.ts';
import type { ListedRun } from '../data.ts';
import { element, write } from './dom.ts';
import { openRunDialog } from './run_dialog.ts';
import {
  COLUMN_NAMES,
  COLUMNS,
  type ColumnName,
  matching,
  type Order,
  orderOf,
  orderText,
  sorted,
} from './run_list.ts';
import { readState, writeState } from './url_state.ts';

const LOOK_MS = 4_000;
/** What a column means, where its title does not say. */
const MEANINGS: Partial<Record<ColumnName, string>> = {
  step: 'optimizer steps of all stages, done and planned',
  greedy: 'accuracy on held-out problems of the best guess: at each place the likeliest token',
  sampled: 'accuracy on held-out problems of answers that are drawn as in training',
};

export function showListedRuns(root: HTMLElement): void {
  new RunList(root);
}

/** What is said of a list of this length. */
function sayOf(runs: number, found: number): string {
  if (runs === 0)
    return 'No runs yet. Train in the browser, or type npx --no-install rlvr-train --config sort-digits: it shows here.';
  if (found === 0) return `None of ${runs} runs has these words.`;
  return runs === 1 ? '' : 'Tick two runs or more to compare them.';
}

class RunList {
  readonly #root: HTMLElement;
  readonly #ticked = new Set<string>();
  readonly #head = element('tr');
  readonly #body = element('tbody');
  readonly #table = element('table', { class: 'runs listed' }, element('thead', {}, this.#head), this.#body);
  readonly #find = element('input', { type: 'search', placeholder: 'name, note, task, state or key' });
  readonly #compare = element('button', { type: 'button', disabled: true }, 'Compare');
  readonly #said = element('p', { class: 'quiet', role: 'status' });
  readonly #meaning = element(
    'p',
    { class: 'quiet' },
    'Accuracies are those on held-out problems, which training never sees: greedy of the best guess, sampled of answers drawn as in training.',
  );
  #runs: readonly ListedRun[] = [];
  #order: Order = orderOf(readState('sort'));
  /** What the table shows: it is made again where that changes, and a tick in it stays. */
  #shown = '';

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#compare.addEventListener('click', () => {
      const query = [...this.#ticked].map((name) => `run=${encodeURIComponent(name)}`).join('&');
      location.href = `overlay?${query}`;
    });
    this.#find.value = readState('find') ?? '';
    this.#find.addEventListener('input', () => {
      writeState({ find: this.#find.value.trim() || undefined });
      this.#show();
    });
    root.append(
      element(
        'div',
        { class: 'controls' },
        element('label', { class: 'search' }, 'Find', this.#find),
        this.#compare,
        this.#said,
      ),
      element('div', { class: 'wide' }, this.#table),
      this.#meaning,
    );
    this.#makeHead();
    void this.#look();
    setInterval(() => {
      if (!document.hidden) void this.#look();
    }, LOOK_MS);
  }

  #makeHead(): void {
    const { column, isDescending } = this.#order;
    const cells = COLUMN_NAMES.map((name) => {
      const isSorted = name === column;
      const arrow = element('span', { 'aria-hidden': 'true' }, isSorted ? (isDescending ? ' ↓' : ' ↑') : '');
      const button = element('button', { type: 'button', 'data-sort': name, title: MEANINGS[name] }, name, arrow);
      button.addEventListener('click', () => {
        this.#order = {
          column: name,
          isDescending: isSorted ? !isDescending : COLUMNS[name].isDescending,
        };
        writeState({ sort: orderText(this.#order) });
        this.#makeHead();
        this.#head.querySelector<HTMLElement>(`[data-sort="${name}"]`)?.focus();
        this.#show();
      });
      const sort = isSorted ? (isDescending ? 'descending' : 'ascending') : undefined;
      return element('th', { scope: 'col', 'aria-sort': sort }, button);
    });
    this.#head.replaceChildren(element('td'), ...cells, element('td'));
  }

  readonly #look = async (): Promise<void> => {
    try {
      const response = await fetch('runs.json');
      if (!response.ok) throw new Error(await response.text());
      this.#runs = (await response.json()) as ListedRun[]; // our server sends it
      const names = new Set(this.#runs.map(({ name }) => name));
      for (const name of this.#ticked) if (!names.has(name)) this.#ticked.delete(name);
      this.#show();
    } catch (error) {
      const lost = error instanceof TypeError; // a fetch that reached no server
      write(this.#said, lost ? 'The server of this page has ended: rlvr-train ui starts it again.' : String(error));
    }
  };

  #show(): void {
    const found = sorted(matching(this.#runs, this.#find.value), this.#order);
    write(this.#said, sayOf(this.#runs.length, found.length));
    this.#table.hidden = found.length === 0;
    this.#meaning.hidden = found.length === 0;
    const underWay = this.#runs.filter(({ condition }) => condition === 'running').length;
    document.title = `${underWay > 0 ? `${underWay} under way · ` : ''}Runs · rlvr-train`;
    this.#tellTicked();
    const tableKey = JSON.stringify(found.map(({ changedMs, ...run }) => [ago(Date.now() - changedMs), run]));
    if (tableKey === this.#shown) return;
    this.#shown = tableKey;
    const focused = document.activeElement?.getAttribute('data-run');
    const kind = document.activeElement?.tagName.toLowerCase();
    this.#body.replaceChildren(...found.map((run) => this.#row(run)));
    if (focused) this.#root.querySelector<HTMLElement>(`${kind}[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  #tellTicked(): void {
    const { size } = this.#ticked;
    this.#compare.disabled = size < 2;
    write(this.#compare, size < 2 ? 'Compare' : `Compare ${size} runs`);
  }

  #row(run: ListedRun): HTMLElement {
    const { name, title } = run;
    const tick = element('input', {
      type: 'checkbox',
      'aria-label': `choose ${title || name}`,
      'data-run': name,
      checked: this.#ticked.has(name),
    });
    tick.addEventListener('change', () => {
      if (tick.checked) this.#ticked.add(name);
      else this.#ticked.delete(name);
      this.#tellTicked();
    });
    const about = element('button', { type: 'button', class: 'small', 'data-run': name }, 'Edit');
    about.setAttribute('aria-label', `Edit ${title || name}`);
    about.addEventListener('click', () => openRunDialog(run, () => void this.#look()));
    const cells: (string | (HTMLElement | string)[])[] = [
      run.task ?? '–',
      String(run.seed ?? '–'),
      [element('span', { class: `condition ${run.condition}` }, run.condition)],
      stepsCell(run),
      run.greedy === null ? '–' : percent(run.greedy),
      run.sampled === null ? '–' : percent(run.sampled),
      ago(Date.now() - run.changedMs),
    ];
    return element(
      'tr',
      {},
      element('td', {}, tick),
      element(
        'th',
        { scope: 'row' },
        element('a', { href: `run?run=${encodeURIComponent(name)}` }, title || name),
        ...notesOf(run).map((note) => element('small', {}, note)),
      ),
      ...cells.map((cell, i) => element('td', { 'data-head': COLUMN_NAMES[i + 1] }, ...cell)),
      element('td', {}, about),
    );
  }
}

/** Keys of a config named per run; more would hide what differs. */
const MOST_KEYS = 4;

function notesOf({ name, title, note, problem, differs }: ListedRun): string[] {
  const keys = Object.entries(differs)
    .slice(0, MOST_KEYS)
    .map(([key, value]) => `${key} ${value}`);
  return [title === '' ? '' : name, note, problem ?? keys.join(', ')].filter((text) => text !== '');
}

/** How far it came; of a run under way as a bar too, with how long it will still take. */
function stepsCell({ steps, left, condition, name }: ListedRun): (HTMLElement | string)[] {
  if (steps === null) return ['–'];
  const text = `${steps.done}/${steps.planned}`;
  if (condition !== 'running') return [text];
  const bar = element('progress', { max: steps.planned, value: steps.done, 'aria-label': `steps of ${name}` });
  const stage = left?.next === undefined ? '' : `, then ${left.next}`;
  return [text, bar, ...(left ? [element('small', {}, `${duration(left.seconds)} left${stage}`)] : [])];
}
