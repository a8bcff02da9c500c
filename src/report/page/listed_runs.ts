/** The list of runs: what each is and how far it came; those that are ticked are laid over each other. */
import { ago, percent } from '../../format.ts';
import { element } from './dom.ts';

/** As the server lists it. */
interface ListedRun {
  readonly name: string;
  readonly condition: string;
  readonly problem: string | null;
  readonly task: string | null;
  readonly seed: number | null;
  readonly steps: { readonly done: number; readonly planned: number } | null;
  readonly greedy: number | null;
  readonly sampled: number | null;
  readonly changedMs: number;
  readonly differs: Readonly<Record<string, string>>;
}

const LOOK_MS = 4_000;
/** Titles of the columns; on a phone each precedes its value. */
const HEADS = ['', 'run', 'task', 'seed', 'state', 'step', 'greedy', 'sampled', 'changed'] as const;

export function showListedRuns(root: HTMLElement): void {
  new RunList(root);
}

/** What is said of a list of this length. */
function sayOf(runs: number): string {
  if (runs === 0)
    return 'No runs yet. Train in the browser, or type npx --no-install rlvr-train --config sort-digits: it shows here.';
  return runs === 1 ? '' : 'Tick two runs or more to compare them.';
}

class RunList {
  readonly #root: HTMLElement;
  readonly #ticked = new Set<string>();
  readonly #body = element('tbody');
  readonly #over = element('button', { type: 'button', disabled: true }, 'Compare');
  readonly #said = element('p', { class: 'quiet', role: 'status' });
  /** What the table shows: it is made again where that changes, and a tick in it stays. */
  #shown = '';

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#over.addEventListener('click', () => {
      const query = [...this.#ticked].map((name) => `run=${encodeURIComponent(name)}`).join('&');
      location.href = `overlay?${query}`;
    });
    const head = element(
      'tr',
      {},
      ...HEADS.map((name) => (name === '' ? element('td') : element('th', { scope: 'col' }, name))),
    );
    root.append(
      element('div', { class: 'controls' }, this.#over, this.#said),
      element('div', { class: 'wide' }, element('table', { class: 'runs' }, element('thead', {}, head), this.#body)),
    );
    void this.#look();
    setInterval(() => {
      if (!document.hidden) void this.#look();
    }, LOOK_MS);
  }

  async #look(): Promise<void> {
    try {
      const response = await fetch('runs.json');
      if (!response.ok) throw new Error(await response.text());
      const runs = (await response.json()) as ListedRun[]; // our server sends it
      this.#show(runs);
      this.#said.textContent = sayOf(runs.length);
    } catch (error) {
      const lost = error instanceof TypeError; // a fetch that reached no server
      this.#said.textContent = lost
        ? 'The server of this page has ended: rlvr-train ui starts it again.'
        : String(error);
    }
  }

  #show(runs: readonly ListedRun[]): void {
    const tableKey = JSON.stringify(runs.map(({ changedMs, ...run }) => [ago(Date.now() - changedMs), run]));
    if (tableKey === this.#shown) return;
    this.#shown = tableKey;
    const focused = document.activeElement?.getAttribute('data-run');
    this.#body.replaceChildren(...runs.map((run) => this.#row(run)));
    if (focused) this.#root.querySelector<HTMLElement>(`[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  #row(run: ListedRun): HTMLElement {
    const tick = element('input', {
      type: 'checkbox',
      'aria-label': `choose ${run.name}`,
      'data-run': run.name,
      checked: this.#ticked.has(run.name),
    });
    tick.addEventListener('change', () => {
      if (tick.checked) this.#ticked.add(run.name);
      else this.#ticked.delete(run.name);
      this.#over.disabled = this.#ticked.size < 2;
    });
    const differs = Object.entries(run.differs).slice(0, MOST_KEYS);
    const note = run.problem ?? differs.map(([key, value]) => `${key} ${value}`).join(', ');
    const cells = [
      run.task ?? '–',
      run.seed ?? '–',
      element('span', { class: `condition ${run.condition}` }, run.condition),
      run.steps === null ? '–' : `${run.steps.done}/${run.steps.planned}`,
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
        element('a', { href: `run?run=${encodeURIComponent(run.name)}` }, run.name),
        ...(note === '' ? [] : [element('small', {}, note)]),
      ),
      ...cells.map((cell, i) =>
        element('td', { 'data-head': HEADS[i + 2] }, typeof cell === 'number' ? String(cell) : cell),
      ),
    );
  }
}

/** Keys of a config named per run; more would hide what differs. */
const MOST_KEYS = 4;
