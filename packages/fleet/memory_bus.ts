/** A fleet's messages within one process: what a server does with them, without one. */
import { FleetError } from '../../src/errors.ts';
import type { LearnerBus, LearnerEars, WorkerBus } from './bus.ts';

interface Given {
  readonly bytes: Uint8Array;
  /** Until when it is a worker's, in milliseconds of the clock. */
  heldUntil: number;
}

interface Place {
  readonly hear: LearnerEars;
  readonly tasks: Map<number, Given>;
  readonly weights: Map<string, Uint8Array>;
  /** What is offered to each worker. */
  readonly offers: Map<string, Uint8Array[]>;
  lease: number;
  card?: Uint8Array;
}

const LOOK_MS = 5;

export class MemoryBroker {
  readonly #places = new Map<string, Place>();
  /** Workers that are there. */
  readonly #listening = new Set<string>();
  readonly #clock: () => number;

  /** @param clock  milliseconds */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Forgets everything that it holds, as a server does that lost its files. */
  forget(): void {
    for (const { tasks, weights, offers } of this.#places.values()) {
      tasks.clear();
      weights.clear();
      offers.clear();
    }
    for (const { hear } of this.#places.values()) hear.restart();
  }

  learner(): LearnerBus {
    let run = '';
    const place = (): Place => {
      const own = this.#places.get(run);
      if (own === undefined) throw new FleetError('fleet-closed', 'the fleet is closed; open it first.');
      return own;
    };
    return {
      open: async (name, lease, hear) => {
        if (this.#places.has(name)) throw new FleetError('fleet-run-taken', `run ${name} has a learner; end that one.`);
        run = name;
        this.#places.set(name, { hear, lease, tasks: new Map(), weights: new Map(), offers: new Map() });
      },
      announce: (card) => {
        place().card = card;
      },
      putWeights: async (key, part, bytes) => {
        place().weights.set(`${key}.${part}`, bytes);
      },
      dropWeights: async (key) => {
        const { weights } = place();
        for (const name of weights.keys()) if (name.startsWith(`${key}.`)) weights.delete(name);
      },
      give: async (task, bytes) => {
        place().tasks.set(task, { bytes, heldUntil: 0 });
      },
      offer: async ({ worker }, bytes) => {
        const { offers } = place();
        if (!this.#listening.has(worker)) return false;
        offers.set(worker, [...(offers.get(worker) ?? []), bytes]);
        return true;
      },
      drop: async (task) => {
        place().tasks.delete(task);
      },
      setLease: async (lease) => {
        place().lease = lease;
      },
      close: async () => {
        this.#places.delete(run);
      },
    };
  }

  /** @param signs  its worker is one that nobody vouches for */
  worker(signs = false): WorkerBus {
    let looking: ReturnType<typeof setInterval> | undefined;
    let own = '';
    return {
      signs,
      listen: (worker) => {
        own = worker;
        this.#listening.add(worker);
      },
      onCard: (hear) => {
        looking = setInterval(() => {
          for (const { card } of this.#places.values()) if (card !== undefined) hear(card);
        }, LOOK_MS);
      },
      next: async (run, wait) => {
        const until = this.#clock() + wait;
        do {
          const place = this.#places.get(run);
          if (place === undefined) return 'over';
          const offered = place.offers.get(own)?.shift();
          if (offered !== undefined) return offered;
          const free = [...place.tasks.values()].find(({ heldUntil }) => heldUntil <= this.#clock());
          if (free !== undefined) {
            free.heldUntil = this.#clock() + place.lease;
            return free.bytes;
          }
          await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        } while (this.#clock() < until);
        return undefined;
      },
      readWeights: async (run, key, part) => this.#places.get(run)?.weights.get(`${key}.${part}`),
      present: (run, presence) => this.#places.get(run)?.hear.presence(presence),
      answer: async (run, result) => {
        const hear = this.#places.get(run)?.hear;
        return signs ? hear?.signed?.(result) : hear?.result(result);
      },
      askBase: async (run, isMissing) => this.#places.get(run)?.hear.base?.(isMissing) ?? 'nobody',
      ask: async (run, request) => (await this.#places.get(run)?.hear.series?.(request)) ?? 'nobody',
      close: async () => {
        clearInterval(looking);
        this.#listening.delete(own);
      },
    };
  }
}
