/** Checks all rows of a data set once, and splits the usable ones into training and held-out rows. */

import type { DataFiles } from '../../../../src/data/data_files.ts';
import { DATASET } from '../../../../src/data/data_files.ts';
import { splitPosition, TRAIN_SHARE } from '../../../../src/data/split.ts';
import type { Split } from '../../../../src/data/task.ts';
import { DataError } from '../../../../src/errors.ts';
import { counted } from '../../../../src/format.ts';
import { type Message, promptText } from '../../../../src/text/codec.ts';
import type { AnswerReader } from './answers.ts';
import type { DatasetKnobs } from './card.ts';
import { guessColumns, readColumns } from './columns.ts';
import type { DatasetParts } from './dataset_parts.ts';
import { GrowingInts } from './growing_ints.ts';
import { isAnsweredBySide, isPreference, sidesOf } from './preferences.ts';
import { type DatasetProblem, type ProblemReading, problemOf } from './problem.ts';
import { looseKey, PromptIndex, promptKey } from './prompt_index.ts';
import { readRows } from './read_rows.ts';
import type { Reread } from './reread.ts';
import type { ReadRow, Row } from './row.ts';
import { RowStore } from './row_store.ts';

export interface LoadedRows {
  readonly store: RowStore;
  /** Row numbers of the store. */
  readonly train: Uint32Array;
  readonly heldOut: Uint32Array;
  /** Rows with the longest prompts and the longest completions. */
  readonly longest: readonly number[];
  /** With the columns that were guessed for its file. */
  knobsOf(row: number): DatasetKnobs;
  /** `questions.jsonl:17`. */
  placeOf(row: number): string;
  /** Rows are preferences; `alone`: and have no other right answer. Absent: they are questions. */
  readonly preferences?: 'alone' | 'answered' | undefined;
  /** What was left out, one line each. */
  readonly notes: readonly string[];
}

/** Number of rows with the longest prompts, and with the longest completions, that are measured in tokens. */
const MEASURED = 32;

/** The files of rows, and their readers. */
export interface RowsToLoad {
  readonly files: DataFiles;
  readonly parts: DatasetParts;
  readonly answers: AnswerReader;
  /** Rows are only demonstrations: several may share a prompt, and none is held out. */
  readonly isShown: boolean;
  /** What the tokenizer makes of right answers. */
  readonly reread?: Reread | undefined;
}

/** @throws DataError naming file, line and column */
export async function loadRows(knobs: DatasetKnobs, of: RowsToLoad): Promise<LoadedRows> {
  const loading = new Loading(knobs, of);
  const heldOut = typeof knobs.held_out === 'object' ? knobs.held_out : undefined;
  for (const file of heldOut ?? []) await loading.read(file, 'eval');
  for (const file of knobs.train) await loading.read(file, heldOut && 'train');
  return loading.finish();
}

interface DataFile {
  readonly name: string;
  readonly firstRow: number;
  /** With the columns that its first row asks for. */
  knobs: DatasetKnobs | undefined;
}

type Refused = Extract<ProblemReading, { readonly flaw: string }>;

class Loading {
  readonly #knobs: DatasetKnobs;
  readonly #of: RowsToLoad;
  readonly #store = new RowStore();
  readonly #prompts = new PromptIndex();
  readonly #lines = new GrowingInts();
  readonly #train = new GrowingInts();
  readonly #heldOut = new GrowingInts();
  readonly #files: DataFile[] = [];
  readonly #notes: string[] = [];
  readonly #prompting = new Longest(MEASURED);
  readonly #completing = new Longest(MEASURED);
  #firstFlaw: string | undefined;
  #repeated = 0;
  #leaked = 0;
  /** Leaked rows that differ from the held-out file's only in spaces. */
  #leakedInSpaces = 0;
  #contradicted = 0;
  #firstContradiction = '';
  #preferences: LoadedRows['preferences'];
  /** Of rows with a label: those that are wanted, and the others. */
  readonly #labels = { wanted: 0, unwanted: 0 };

  constructor(knobs: DatasetKnobs, of: RowsToLoad) {
    this.#knobs = knobs;
    this.#of = of;
  }

