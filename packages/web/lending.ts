/** A tab that is lent to a fleet: a worker of its own samples for the runs of others, until it is ended. */
import type { LendingNews, LendOptions } from './lending_messages.ts';
import type { FromWorker, ToWorker } from './messages.ts';

import { type EngineWorker, startWorker } from './worker_run.ts';

export type { LendingNews, LendOptions } from './lending_messages.ts';

/** A tab that is lent. */
export interface Lending {
  /** Ends it at once. What was under way is given to another worker of the fleet. */
  stop(): void;
}

/**
 * Lends this tab: it samples completions for the runs of a fleet. It gets tokens and weights, runs none of their code, and
 * keeps nothing.
 *
 * @param tell  called with what is new
 * @param start  starts the engine's worker; default: this package's `engine_worker.js`
 */
export function lendTab(
  { pageProtocol = location.protocol, ...options }: LendOptions,
  tell: (news: LendingNews) => void,
  start: () => EngineWorker = startWorker,
): Lending {
  const worker = start();
  worker.addEventListener('message', ({ data }) => {
    const message = data as FromWorker; // engine_worker.ts sends no other
    if (message.type === 'lent') tell(message.news);
  });
  worker.addEventListener('error', ({ message }) =>
    tell({ state: 'failed', line: message || 'the worker could not be loaded' }),
  );
  worker.postMessage({ type: 'lend', options: { ...options, pageProtocol } } satisfies ToWorker);
  return { stop: () => worker.terminate() };
}
