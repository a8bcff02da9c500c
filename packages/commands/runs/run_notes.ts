/** What people write about a run, beside what it writes itself: `notes.json`, which decides nothing. */
import { parseJsonObject } from '../../../src/run/json.ts';
import type { Store } from '../../../src/run/store/store.ts';

/** Both may be empty. */
export interface RunNotes {
  /** What the run is called, where that is not the name of its directory. */
  readonly name: string;
  readonly note: string;
}

export const NOTES_FILE = 'notes.json';
/** Characters. */
const LONGEST_NAME = 100;
const LONGEST_NOTE = 4_000;

/** Empty texts where nothing was written, or where the file is another's. */
export async function readNotes(store: Store): Promise<RunNotes> {
  const bytes = await store.read(NOTES_FILE);
  return notesOf(bytes && parseJsonObject(bytes));
}

/** Replaces what was written; two empty texts remove the file. */
export async function writeNotes(store: Store, { name, note }: RunNotes): Promise<void> {
  if (name === '' && note === '') return store.remove(NOTES_FILE);
  await store.writeAtomic(NOTES_FILE, new TextEncoder().encode(`${JSON.stringify({ name, note }, null, 2)}\n`));
}

/** From anyone's JSON; what is too long is cut. */
export function notesOf({ name, note }: { readonly name?: unknown; readonly note?: unknown } = {}): RunNotes {
  const text = (value: unknown, most: number): string => (typeof value === 'string' ? value.trim().slice(0, most) : '');
  return { name: text(name, LONGEST_NAME).replace(/\s+/g, ' '), note: text(note, LONGEST_NOTE) };
}
