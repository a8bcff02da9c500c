/**
 * The learner's end on a NATS server: a stream of tasks with a pull consumer for each run, whose acknowledgement wait is the
 * lease, and a stream of weights that is read message by message. All of it is a cache: after a restart of the server, with its
 * files or without, everything is put there again.
 */
import type { JetStreamClient, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { FleetError } from '../../../src/errors.ts';
import type { LearnerBus, LearnerEars, Receiver } from '../bus.ts';
import {
  CARDS_SUBJECT,
  CLAIMS_SUBJECT,
  INBOX_SUBJECT,
  isNobody,
  ownSubject,
  TASKS,
  TASKS_SUBJECT,
  WEIGHTS,
  WEIGHTS_SUBJECT,
} from './nats_names.ts';

const NANOSECONDS = 1_000_000;
/** Nanoseconds after which a server forgets what nobody has cleared. */
const DAY = 24 * 3600 * 1000 * NANOSECONDS;
/** Copies of what a cluster holds: one of its servers may be lost at any moment. */
const REPLICAS = 3;
/** Milliseconds for another learner of the run to say that it is there. */
const CLAIM_MS = 1000;
/** Milliseconds for a server to say that nobody listens. */
const OFFER_MS = 2000;

/** The streams of a fleet. */
const STREAMS = [
  { name: TASKS, subjects: [`${TASKS_SUBJECT}.>`], max_age: DAY },
  { name: WEIGHTS, subjects: [`${WEIGHTS_SUBJECT}.>`], max_age: DAY, max_msgs_per_subject: 1, allow_direct: true },
] as const;

export class NatsLearnerBus implements LearnerBus {
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #sequences = new Map<number, number>();
  #run = '';
  #lease = 0;
  /** The streams and the consumer, as far as is known. */
  #place: Promise<void> | undefined;
  #isClosing = false;

  constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.#connection = connection;
    this.#manager = manager;
    this.#client = manager.jetstream();
  }

  async open(run: string, lease: number, hear: LearnerEars): Promise<void> {
    this.#run = run;
    this.#lease = lease;
    await this.#claim();
    await this.#prepare();
    this.#listen(`${CLAIMS_SUBJECT}.${run}`, (message) => message.respond(''));
    this.#listen(`${INBOX_SUBJECT}.${run}.presence`, (message) => hear.presence(message.data));
    this.#listen(`${INBOX_SUBJECT}.${run}.result`, (message) => message.respond(hear.result(message.data)));
    const { signed, base, series } = hear;
    if (signed !== undefined) this.#answer('signed', (message) => signed(message.data));
    if (base !== undefined) this.#answer('base', async (message) => base(message.data[0] === 1));
    if (series !== undefined) this.#answer('series', (message) => series(message.data));
    void this.#watch(hear);
  }

  announce(card: Uint8Array): void {
    if (!this.#connection.isClosed()) this.#connection.publish(`${CARDS_SUBJECT}.${this.#run}`, card);
  }

  putWeights(key: string, part: number, bytes: Uint8Array): Promise<void> {
    return this.#stored(async () => {
      await this.#client.publish(`${WEIGHTS_SUBJECT}.${this.#run}.${key}.${part}`, bytes);
    });
  }

  dropWeights(key: string): Promise<void> {
    return this.#ifItCan(() =>
      this.#manager.streams.purge(WEIGHTS, { filter: `${WEIGHTS_SUBJECT}.${this.#run}.${key}.*` }),
    );
  }

  async give(task: number, bytes: Uint8Array): Promise<void> {
    await this.drop(task);
    await this.#stored(async () => {
      const { seq } = await this.#client.publish(`${TASKS_SUBJECT}.${this.#run}.${task}`, bytes);
      this.#sequences.set(task, seq);
    });
  }

  async offer({ worker, signs }: Receiver, bytes: Uint8Array): Promise<boolean> {
    const subject = await ownSubject(signs ? 'visitor' : 'worker', worker, this.#run);
    // A worker has no right to say anything here: silence is that of one that is there.
    return await this.#connection.request(subject, bytes, { timeout: OFFER_MS }).then(
      () => true,
      (error) => !isNobody(error) && !this.#connection.isClosed(),
    );
  }

  async drop(task: number): Promise<void> {
    const sequence = this.#sequences.get(task);
    if (sequence === undefined) return;
    this.#sequences.delete(task);
    await this.#ifItCan(() => this.#manager.streams.deleteMessage(TASKS, sequence, false));
  }

  async setLease(lease: number): Promise<void> {
    this.#lease = lease;
    await this.#ifItCan(() => this.#manager.consumers.update(TASKS, this.#run, { ack_wait: lease * NANOSECONDS }));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#ifItCan(() => this.#manager.consumers.delete(TASKS, this.#run));
    await this.#ifItCan(() => this.#clear());
    await this.#connection.close();
  }

  /** @throws FleetError where another learner has the run */
  async #claim(): Promise<void> {
    const subject = `${CLAIMS_SUBJECT}.${this.#run}`;
    // One that is in the middle of an update does not reply, and has it all the same.
    const isFree = await this.#connection.request(subject, '', { timeout: CLAIM_MS }).then(() => false, isNobody);
    if (isFree) return;
    const rule =
      'another learner has this run under way on this server; end that one, or give this run another --output';
    throw new FleetError('fleet-run-taken', `--fleet: ${rule}.`, { run: this.#run });
  }

  /** Makes the run's place, and clears it. */
  #prepare(): Promise<void> {
    this.#sequences.clear();
    const place = this.#make();
    place.catch(() => {
      if (this.#place === place) this.#place = undefined;
    });
    this.#place = place;
    return place;
  }

  async #make(): Promise<void> {
    try {
      for (const stream of STREAMS) await this.#addStream(stream as unknown as StreamConfig); // subjects are read only
      await this.#clear();
      await this.#manager.consumers.delete(TASKS, this.#run).catch(() => undefined); // mostly there is none
      await this.#manager.consumers.add(TASKS, {
        durable_name: this.#run,
        ack_policy: 'explicit',
        ack_wait: this.#lease * NANOSECONDS,
        filter_subject: `${TASKS_SUBJECT}.${this.#run}.>`,
        max_ack_pending: -1,
        inactive_threshold: DAY,
      });
    } catch (error) {
      throw refused(error);
    }
  }

  async #addStream(stream: StreamConfig): Promise<void> {
    const isThere = await this.#manager.streams.info(stream.name).then(
      () => true,
      () => false,
    );
    const isCluster = this.#connection.info?.cluster !== undefined;
    if (!isThere) await this.#manager.streams.add({ ...stream, ...(isCluster && { num_replicas: REPLICAS }) });
  }

  async #clear(): Promise<void> {
    await this.#manager.streams.purge(TASKS, { filter: `${TASKS_SUBJECT}.${this.#run}.>` });
    await this.#manager.streams.purge(WEIGHTS, { filter: `${WEIGHTS_SUBJECT}.${this.#run}.>` });
  }

  /** @throws FleetError where the server does not store it; the place is made again before the next attempt */
  async #stored(work: () => Promise<void>): Promise<void> {
    await (this.#place ?? this.#prepare());
    try {
      await work();
    } catch (error) {
      this.#place = undefined;
      throw refused(error);
    }
  }

  /** Replies to what workers ask below this name, once it is known. */
  #answer(name: string, reply: (message: Msg) => Promise<Uint8Array>): void {
    this.#listen(`${INBOX_SUBJECT}.${this.#run}.${name}`, (message) => {
      void reply(message).then((bytes) => this.#connection.isClosed() || message.respond(bytes));
    });
  }

  #listen(subject: string, hear: (message: Msg) => void): void {
    this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) hear(message);
      },
    });
  }

  /** What only tidies up: where the server is away, there is nothing to tidy. */
  async #ifItCan(work: () => Promise<unknown>): Promise<void> {
    if (this.#connection.isClosed()) return;
    await work().catch(() => undefined);
  }

  /** A server that was away may have lost its files. */
  async #watch(hear: LearnerEars): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type !== 'reconnect' || this.#isClosing) continue;
      this.#place = undefined;
      hear.restart();
    }
  }
}

function refused(error: unknown): FleetError {
  if (error instanceof FleetError) return error;
  const { message: said, name } = error as Error;
  const message = said.replace(/\s+/g, ' ');
  const isFull = /maximum|insufficient|exceeded|limit/i.test(message);
  const isForbidden = name === 'PermissionViolationError' || /permissions violation/i.test(message);
  const remedy = isFull
    ? 'give it more room'
    : isForbidden
      ? 'connect as the user learner'
      : 'the run continues as soon as it does';
  return new FleetError('fleet-server', `the NATS server does not take what it is given (${message}); ${remedy}.`);
}
