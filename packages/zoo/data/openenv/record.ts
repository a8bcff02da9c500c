/**
 * What a server answered, kept with the run: a server is not a function, so nothing else can repeat what it said.
 *
 *   problems.json      [seed] what reset said, and the tools
 *   000012.jsonl       the answers in episodes of the policy's version 12, a line each, in the order in which they came
 *
 * An episode is played back where all of it is there. One that a kill cut off is played again from its beginning, since its
 * session went with the process.
 */
import type { AnswerFiles } from '../../../../src/http/servers.ts';
import { AnswerLog, keepValue, readValue } from '../../../http/answer_log.ts';
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
  /** Several were asked for, and these many were answered: rewards are summed, and answers joined. */
  readonly calls?: number;
}

/** What a server says before the first episode. */
export interface ServerProblems {
  /** [seed] what reset said. */
  readonly problems: readonly string[];
  readonly tools: readonly OfferedTool[];
  /** Why held-out problems are those that are trained on, where they are. */
  readonly ignoredSeed?: string;
}

/** A line: its episode, the number of the turn, what was said; `end`: no turn comes after it. */
type Line<A> = A & { readonly episode: string; readonly turn: number; readonly end?: true };

const PROBLEMS = 'problems.json';

/** @typeParam A  what a turn is answered with, plain data */
export class AnswerRecord<A extends object = RecordedAnswer> {
  readonly #files: AnswerFiles;
  readonly #log: AnswerLog<Line<A>>;
  #loaded: { readonly version: number; readonly episodes: Promise<ReadonlyMap<string, readonly A[]>> } | undefined;

  constructor(files: AnswerFiles) {
    this.#files = files;
    this.#log = new AnswerLog(files);
  }

  /** What it was when the run began; undefined where it does so now. */
  async problems(): Promise<ServerProblems | undefined> {
    return (await readValue(this.#files, PROBLEMS)) as ServerProblems | undefined; // written below
  }

  async keepProblems(problems: ServerProblems): Promise<void> {
    await keepValue(this.#files, PROBLEMS, problems);
  }

  /** The answers of a whole episode, in turns; undefined where it is not there. */
  async episode(version: number, key: string): Promise<readonly A[] | undefined> {
    if (this.#loaded?.version !== version) this.#loaded = { version, episodes: this.#load(version) };
    return (await this.#loaded.episodes).get(key);
  }

  async #load(version: number): Promise<ReadonlyMap<string, readonly A[]>> {
    const begun = new Map<string, A[]>();
    const whole = new Map<string, readonly A[]>();
    for (const { episode, turn, end, ...answer } of await this.#log.lines(version)) {
      const answers = turn === 0 ? [] : (begun.get(episode) ?? []);
      if (answers.length !== turn) continue;
      answers.push(answer as unknown as A); // added below
      begun.set(episode, answers);
      if (end) whole.set(episode, answers);
    }
    return whole;
  }

  /** Keeps an answer; it is written soon. @param isEnd  the episode has ended with it */
  add(version: number, key: string, turn: number, answer: A, isEnd: boolean): void {
    this.#log.add(version, { episode: key, turn, ...answer, ...(isEnd && { end: true }) } as Line<A>);
  }

  /** All that was added is written. @throws what the disk refused */
  async written(): Promise<void> {
    await this.#log.written();
  }

  /** Removes the answers that none of the newest `keep` checkpoints goes back to. */
  async checkpointed(version: number, keep: number): Promise<void> {
    await this.#log.checkpointed(version, keep);
  }
}
