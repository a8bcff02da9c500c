/**
 * Which answers are checked, and who is shut out. That a worker's bits are those of the learner is proven, not claimed: the
 * first group that it samples is sampled again by the learner, and then a share of all others.
 */

/** Share that is checked once a lie was found late, where none was. */
const LEAST_SHARE = 0.025;

export class Trust {
  #share: number;
  readonly #random: () => number;
  /** Workers that have passed a check. */
  readonly #proven = new Set<string>();
  /** Workers of whose answers one may have been wrong: all others are checked. */
  readonly #suspects = new Set<string>();
  readonly #shutOut = new Map<string, string>();

  /**
   * @param share  of groups that are sampled again
   * @param random  from 0 to 1, which no worker can foresee
   */
  constructor(share: number, random: () => number) {
    this.#share = share;
    this.#random = random;
  }

  /**
   * The groups of an answer that are sampled again, by their places.
   * @param isOdd  it holds floats that a healthy policy does not give
   */
  groupsToCheck(worker: string, groups: number, isOdd: boolean): number[] {
    const all = Array.from({ length: groups }, (_, i) => i);
    if (isOdd || this.#suspects.has(worker)) return all;
    const drawn = all.filter(() => this.#random() < this.#share);
    if (drawn.length > 0 || this.#proven.has(worker)) return drawn;
    return [Math.floor(this.#random() * groups)];
  }

  passed(worker: string): void {
    this.#proven.add(worker);
  }

  /** A lie was found late: others are looked at twice as closely, so that a few are all that a run goes back for. */
  lookCloser(): void {
    this.#share = Math.min(1, 2 * Math.max(this.#share, LEAST_SHARE));
  }

  suspect(worker: string): void {
    this.#suspects.add(worker);
  }

  shutOut(worker: string, reason: string): void {
    this.#shutOut.set(worker, reason);
  }

  /** Why a worker is shut out; undefined where it is not. */
  reasonFor(worker: string): string | undefined {
    return this.#shutOut.get(worker);
  }

  /** Whether it has passed a check, and none failed. */
  isProven(worker: string): boolean {
    return this.#proven.has(worker) && !this.#shutOut.has(worker);
  }
}
