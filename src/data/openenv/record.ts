/**
 * What a server answered, kept with the run: it is not a function, so that what it said once is said again by nobody else.
 *
 *   problems.json      [seed] what reset said, and the tools
 *   000012.jsonl       the answers in episodes of the policy's version 12, a line each, in the order in which they came
 *
 * An episode is played back where all of it is there. One that a kill cut off is played again from its beginning, since its
 * session went with the process.
 */
import type { AnswerFiles } from '../environment.ts';
import type { OfferedTool } from './tools.ts';

/** What an action was answered with. */
export interface RecordedAnswer {
  readonly action: string;
  readonly observation: string;
  readonly reward: number | null;
  readonly done: boolean;
  /** Who said it, where it was a tool. */
  readonly from?: string;
  readonly illegal?: true;
  /** The environment never saw the action. */
  readonly unseen?: true;
}

/** What a server says before the first episode. */
export interface ServerProblems {
  /** [seed] what reset said. */
  readonly problems: readonly string[];
  readonly tools: readonly OfferedTool[];
}

/** A line: its episode, the number of the turn, what was said; `end`: no turn comes after it. */
type Line = RecordedAnswer & { readonly episode: string; readonly turn: number; readonly end?: true };

const PROBLEMS = 'problems.json';
const DIGITS = 6;

const fileOf = (version: number): string => `${String(version).padStart(DIGITS, '0')}.jsonl`;

export class AnswerRecord {
  readonly #files: AnswerFiles;
  #loaded:
    | { readonly version: number; readonly episodes: Promise<ReadonlyMap<string, readonly RecordedAnswer[]>> }
    | undefined;
  /** Lines that are not written yet, by file. */
  #pending = new Map<string, string[]>();
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  /** Versions of the policy at the checkpoints of this process. */
  readonly #saved: number[] = [];

  constructor(files: AnswerFiles) {
    this.#files = files;
  }

  /** What it was when the run began; undefined where it does so now. */
  async problems(): Promise<ServerProblems | undefined> {
    const bytes = await this.#files.read(PROBLEMS);
    return bytes && (parsed(new TextDecoder().decode(bytes)) as ServerProblems | undefined); // written below
  }

  async keepProblems(problems: ServerProblems): Promise<void> {
    await this.#files.remove(PROBLEMS); // half of one, which a kill has left
    await this.#files.append(PROBLEMS, `${JSON.stringify(problems)}\n`);
  }

  /** The answers of a whole episode, in turns; undefined where it is not there. */
  async episode(version: number, key: string): Promise<readonly RecordedAnswer[] | undefined> {
    if (this.#loaded?.version !== version) this.#loaded = { version, episodes: this.#load(version) };
    return (await this.#loaded.episodes).get(key);
  }

  async #load(version: number): Promise<ReadonlyMap<string, readonly RecordedAnswer[]>> {
    const name = fileOf(version);
    const text = new TextDecoder().decode((await this.#files.read(name)) ?? new Uint8Array());
    if (text !== '' && !text.endsWith('\n')) await this.#files.append(name, '\n'); // a kill came within a line
    const begun = new Map<string, RecordedAnswer[]>();
    const whole = new Map<string, readonly RecordedAnswer[]>();
    for (const line of text.split('\n')) {
      const read = parsed(line) as Line | undefined; // written below
      if (read === undefined) continue;
      const { episode, turn, end, ...answer } = read;
      const answers = turn === 0 ? [] : (begun.get(episode) ?? []);
      if (answers.length !== turn) continue;
      answers.push(answer);
      begun.set(episode, answers);
      if (end) whole.set(episode, answers);
    }
    return whole;
  }

  /** Keeps an answer; it is written soon. @param isEnd  the episode has ended with it */
  add(version: number, key: string, turn: number, answer: RecordedAnswer, isEnd: boolean): void {
    const line: Line = { episode: key, turn, ...answer, ...(isEnd && { end: true }) };
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

  /** Removes the answers that none of the newest `keep` checkpoints goes back to. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
