/** Steps per second, lately. */
export class Pace {
  /** 0 until two steps were taken. */
  perSecond = 0;
  #lastAt = 0;

  restart(): void {
    this.perSecond = 0;
    this.#lastAt = 0;
  }

  /** A step was taken. */
  tick(now = performance.now()): void {
    const since = now - this.#lastAt;
    // A mean of times, not of rates: messages that waited come at once, and a rate of thousands would stay in the mean.
    const mean = this.perSecond === 0 ? since : 900 / this.perSecond + 0.1 * since;
    if (this.#lastAt > 0) this.perSecond = 1000 / Math.max(1, mean);
    this.#lastAt = now;
  }
}
