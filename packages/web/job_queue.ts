/** Work that is done one job after the other, as soon as the worker lets the next one through. */
export class JobQueue {
  readonly #jobs: (() => Promise<void>)[] = [];
  #isWorking = false;

  /** Does the work at once where nothing is under way, else when that ends or calls `serve`. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#jobs.push(() => work().then(resolve, reject));
    });
    if (!this.#isWorking) void this.#work();
    return result;
  }

  /** For a job that takes long: does those that wait. */
  async serve(): Promise<void> {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) await job();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    await this.serve();
    this.#isWorking = false;
  }
}