  /** @param split  of all its rows; undefined: by a hash of their prompts */
  async read(name: string, split: Split | undefined): Promise<void> {
    const { columns, on_bad_row } = this.#knobs;
    const { files, parts } = this.#of;
    const columnsToRead = columns === undefined ? undefined : [...readColumns(this.#knobs), ...columns];
    this.#files.push({ name, firstRow: this.#store.count, knobs: undefined });
    let skipped = 0;
    let rows = 0;
    let first: { readonly message: string; readonly remedy: string } | undefined;
    for await (const batch of readRows(files, name, parts, { columns: columnsToRead })) {
      for (const reading of batch) {
        rows++;
        const refused =
          'row' in reading ? this.#add(reading, reading.line, split, columnsToRead) : { flaw: reading.problem };
        if (refused === undefined) continue;
        const { flaw, remedy = on_bad_row === 'stop' ? 'correct it, or set on_bad_row: skip' : 'correct it' } = refused;
        const place = 'row' in reading || reading.column === undefined ? '' : `:${reading.column}`;
        const message = `${name}:${reading.line}${place}  ${flaw}`;
        if (on_bad_row === 'stop') {
          throw new DataError('bad-row', `${message} (${remedy}).`, { file: name, line: reading.line });
        }
        skipped++;
        first ??= { message, remedy };
        this.#firstFlaw ??= message;
      }
    }
    if (first === undefined) return;
    const { message, remedy } = first;
    if (skipped === rows) {
      const firstBad = `${name}: on_bad_row: skip would leave out every row, and is for single bad ones; the first`;
      throw new DataError('no-rows', `${firstBad}: ${message} (${remedy}).`, { file: name });
    }
    this.#notes.push(`${name}: ${skipped} of ${rows} rows skipped; the first: ${message}`);
  }

  /** What is wrong with the row, if anything is. */
  #add(
    read: ReadRow,
    line: number,
    split: Split | undefined,
    wanted: readonly string[] | undefined,
  ): Refused | undefined {
    const reading = problemOf(read, this.#knobsFor(read.row), this.#of.answers);
    if ('flaw' in reading) return reading;
    const { problem } = reading;
    const lost = this.#of.reread?.(problem, read.row);
    if (lost !== undefined) return { flaw: lost, remedy: 'write it in NFC with line feeds, or take another verify' };
    const key = promptKey(promptText(problem.prompt));
    const index = this.#store.count;
    let other: DatasetProblem | undefined;
    let near: { readonly row: number; readonly problem: DatasetProblem } | undefined;
    const loose = looseKey(key);
    const same =
      this.#of.isShown || this.#preferences !== undefined
        ? undefined
        : this.#prompts.add(loose, index, (before) => {
            other = this.#problemAt(before);
            const otherKey = promptKey(promptText(other.prompt));
            if (otherKey !== key && looseKey(otherKey) === loose) near ??= { row: before, problem: other };
            return otherKey === key;
          });
    if (same !== undefined && other !== undefined) return this.#repeat(problem, other, same, split);
    if (near !== undefined && JSON.stringify(near.problem.truth) !== JSON.stringify(problem.truth)) {
      if (this.#contradicted++ === 0) {
        const { name } = this.#files[this.#files.length - 1];
        this.#firstContradiction = `${name}:${line} and ${this.#placeOf(near.row)}`;
      }
    }
    this.#store.add(wanted === undefined ? read : pick(read, wanted));
    this.#lines.push(line);
    // Prompts that differ only in case may be near copies, so they fall on one side.
    const side = this.#of.isShown ? 'train' : (split ?? this.#splitOf(key.toLowerCase()));
    const sides = this.#preferences && sidesOf(read.row);
    if (sides?.length === 1) this.#labels[sides[0].isChosen ? 'wanted' : 'unwanted']++;
    // Whatever equals an unwanted completion is not right.
    if (side === 'train') this.#train.push(index);
    else if (sides?.[0].isChosen !== false) this.#heldOut.push(index);
    this.#prompting.offer(index, key.length);
    const shown = problem.dialogue ?? [{ role: 'assistant' as const, content: problem.completion }];
    const size = shown.reduce((n, turn) => n + sizeOf(turn), 0);
    this.#completing.offer(index, Math.max(size, ...(sides ?? []).map(({ text }) => text.length)));
    return undefined;
  }

  /** All rows of a file are read as the first one asks for. */
  #knobsFor(row: Row): DatasetKnobs {
    const file = this.#files[this.#files.length - 1];
    if (file.knobs === undefined) {
      const { knobs, note } = guessColumns(row, this.#knobs, this.#of);
      if (note !== undefined) this.#notes.push(`${file.name}: ${note}`);
      file.knobs = knobs;
      if (!this.#of.isShown && isPreference(row)) {
        this.#preferences = isAnsweredBySide(row, this.#knobs) ? 'alone' : 'answered';
      }
    }
    return file.knobs;
  }

