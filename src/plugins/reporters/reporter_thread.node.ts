/**
 * A user's reporter, in a thread of its own: what it does, and how long it takes, is nothing to the run. It gets events
 * in their order, and what goes wrong in it is said once.
 */
import type { Worker } from 'node:worker_threads';
import type { ReporterEvent } from '../../run/reporter_event.ts';
import type { Tracker } from '../../run/tracker.ts';
import { refusal } from '../module.node.ts';
import { endOf, startThread } from '../plugin_thread.node.ts';
import type { ReporterReply, ReporterStart } from './reporter_worker.node.ts';

/** Events that may wait for it: beyond, memory would fill with them. */
const MOST_WAITING = 2_000;
/** Most seconds that it may take. */
export interface ReporterLimits {
  readonly load: number;
  /** At the end of a run, for the events that it was sent before. */
  readonly end: number;
}

/** A reporter that was loaded. */
export interface StartedReporter {
  readonly tracker: Tracker;
  /** Ends its thread, whether it has all events or not. */
  close(): Promise<void>;
}

/** @throws PluginError `rule; remedy` where the file cannot be loaded within some seconds, or exports no reporter */
export async function startReporter(start: ReporterStart, limits: ReporterLimits): Promise<StartedReporter> {
  const thread = startThread('reporters/reporter_worker.node', start);
  // What it prints must not end up in a run's own output, which a script may read.
  thread.stdout.pipe(process.stderr, { end: false });
  const reporter = new ReporterThread(thread, start.reference.shown, limits.end);
  try {
    await reporter.loaded(limits.load);
  } catch (error) {
    await thread.terminate();
    throw error;
  }
  return { tracker: reporter, close: async () => void (await thread.terminate()) };
}

class ReporterThread implements Tracker {
  readonly #thread: Worker;
  readonly #shown: string;
  readonly #endSeconds: number;
  readonly #notes: string[] = [];
  #waiting = 0;
  #isOver = false;
  #hasFailed = false;
  #last: ReporterEvent['type'] | undefined;
  /** Called at each reply, and at the end of the thread. */
  #replied: (reply: ReporterReply | undefined) => void = () => {};

  constructor(thread: Worker, shown: string, endSeconds: number) {
    this.#thread = thread;
    this.#shown = shown;
    this.#endSeconds = endSeconds;
    thread.on('message', (reply: ReporterReply) => this.#receive(reply));
    thread.on('error', (cause: NodeJS.ErrnoException) => this.#end(endOf(cause)));
    thread.on('exit', (code) => this.#end(`ended its thread by process.exit(${code})`));
  }

  loaded(seconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(refusal(`does not finish loading within ${seconds} s; correct it`));
      const timer = setTimeout(late, seconds * 1000);
      this.#replied = (reply) => {
        clearTimeout(timer);
        this.#replied = () => {};
        if (reply?.type === 'ready') resolve();
        else if (reply?.type === 'refused') reject(refusal(reply.rule));
        else reject(refusal(`${this.#notes.splice(0).join('; ')}; correct it`));
      };
    });
  }

  tell(event: ReporterEvent): void {
    if (this.#isOver) return;
    if (this.#waiting >= MOST_WAITING) {
      this.#end(`does not keep up: ${MOST_WAITING} events wait for it`);
      void this.#thread.terminate();
      return;
    }
    this.#waiting++;
    this.#last = event.type;
    this.#thread.postMessage(event);
  }

  notes(): string[] {
    return this.#notes.splice(0);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      const limit = setTimeout(() => {
        this.#end(`takes longer than ${this.#endSeconds} s at the end of the run`);
        resolve();
      }, this.#endSeconds * 1000);
      const look = (): void => {
        if (this.#waiting > 0 && !this.#isOver) return;
        clearTimeout(limit);
        resolve();
      };
      this.#replied = look;
      look();
    });
    this.#isOver = true;
    await this.#thread.terminate();
  }

  #receive(reply: ReporterReply): void {
    if (reply.type === 'done' || reply.type === 'failed') this.#waiting--;
    if (reply.type === 'failed' && !this.#hasFailed) {
      this.#hasFailed = true;
      this.#say(`failed: ${reply.message}. The run continues, and it gets the events that follow`);
    }
    this.#replied(reply);
  }

  /** It gets no more events. */
  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#last === undefined) this.#notes.push(why);
    else this.#say(`${why}. The run continues without it`);
    this.#replied(undefined);
  }

  #say(what: string): void {
    this.#notes.push(`reporter ${this.#shown} ${what}.`);
  }
}
