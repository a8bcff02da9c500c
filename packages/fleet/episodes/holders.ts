/** Which worker samples the next turn of an episode at the least cost: the one that has its keys and values. */
import { type RolloutRequest, rolloutNumber, type SampleRequest } from '../../../src/grpo/generator.ts';

/** What is known of the episodes of one call. */
export class Holders {
  /** By the number that an episode has in all of its turns. */
  readonly #workers = new Map<number, string>();

  /** Turns were sampled. @param worker  by whom; undefined: by the learner, which keeps nothing */
  sampled(requests: readonly SampleRequest[], worker: string | undefined): void {
    for (const number of requests.flatMap(({ rollouts }) => rollouts.map(rolloutNumber))) {
      if (worker === undefined) this.#workers.delete(number);
      else this.#workers.set(number, worker);
    }
  }

  /** Id of the worker; undefined where there is none. */
  of(episode: RolloutRequest): string | undefined {
    return this.#workers.get(rolloutNumber(episode));
  }

  /** The worker is gone, or takes too long. */
  forget(worker: string): void {
    for (const [number, own] of this.#workers) if (own === worker) this.#workers.delete(number);
  }
}
