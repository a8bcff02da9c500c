/**
 * What servers answered, kept with a run, a line each: what one has said once is not asked a second time, so that a run
 * which is resumed takes the same course.
 *
 *   000012.jsonl   what was asked while the policy was at its version 12
 *
 * A line that a kill cut off is left out. Files to which no checkpoint goes back are removed.
 */
import type { AnswerFiles } from '../../src/http/servers.ts';

const DIGITS = 6;

const fileOf = (version: number): string => `${String(version).padStart(DIGITS, '0')}.jsonl`;

/** @typeParam Line  plain data */
export class AnswerLog<Line> {
  readonly #files: AnswerFiles;
  /** Lines that are not written yet, by file. */
  #pending = new Map<string, string[]>();
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  /** Versions of the policy at the checkpoints of this process. */
  readonly #saved: number[] = [];

  constructor(files: AnswerFiles) {
    this.#files = files;
  }

  /** The whole lines of a version, in the order in which they were added. */
  async lines(version: number): Promise<readonly Line[]> {
    const name = fileOf(version);
    const text = new TextDecoder().decode((await this.#files.read(name)) ?? new Uint8Array());
    if (text !== '' && !text.endsWith('\n')) await this.#files.append(name, '\n'); // a kill came within a line
    return text.split('\n').flatMap((line) => (parsed(line) as Line | undefined) ?? []); // written below
  }

  /** Keeps a line; it is written soon. */
  add(version: number, line: Line): void {
    const name = fileOf(version);
    this.#pending.set(name, [...(this.#pending.get(name) ?? []), JSON.stringify(line)]);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#write();
    this.#writing.catch(() => undefined); // `written` throws it
  }

  async #write(): Promise<void> {
    try {
      while (this.#pending.size > 0) {
        const pending = this.#pending;
        this.#pending = new Map();
        for (const [name, lines] of pending) await this.#files.append(name, `${lines.join('\n')}\n`);
      }
    } finally {
      this.#isWriting = false;
    }
  }

  /** All that was added is written. @throws what the disk refused */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Removes what none of the newest `keep` checkpoints goes back to. */
  async checkpointed(version: number, keep: number): Promise<void> {
    this.#saved.push(version);
    const oldest = this.#saved.at(-keep - 1);
    if (oldest === undefined) return;
    this.#saved.splice(0, this.#saved.length - keep);
    for (const name of await this.#files.list()) {
      const own = /^(\d+)\.jsonl$/.exec(name)?.[1];
      if (own !== undefined && Number(own) < oldest) await this.#files.remove(name);
    }
  }
}

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A file of the folder as a value; undefined where it is not there, or was cut off. */
export async function readValue(files: AnswerFiles, name: string): Promise<unknown> {
  const bytes = await files.read(name);
  return bytes && parsed(new TextDecoder().decode(bytes));
}

/** Writes a value over what a kill may have left of it. */
export async function keepValue(files: AnswerFiles, name: string, value: unknown): Promise<void> {
  await files.remove(name);
  await files.append(name, `${JSON.stringify(value)}\n`);
}
