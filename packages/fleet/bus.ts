/**
 * What carries messages between a learner and its workers: a server in between, or this process. It may lose, double, delay
 * and reorder them, and forget all that it holds; the learner gives out again what has no answer.
 */

/** The learner's end, for one run. */
export interface LearnerBus {
  /**
   * Opens the run's place; what an earlier session left there is gone.
   * @param lease  milliseconds after which a task that was taken and not answered is given to another worker
   * @throws FleetError `fleet-run-taken` where another learner has it
   */
  open(run: string, lease: number, hear: LearnerEars): Promise<void>;
  /** Says to all workers, those that join later included, what the run is. */
  announce(card: Uint8Array): void;
  /** @throws FleetError where it was not stored */
  putWeights(key: string, part: number, bytes: Uint8Array): Promise<void>;
  /** Forgets weights, where it can. */
  dropWeights(key: string): Promise<void>;
  /** Gives a task out, in the place of one of the same number. @throws FleetError where it was not stored */
  give(task: number, bytes: Uint8Array): Promise<void>;
  /**
   * Offers a task to one worker, past all others.
   * @returns false where it is not there; it may be lost all the same
   */
  offer(to: Receiver, bytes: Uint8Array): Promise<boolean>;
  /** Takes a task back that was given out, where it can. */
  drop(task: number): Promise<void>;
  /** For tasks that are taken from now on. */
  setLease(lease: number): Promise<void>;
  /** Leaves, and clears the run's place. */
  close(): Promise<void>;
}

/** A worker that a task is offered to. */
export interface Receiver {
  readonly worker: string;
  /** It came by a bus that signs. */
  readonly signs: boolean;
}

/** What a learner is called with. The functions are called when messages come, and must not take long. */
export interface LearnerEars {
  /** A worker is there. */
  presence(bytes: Uint8Array): void;
  /** A worker's answer. @returns the reply to it */
  result(bytes: Uint8Array): Uint8Array;
  /** The answer of a worker that signs. @returns the reply to it */
  signed?(bytes: Uint8Array): Promise<Uint8Array>;
  /** A worker asks for the base model. @param isMissing  it has looked, and a piece is not there; absent: there is none to send */
  base?(isMissing: boolean): Uint8Array;
  /** What a worker asks of a series. @returns the reply to it; absent: the run is none */
  series?(bytes: Uint8Array): Promise<Uint8Array>;
  /** The server was away: what it held may be gone. */
  restart(): void;
}

/** A worker's end, for all runs. */
export interface WorkerBus {
  /** Nobody vouches for who comes this way: answers are signed. */
  readonly signs: boolean;
  /** Calls with the card of each run, again and again. */
  onCard(hear: (card: Uint8Array) => void): void;
  /** Takes tasks that are offered to this worker, too: they come before those that are for all. */
  listen(worker: string): void;
  /**
   * The next task of a run, once there is one.
   * @returns undefined where there was none for `wait` milliseconds; 'over' where the run has no place any more
   */
  next(run: string, wait: number): Promise<Uint8Array | 'over' | undefined>;
  /** Undefined where it is not there. */
  readWeights(run: string, key: string, part: number): Promise<Uint8Array | undefined>;
  /** Says that the worker is there. */
  present(run: string, presence: Uint8Array): void;
  /** @param result  signed, where the bus asks for it @returns the learner's reply; undefined where nobody replied */
  answer(run: string, result: Uint8Array): Promise<Uint8Array | undefined>;
  /** Asks for the base model. @param isMissing  a piece of it is not there @returns as of `ask` */
  askBase(run: string, isMissing: boolean): Promise<Uint8Array | 'nobody' | undefined>;
  /** Asks something of a series. @returns the learner's reply; 'nobody' where it is not there, undefined where it does not reply */
  ask(series: string, request: Uint8Array): Promise<Uint8Array | 'nobody' | undefined>;
  close(): Promise<void>;
}
