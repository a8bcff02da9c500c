/**
 * A user's reporter, in a thread of its own: the run neither waits for it nor fails with it. It gets events in their
 * order, and what goes wrong in it is said once.
 */
import type { Tracker } from '../../../src/run/tracker.ts';
import { SandboxThread } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { openThread } from './own_thread.node.ts';
import type { ReporterStart } from './roles.ts';

/** Events that may wait for it: beyond, memory would fill with them. */
const MOST_WAITING = 2_000;
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Most seconds that it may take. */
export interface ReporterLimits {
  readonly load: number;
  /** At the end of a run, for the events that it was sent before. */
  readonly end: number;
}

/** Closes at the end of a run, however that ended. */
export interface ReporterThread extends Tracker {
  close(): Promise<void>;
}

/** @throws PluginError `rule; remedy` where the file cannot be loaded within some seconds, or exports no reporter */
export async function startReporter(
  start: Omit<ReporterStart, 'kind'>,
  limits: ReporterLimits,
): Promise<ReporterThread> {
  const reporter = `reporter ${start.reference.shown}`;
  const thread = openThread(
    { kind: 'reporter', ...start },
    (host) => new SandboxThread(host, { load: limits.load, score: NO_LIMIT }),
  );
  await thread.load(undefined);
  const notes: string[] = [];
  let told = Promise.resolve();
  let waiting = 0;
  let isOver = false;
  let hasFailed = false;
  /** It gets no more events. */
  const end = (why: string): void => {
    if (isOver) return;
    isOver = true;
    notes.push(`${reporter} ${why}. The run continues without it.`);
    void thread.close();
  };
  return {
    tell(event) {
      if (isOver) return;
      if (waiting >= MOST_WAITING) {
        end(`does not keep up: ${MOST_WAITING} events wait for it`);
        return;
      }
      waiting++;
      told = told.then(async () => {
        if (isOver) return;
        const answer = await thread.ask(NO_LIMIT, event);
        waiting--;
        if (answer.type === 'ended') end(answer.reason);
        if (answer.type !== 'reply' || hasFailed) return;
        const { reply } = answer;
        const failure = reply.type === 'threw' ? reply.thrown : reply.type === 'failed' ? reply.message : undefined;
        hasFailed = failure !== undefined;
        if (hasFailed)
          notes.push(`${reporter} failed: ${failure}. The run continues, and it gets the events that follow.`);
      });
    },
    notes: () => notes.splice(0),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limits.end * 1000);
      });
      await Promise.race([told, late]);
      clearTimeout(timer);
      if (waiting > 0) end(`takes longer than ${limits.end} s at the end of the run`);
      isOver = true;
      await thread.close();
    },
  };
}
