/**
 * Tasks that are for one worker alone, beside those that all may pull: its own come first. A pull that is under way when one
 * comes is not given up, since the server may have answered it; what it brings is next.
 */

/** A task; undefined where there was none in time, 'over' where the run has no place any more. */
type Pulled = Uint8Array | 'over' | undefined;

/** What has come for this worker, of one run, and who waits for it. */
interface Box {
  readonly tasks: Uint8Array[];
  wake?: () => void;
  pull?: Promise<Pulled>;
}

/** Tasks that wait at most; the learner gives those to others that are not answered. */
const MOST_WAITING = 8;

export class OwnTasks {
  readonly #pull: (run: string, wait: number) => Promise<Pulled>;
  readonly #subscribe: (run: string, worker: string, hear: (task: Uint8Array) => void) => Promise<void>;
  readonly #boxes = new Map<string, Promise<Box>>();
  #worker: string | undefined;

  /**
   * @param pull  waits for a task of a run that all may take, for `wait` milliseconds
   * @param subscribe  calls with each task of a run that is for this worker alone
   */
  constructor(
    pull: (run: string, wait: number) => Promise<Pulled>,
    subscribe: (run: string, worker: string, hear: (task: Uint8Array) => void) => Promise<void>,
  ) {
    this.#pull = pull;
    this.#subscribe = subscribe;
  }

  /** @param worker  who takes them; before, there are only those for all */
  listen(worker: string): void {
    this.#worker = worker;
  }

  async next(run: string, wait: number): Promise<Pulled> {
    const box = await this.#boxOf(run);
    const waiting = box.tasks.shift();
    if (waiting !== undefined) return waiting;
    box.pull ??= this.#pull(run, wait);
    const { pull } = box;
    const isPulled = await Promise.race([
      pull.then(
        () => true,
        () => true,
      ),
      new Promise<false>((resolve) => {
        box.wake = () => resolve(false);
      }),
    ]);
    box.wake = undefined;
    if (!isPulled) return box.tasks.shift();
    box.pull = undefined;
    return pull;
  }

  #boxOf(run: string): Promise<Box> {
    const known = this.#boxes.get(run);
    if (known !== undefined) return known;
    const made = this.#make(run);
    this.#boxes.set(run, made);
    return made;
  }

  async #make(run: string): Promise<Box> {
    const box: Box = { tasks: [] };
    if (this.#worker === undefined) return box;
    await this.#subscribe(run, this.#worker, (task) => {
      box.tasks.push(task);
      if (box.tasks.length > MOST_WAITING) box.tasks.shift();
      box.wake?.();
    });
    return box;
  }
}
