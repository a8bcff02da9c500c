/** Which runs of a list are shown, and in what order. */
import type { ListedRun } from '../data.ts';

/** Columns, each with what it is sorted by; the newest and the best come first, names from the beginning. */
export const COLUMNS = {
  run: { by: ({ name, title }: ListedRun) => title || name, isDescending: false },
  task: { by: ({ task }: ListedRun) => task, isDescending: false },
  seed: { by: ({ seed }: ListedRun) => seed, isDescending: false },
  state: { by: ({ condition }: ListedRun) => condition, isDescending: false },
  step: { by: ({ steps }: ListedRun) => steps?.done ?? null, isDescending: true },
  greedy: { by: ({ greedy }: ListedRun) => greedy, isDescending: true },
  sampled: { by: ({ sampled }: ListedRun) => sampled, isDescending: true },
  changed: { by: ({ changedMs }: ListedRun) => changedMs, isDescending: true },
} as const;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[]; // of that literal

export interface Order {
  readonly column: ColumnName;
  readonly isDescending: boolean;
}

export const NEWEST_FIRST: Order = { column: 'changed', isDescending: true };

/** `greedy`, `-greedy`: the way that a column has by itself, or the other. */
export function orderOf(text: string | null): Order {
  const name = COLUMN_NAMES.find((column) => column === text?.replace(/^-/, ''));
  if (name === undefined) return NEWEST_FIRST;
  return { column: name, isDescending: COLUMNS[name].isDescending !== text?.startsWith('-') };
}

/** Undefined for the newest first, which needs no word. */
export function orderText({ column, isDescending }: Order): string | undefined {
  const isOwn = COLUMNS[column].isDescending === isDescending;
  return column === 'changed' && isOwn ? undefined : `${isOwn ? '' : '-'}${column}`;
}

/** In an order, those without a value last; equal ones stay as they were. */
export function sorted(runs: readonly ListedRun[], { column, isDescending }: Order): ListedRun[] {
  const { by } = COLUMNS[column];
  return [...runs].sort((a, b) => {
    const [one, other] = [by(a), by(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const order =
      typeof one === 'number' && typeof other === 'number'
        ? one - other
        : String(one).localeCompare(String(other), 'en', { numeric: true });
    return isDescending ? -order : order;
  });
}

/** Runs in which each word of a text is found somewhere: in name, note, task, state, or a key that differs. */
export function matching(runs: readonly ListedRun[], text: string): ListedRun[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter(({ name, title, note, task, condition, seed, differs }) => {
    const keys = Object.entries(differs).map(([key, value]) => `${key} ${value}`);
    const said = [name, title, note, task ?? '', condition, `seed ${seed}`, ...keys].join('\n').toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