  #splitOf(key: string): Split {
    const { held_out: share } = this.#knobs;
    const trained = typeof share === 'number' ? 1 - share : TRAIN_SHARE;
    return splitPosition(DATASET, key) < trained ? 'train' : 'eval';
  }

  /** Handles a repeated prompt, which is left out if it adds nothing. */
  #repeat(problem: DatasetProblem, other: DatasetProblem, same: number, split: Split | undefined): Refused | undefined {
    if (JSON.stringify(problem.truth) !== JSON.stringify(other.truth)) {
      return { flaw: `its prompt is that of ${this.#placeOf(same)}, its answer another; keep one of the two` };
    }
    if (split === 'train' && same < (this.#files.find(({ name }) => this.#knobs.train.includes(name))?.firstRow ?? 0)) {
      this.#leaked++;
      if (promptText(problem.prompt) !== promptText(other.prompt)) this.#leakedInSpaces++;
    } else this.#repeated++;
    return undefined;
  }

  #problemAt(index: number): DatasetProblem {
    const reading = problemOf(this.#store.row(index), this.#knobsOf(index), this.#of.answers);
    if ('flaw' in reading) throw new RangeError(`row ${index} was sound before: ${reading.flaw}`);
    return reading.problem;
  }

  #placeOf(row: number): string {
    return `${this.#fileOf(row).name}:${this.#lines.at(row)}`;
  }

  #knobsOf(row: number): DatasetKnobs {
    return this.#fileOf(row).knobs ?? this.#knobs;
  }

  #fileOf(row: number): DataFile {
    let file = this.#files[0];
    for (const candidate of this.#files) if (candidate.firstRow <= row) file = candidate;
    return file;
  }

  finish(): LoadedRows {
    const [train, heldOut] = [this.#train.taken(), this.#heldOut.taken()];
    const names = this.#knobs.train.join(', ');
    if (train.length === 0) {
      const why = this.#firstFlaw === undefined ? 'give more rows' : `the first that was skipped: ${this.#firstFlaw}`;
      throw new DataError('no-rows', `${names}: no row to train on; ${why}.`);
    }
    const { wanted, unwanted } = this.#labels;
    if (wanted + unwanted > 0 && Math.min(wanted, unwanted) === 0) {
      const rule = `label is ${wanted > 0} in all of the ${counted(wanted + unwanted, 'row')}, so nothing tells wanted completions from others`;
      throw new DataError('no-rows', `${names}: ${rule}; give rows of both labels.`);
    }
    if (heldOut.length === 0 && !this.#of.isShown) {
      const held = this.#knobs.held_out;
      const remedy =
        typeof held === 'object'
          ? `give rows in ${held.join(', ')}`
          : 'give more rows, or hold out a larger share, such as 0.4';
      throw new DataError('none-held-out', `${names}: held_out: no row is held out; ${remedy}.`);
    }
    if (this.#repeated > 0)
      this.#notes.push(
        `${names}: ${counted(this.#repeated, 'row repeats', 'rows repeat')} an earlier one and ${this.#repeated === 1 ? 'is' : 'are'} left out`,
      );
    if (this.#contradicted > 0)
      this.#notes.push(
        `${names}: ${counted(this.#contradicted, 'row has', 'rows have')} the prompt of an earlier one but for spaces, and another answer: ${this.#firstContradiction}; keep one of each two`,
      );
    if (this.#leaked > 0) {
      const inSpaces =
        this.#leakedInSpaces > 0
          ? `; ${counted(this.#leakedInSpaces, 'has', 'have')} other spaces there, so that held-out prompts are not written as those that are trained on`
          : '';
      this.#notes.push(
        `${names}: ${counted(this.#leaked, 'row is', 'rows are')} also in held_out and not trained on${inSpaces}`,
      );
    }
    return {
      store: this.#store,
      train,
      heldOut,
      longest: [...new Set([...this.#prompting.rows, ...this.#completing.rows])],
      knobsOf: (row) => this.#knobsOf(row),
      placeOf: (row) => this.#placeOf(row),
      preferences: this.#preferences,
      notes: this.#notes,
    };
  }
}

function pick({ row, written }: ReadRow, names: readonly string[]): ReadRow {
  const of = (cells: Row): Row => Object.fromEntries(Object.entries(cells).filter(([name]) => names.includes(name)));
  return { row: of(row), ...(written && { written: of(written) }) };
}

/** The rows of the greatest lengths; of equal ones, the first. */
class Longest {
  readonly #most: number;
  readonly #found: { readonly row: number; readonly length: number }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get rows(): readonly number[] {
    return this.#found.map(({ row }) => row);
  }

  offer(row: number, length: number): void {
    const found = this.#found;
    if (found.length === this.#most && length <= found[found.length - 1].length) return;
    if (found.length === this.#most) found.pop();
    let at = found.length;
    while (at > 0 && found[at - 1].length < length) at--;
    found.splice(at, 0, { row, length });
  }
}

/** Characters of a turn as a template may write it. */
function sizeOf({ content, fields }: Message): number {
  return content.length + (fields === undefined ? 0 : JSON.stringify(fields).length);
}
