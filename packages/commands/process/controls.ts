/** What the person who watches asks of a run: pause, evaluate, stop. The run asks back at its step boundaries. */

/** What was asked for and has not happened; `paused` and `evaluating` once it happens. */
export type Asked = 'nothing' | 'evaluation' | 'evaluating' | 'pause' | 'paused' | 'stop';

export class RunControls {
  readonly #stop = new AbortController();
  #evaluation: 'none' | 'asked' | 'running' = 'none';
  #pause = false;
  /** Wakes a run that waits; undefined while it works. */
  #wake: (() => void) | undefined;
  /** Milliseconds for which the clock was stopped, and since when it is. */
  #lostMs = 0;
  #stoodAt: number | undefined;

  /** Milliseconds of a monotonic clock that stops while the run is paused. For `openRun`. */
  readonly clock = (): number => (this.#stoodAt ?? performance.now()) - this.#lostMs;

  /** For `session`: aborted, it ends the run as soon as it can be saved. */
  readonly signal = this.#stop.signal;

  /** For `session`: waits while the run is paused; true where an evaluation was asked for. */
  readonly wantsEvaluation = async (): Promise<boolean> => {
    if (this.#evaluation === 'running') this.#evaluation = 'none';
    while (this.#pause && this.#evaluation === 'none' && !this.signal.aborted) await this.#rest();
    if (this.signal.aborted || this.#evaluation === 'none') return false;
    this.#evaluation = 'running';
    return true;
  };

  get asked(): Asked {
    if (this.signal.aborted) return 'stop';
    if (this.#evaluation === 'running') return 'evaluating';
    if (this.#evaluation === 'asked') return 'evaluation';
    if (this.#pause) return this.#wake === undefined ? 'pause' : 'paused';
    return 'nothing';
  }

  togglePause(): void {
    this.#pause = !this.#pause;
    this.#wake?.();
  }

  pause(): void {
    this.#pause = true;
  }

  goOn(): void {
    this.#pause = false;
    this.#wake?.();
  }

  evaluate(): void {
    if (this.#evaluation === 'none') this.#evaluation = 'asked';
    this.#wake?.();
  }

  stop(): void {
    this.#stop.abort();
    this.#wake?.();
  }

  /** Stops the clock around something that is not part of the run, such as a suspended process. */
  holdClock(): void {
    this.#stoodAt ??= performance.now();
  }

  /** A run that rests keeps it standing. */
  releaseClock(): void {
    if (this.#stoodAt === undefined || this.#wake !== undefined) return;
    this.#lostMs += performance.now() - this.#stoodAt;
    this.#stoodAt = undefined;
  }

  async #rest(): Promise<void> {
    this.holdClock();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    this.releaseClock();
  }
}
