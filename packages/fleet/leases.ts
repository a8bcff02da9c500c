/** For how long a task is a worker's: as long as tasks take, several times. */

/** Milliseconds of a lease before it is known what a task takes, and the least and most of later ones. */
const FIRST_MS = 10_000;
const LIMITS_MS = [5_000, 600_000] as const;
/** A lease over what a task takes, and the leases after which the learner samples a task itself. */
const TIMES = 4;
const LATE = 2;

export class Leases {
  #slowestMs = 0;
  /** Milliseconds of a lease. */
  lease = FIRST_MS;

  /** A task was answered. @param seconds  that it took @returns whether leases are much longer or shorter from now on */
  answered(seconds: number): boolean {
    // A claim of hours may not hold up the run for longer than the longest lease.
    this.#slowestMs = Math.max(0.9 * this.#slowestMs, 1000 * seconds);
    const lease = Math.min(LIMITS_MS[1], Math.max(LIMITS_MS[0], TIMES * this.#slowestMs));
    if (lease <= 1.5 * this.lease && lease >= this.lease / 1.5) return false;
    this.lease = lease;
    return true;
  }

  /**
   * Milliseconds after which the learner samples a task itself.
   * @param isOneSilent  a worker takes tasks and answers none, so that each batch would wait for it: others take no longer than this
   */
  patience(isOneSilent: boolean): number {
    return isOneSilent ? Math.min(TIMES * this.#slowestMs, LATE * this.lease) : LATE * this.lease;
  }
}
