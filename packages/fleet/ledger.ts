/**
 * The state of each task: given out, taken, used. A task may be given out several times, and several answers may come; the
 * first one counts, every later one must be equal to it. Pure: it knows neither a clock nor a server.
 */

/** What becomes of an answer. */
export type Outcome =
  /** It counts, unless it is taken back. */
  | 'first'
  /** Another one was there before it, and says the same. */
  | 'equal'
  /** Another one was there before it, and says something else: one of the two workers lies, or computes other bits. */
  | 'different'
  /** No such task, or one that is long used. */
  | 'unknown';

/** An answer that counts. */
export interface Answer {
  readonly worker: string;
  /** Hash of what was answered. */
  readonly digest: string;
}

interface Entry {
  givenAt: number;
  answer?: Answer;
  isUsed: boolean;
}

/** Used tasks that are remembered, for answers that come late. */
const MOST_USED = 4096;

export class Ledger {
  /** By number; in the order in which they were given out first. */
  readonly #entries = new Map<number, Entry>();
  readonly #used: number[] = [];

  /** Gives a task out. @throws RangeError where it was given out before: `again` does that */
  give(task: number, now: number): void {
    if (this.#entries.has(task)) throw new RangeError(`task ${task} was given out before`);
    this.#entries.set(task, { givenAt: now, isUsed: false });
  }

  /** Gives a task that has no answer out once more. */
  again(task: number, now: number): void {
    const entry = this.#open(task);
    if (entry.answer !== undefined) throw new RangeError(`task ${task} has its answer`);
    entry.givenAt = now;
  }

  receive(task: number, answer: Answer): Outcome {
    const entry = this.#entries.get(task);
    if (entry === undefined) return 'unknown';
    if (entry.answer !== undefined) return entry.answer.digest === answer.digest ? 'equal' : 'different';
    entry.answer = answer;
    return 'first';
  }

  /** The answer was refused: the task has none. @throws RangeError where it was used */
  takeBack(task: number): void {
    delete this.#open(task).answer;
  }

  /** The answers are trained on, each for the only time. @throws RangeError where one has none, or was used before */
  use(tasks: readonly number[]): void {
    for (const task of tasks) {
      const entry = this.#open(task);
      if (entry.answer === undefined) throw new RangeError(`task ${task} has no answer to use`);
      entry.isUsed = true;
      this.#used.push(task);
    }
    for (const task of this.#used.splice(0, Math.max(0, this.#used.length - MOST_USED))) this.#entries.delete(task);
  }

  /** The task is no longer wanted. @throws RangeError where it was used */
  drop(task: number): void {
    this.#open(task);
    this.#entries.delete(task);
  }

  /** Tasks that wait for an answer, in order. */
  waiting(): number[] {
    return this.#select((entry) => entry.answer === undefined);
  }

  /** Those of them that were given out last at `before` or earlier. */
  overdue(before: number): number[] {
    return this.#select((entry) => entry.answer === undefined && entry.givenAt <= before);
  }

  /** Tasks whose answer is a worker's; `isUsed`: those that are used, else those that can be taken back. */
  answeredBy(worker: string, isUsed: boolean): number[] {
    return this.#select((entry) => entry.answer?.worker === worker && entry.isUsed === isUsed);
  }

  /** When it was given out last; undefined where it is not known. */
  givenAt(task: number): number | undefined {
    return this.#entries.get(task)?.givenAt;
  }

  /** Whose answer counts; undefined where there is none. */
  answerOf(task: number): Answer | undefined {
    return this.#entries.get(task)?.answer;
  }

  /** Tasks that are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  #select(of: (entry: Entry) => boolean): number[] {
    return [...this.#entries].flatMap(([task, entry]) => (of(entry) ? [task] : []));
  }

  #open(task: number): Entry {
    const entry = this.#entries.get(task);
    if (entry === undefined || entry.isUsed)
      throw new RangeError(`task ${task} is ${entry ? 'used' : 'not given out'}`);
    return entry;
  }
}
