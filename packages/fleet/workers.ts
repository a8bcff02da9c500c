/** The workers that are there: those that have said something lately. */
import { FleetError } from '../../src/errors.ts';
import { decodePresence } from './cards.ts';

/** Milliseconds of silence after which a worker has left. */
const SILENCE_MS = 30_000;
/** Names that are kept; a flood of workers is no reason to run out of memory. */
const MOST_WORKERS = 10_000;

interface Known {
  readonly name: string;
  heardAt: number;
  /** When it answered last, or joined. */
  answeredAt: number;
  isPresent: boolean;
  /** A lease has run out in which it has answered nothing. */
  isSilent: boolean;
  isShutOut: boolean;
}

export class Workers {
  readonly #clock: () => number;
  readonly #say: (line: string) => void;
  readonly #known = new Map<string, Known>();

  /** @param clock  milliseconds */
  constructor(clock: () => number, say: (line: string) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  /** A message of a worker that says that it is there. @returns whether it is one */
  hearPresence(bytes: Uint8Array): boolean {
    try {
      const { worker, name } = decodePresence(bytes);
      this.hear(worker, name);
      return true;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      return false;
    }
  }

  /** A worker has said something. @param name  as it calls itself, where it says so */
  hear(worker: string, name?: string): void {
    const known = this.#known.get(worker);
    if (known === undefined) {
      if (name === undefined || this.#known.size >= MOST_WORKERS) return;
      const shown = `${name.replace(/[^\w.:-]/g, '?')} (${worker.slice(0, 4)})`;
      const now = this.#clock();
      const flags = { isPresent: true, isSilent: false, isShutOut: false };
      this.#known.set(worker, { name: shown, heardAt: now, answeredAt: now, ...flags });
      this.#say(`fleet: worker ${shown} has joined`);
      return;
    }
    known.heardAt = this.#clock();
    known.isPresent = !known.isShutOut;
  }

  /** A worker has answered a task. */
  answered(worker: string): void {
    this.hear(worker);
    const known = this.#known.get(worker);
    if (known !== undefined) Object.assign(known, { answeredAt: this.#clock(), isSilent: false });
  }

  /** A task waits that was given out at `since`: who has answered nothing from then on may have it, and counts no longer until it does. */
  missed(since: number): void {
    for (const known of this.#known.values()) {
      if (!known.isPresent || known.isSilent || known.answeredAt > since) continue;
      known.isSilent = true;
      this.#say(`fleet: worker ${known.name} has answered nothing while a task waited; the run no longer waits for it`);
    }
  }

  /** Whether one is there that takes tasks, as it seems, and answers none. */
  get isOneSilent(): boolean {
    const since = this.#clock() - SILENCE_MS;
    return [...this.#known.values()].some(
      ({ isSilent, isShutOut, heardAt }) => isSilent && !isShutOut && heardAt >= since,
    );
  }

  /** It no longer counts, whatever it says. */
  shutOut(worker: string): void {
    const known = this.#known.get(worker);
    if (known !== undefined) Object.assign(known, { isPresent: false, isShutOut: true });
  }

  /** How many there are. */
  get present(): number {
    const since = this.#clock() - SILENCE_MS;
    let count = 0;
    for (const known of this.#known.values()) {
      if (known.isPresent && known.heardAt < since) {
        known.isPresent = false;
        this.#say(`fleet: worker ${known.name} has left`);
      }
      if (known.isPresent && !known.isSilent) count++;
    }
    return count;
  }

  nameOf(worker: string): string {
    return `worker ${this.#known.get(worker)?.name ?? `(${worker.slice(0, 4)})`}`;
  }
}
