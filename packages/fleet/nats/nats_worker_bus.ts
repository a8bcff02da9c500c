/**
 * A worker's end on a NATS server. It asks by the plain requests that JetStream answers, so it needs no right to look at, change
 * or acknowledge anything: a lease that it does not answer in time ends by itself.
 */
import type { WorkerBus } from '../bus.ts';
import { CARDS_SUBJECT, INBOX_SUBJECT, isNobody, ownSubject, TASKS, WEIGHTS, WEIGHTS_SUBJECT } from './nats_names.ts';
import { OwnTasks } from './own_tasks.ts';

/** Milliseconds that a request may take on top of what it waits for. */
const SLACK_MS = 2000;
/** Milliseconds until a learner has replied, or is in the middle of an update. */
const REPLY_MS = 10_000;
const NANOSECONDS = 1_000_000;

/** A message as a worker reads it. */
export interface WorkerMessage {
  readonly data: Uint8Array;
  /** JetStream's status, where there is nothing. */
  readonly headers?: { readonly code: number } | undefined;
}

/** Called with each message of a subject. */
type Callback = (error: Error | null, message: WorkerMessage) => void;

/** What a worker needs of a connection. */
export interface WorkerConnection {
  subscribe(subject: string, options: { readonly callback: Callback }): unknown;
  publish(subject: string, payload: Uint8Array): void;
  request(
    subject: string,
    payload: Uint8Array | string,
    options: { readonly timeout: number; readonly noMux: true },
  ): Promise<WorkerMessage>;
  isClosed(): boolean;
  close(): Promise<void>;
}

/** @param role  the user that is connected: a visitor's answers are signed */
export function natsWorkerBus(connection: WorkerConnection, role: 'worker' | 'visitor'): WorkerBus {
  const signs = role === 'visitor';
  const ask = (
    subject: string,
    payload: Uint8Array | string,
    timeout: number,
  ): Promise<WorkerMessage | 'nobody' | undefined> =>
    // A task comes under the subject that it was given out under: only an inbox of its own tells whose answer it is.
    connection
      .request(subject, payload, { timeout, noMux: true })
      .catch((error: unknown) => nothingFrom(connection, error));
  const reply = async (subject: string, payload: Uint8Array): Promise<Uint8Array | 'nobody' | undefined> => {
    const message = await ask(subject, payload, REPLY_MS);
    return message === undefined || message === 'nobody' ? message : message.data;
  };
  const pull = async (run: string, wait: number): Promise<Uint8Array | 'over' | undefined> => {
    const request = JSON.stringify({ batch: 1, expires: wait * NANOSECONDS });
    const message = await ask(`$JS.API.CONSUMER.MSG.NEXT.${TASKS}.${run}`, request, wait + SLACK_MS);
    if (message === 'nobody') return 'over';
    return message === undefined || isStatus(message) ? undefined : message.data;
  };
  const own = new OwnTasks(pull, async (run, worker, hear) => {
    const callback: Callback = (error, message) => {
      if (error === null) hear(message.data);
    };
    connection.subscribe(await ownSubject(role, worker, run), { callback });
  });
  return {
    signs,
    listen: (worker) => own.listen(worker),
    onCard(hear) {
      connection.subscribe(`${CARDS_SUBJECT}.*`, {
        callback: (error, message) => {
          if (error === null) hear(message.data);
        },
      });
    },
    next: (run, wait) => own.next(run, wait),
    async readWeights(run, key, part) {
      const subject = `$JS.API.DIRECT.GET.${WEIGHTS}.${WEIGHTS_SUBJECT}.${run}.${key}.${part}`;
      const message = await ask(subject, '', REPLY_MS);
      return message === undefined || message === 'nobody' || isStatus(message) ? undefined : message.data;
    },
    present(run, presence) {
      if (!connection.isClosed()) connection.publish(`${INBOX_SUBJECT}.${run}.presence`, presence);
    },
    async answer(run, result) {
      const message = await reply(`${INBOX_SUBJECT}.${run}.${signs ? 'signed' : 'result'}`, result);
      return message === 'nobody' ? undefined : message;
    },
    askBase: (run, isMissing) => reply(`${INBOX_SUBJECT}.${run}.base`, Uint8Array.of(isMissing ? 1 : 0)),
    ask: (series, request) => reply(`${INBOX_SUBJECT}.${series}.series`, request),
    close: () => connection.close(),
  };
}

/** JetStream says that there is nothing by a status, and no message. */
function isStatus({ headers }: WorkerMessage): boolean {
  return headers !== undefined && headers.code >= 300;
}

/** What a request that failed comes to: nobody is there to answer it, or no answer came. @throws where the connection has ended */
function nothingFrom(connection: WorkerConnection, error: unknown): 'nobody' | undefined {
  if (connection.isClosed()) throw error;
  return isNobody(error) ? 'nobody' : undefined;
}
