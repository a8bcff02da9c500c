/** What is to be drawn, a few milliseconds of it a frame: a page of many charts stays free for the next click. */

/** Milliseconds of a frame after which the rest waits for the next one. */
const BUDGET_MS = 8;

export class DrawQueue {
  readonly #waiting = new Map<unknown, () => void>();
  #isAsked = false;

  /** Draws with one of the next frames. @param key  whose drawing it is: a later one replaces one that still waits */
  add(key: unknown, draw: () => void): void {
    this.#waiting.set(key, draw);
    this.#ask();
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame(): void {
    this.#isAsked = false;
    const begin = performance.now();
    for (const [key, draw] of this.#waiting) {
      this.#waiting.delete(key);
      draw();
      if (performance.now() - begin > BUDGET_MS) break;
    }
    if (this.#waiting.size > 0) this.#ask();
  }
}
