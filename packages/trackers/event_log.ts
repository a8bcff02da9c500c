/** The files of TensorBoard, which are logs of the run directory: a session writes them itself, in a browser too. */
import type { RunConfig } from '../../src/config/run_config.ts';
import type { EventLog } from '../../src/run/logs/run_logs.ts';
import type { Store } from '../../src/run/store/store.ts';

/** For `session`; undefined where the config asks for none. @param config  of the run */
export async function eventLogOf(config: RunConfig, store: Store): Promise<EventLog | undefined> {
  const { reportTo } = config;
  if (!reportTo.includes('tensorboard') && !reportTo.includes('all')) return undefined;
  return new (await import('./tensorboard.ts')).TensorBoardLog(store, config);
}
