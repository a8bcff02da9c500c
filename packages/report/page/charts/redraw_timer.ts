/**
 * When a page of a run under way is redrawn: soon after its first lines, then the more seldom the longer the run is,
 * for a curve moves by less and less of its width. A hidden tab is not drawn before it is visible again.
 */

const FIRST_MS = 500;
const LEAST_MS = 2_000;
const MOST_MS = 10_000;
/** Part of a run's time in which a curve's growth is too small to see. */
const SHARE = 0.005;

export interface Redrawn {
  readonly draw: () => void;
  /** Replaces it in a hidden tab: what its title says. */
  readonly tell?: () => void;
  /** How long the run is by now. */
  readonly runSeconds: () => number;
}

export class RedrawTimer {
  readonly #redrawn: Redrawn;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasDrawn = false;
  /** Whether a tab that comes into sight shows less than there is. */
  #isOld = false;

  constructor(redrawn: Redrawn) {
    this.#redrawn = redrawn;
    document.addEventListener('visibilitychange', () => {
      if (this.#isOld && !document.hidden) this.#run();
    });
  }

  /** There is something new to draw. */
  ask(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.min(MOST_MS, Math.max(LEAST_MS, 1000 * SHARE * this.#redrawn.runSeconds()));
    this.#timer = setTimeout(() => this.#run(), this.#wasDrawn ? wait : FIRST_MS);
  }

  #run(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOld = document.hidden;
    if (document.hidden) {
      this.#redrawn.tell?.();
      return;
    }
    this.#wasDrawn = true;
    this.#redrawn.draw();
  }
}
