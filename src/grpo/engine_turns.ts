/**
 * Takes turns at the engine while a batch is sampled elsewhere and the policy learns from another, because a policy
 * runs one thing at a time. First come, first served.
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

  /** Does a piece of work after all earlier requests are done. The work must not call `take` itself. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined); // the caller has the failure
    return result;
  }

  /** The same for part of an update, which lets messages and other work at the engine go first. */
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
