/**
 * A user's reporter, in a thread of its own: what it does, and how long it takes, is nothing to the run. It gets events
 * in their order, and what goes wrong in it is said once.
 */
import type { SandboxAnswer } from '../../../src/rewards/sandbox/sandbox_thread.ts';
import { SandboxThread } from '../../../src/rewards/sandbox/sandbox_thread.ts';
import type { ReporterEvent } from '../../../src/run/reporter_event.ts';
import type { Tracker } from '../../../src/run/tracker.ts';
import { openThread } from './own_thread.node.ts';
import type { ReporterStart } from './roles.ts';

/** Events that may wait for it: beyond, memory would fill with them. */
const MOST_WAITING = 2_000;

/** Most seconds that it may take. */
export interface ReporterLimits {
  readonly load: number;
  /** At the end of a run, for the events that it was sent before. */
  readonly end: number;
}

/** @throws PluginError `rule; remedy` where the file cannot be loaded within some seconds, or exports no reporter */
export async function startReporter(
  start: Omit<ReporterStart, 'kind'>,
  limits: ReporterLimits,
): Promise<ReporterThread> {
  const { shown } = start.reference;
  const thread = openThread(
    { kind: 'reporter', ...start },
    (host) => new SandboxThread(host, { load: limits.load, score: Number.POSITIVE_INFINITY }),
  );
  try {
    await thread.load(undefined);
    return new ReporterThread(thread, shown, limits.end);
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** A reporter that was loaded. */
export class ReporterThread implements Tracker {
  readonly #thread: SandboxThread;
  readonly #shown: string;
  readonly #endSeconds: number;
  readonly #notes: string[] = [];
  #told: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOver = false;
  #hasFailed = false;

  constructor(thread: SandboxThread, shown: string, endSeconds: number) {
    this.#thread = thread;
    this.#shown = shown;
    this.#endSeconds = endSeconds;
  }

  tell(event: ReporterEvent): void {
    if (this.#isOver) return;
    if (this.#waiting >= MOST_WAITING) {
      this.#end(`does not keep up: ${MOST_WAITING} events wait for it`);
      return;
    }
    this.#waiting++;
    this.#told = this.#told.then(async () => {
      if (this.#isOver) return;
      this.#hear(await this.#thread.ask(Number.POSITIVE_INFINITY, event));
      this.#waiting--;
    });
  }

  notes(): string[] {
    return this.#notes.splice(0);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#endSeconds * 1000);
    });
    await Promise.race([this.#told, late]);
    clearTimeout(timer);
    if (this.#waiting > 0) this.#end(`takes longer than ${this.#endSeconds} s at the end of the run`);
    this.#isOver = true;
    await this.#thread.close();
  }

  #hear(answer: SandboxAnswer): void {
    if (answer.type === 'ended') this.#end(answer.reason);
    if (answer.type !== 'reply' || this.#hasFailed) return;
    const { reply } = answer;
    const failed = reply.type === 'threw' ? reply.thrown : reply.type === 'failed' ? reply.message : undefined;
    if (failed === undefined) return;
    this.#hasFailed = true;
    this.#notes.push(
      `reporter ${this.#shown} failed: ${failed}. The run continues, and it gets the events that follow.`,
    );
  }

  /** It gets no more events. */
  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#notes.push(`reporter ${this.#shown} ${why}. The run continues without it.`);
    void this.#thread.close();
  }
}
