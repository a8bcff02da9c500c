/**
 * Whose turn it is at the engine, where a batch is sampled elsewhere while the policy learns from another: a policy runs one
 * thing at a time. First come, first served.
 */
import { nextTask } from '../kernels/next_task.ts';

export class EngineTurns {
  readonly #clock: () => number;
  #last: Promise<unknown> = Promise.resolve();
  #learnedMs = 0;

  /** @param clock  milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Does a piece of work once all that asked before is done. Work within it must not ask again. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const own = this.#last.then(work);
    this.#last = own.catch(() => undefined); // the caller has the failure
    return own;
  }

  /** The same for a part of an update; messages and others at the engine come first. */
  async learn<T>(work: () => Promise<T>): Promise<T> {
    await nextTask();
    return this.take(async () => {
      const start = this.#clock();
      try {
        return await work();
      } finally {
        this.#learnedMs += this.#clock() - start;
      }
    });
  }

  /** Milliseconds of updates so far. */
  get learnedMs(): number {
    return this.#learnedMs;
  }
}
