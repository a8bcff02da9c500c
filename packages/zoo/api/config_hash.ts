/** Apart from the library's other functions: it needs what keeps a run, which most programs do not load. */
import type { RunConfig } from '../../../src/config/run_config.ts';
import { configHash as configHashOf } from '../../../src/run/session.ts';
import { ALL_TASKS } from '../lists/all_tasks.ts';

/** Hash of everything in the config that decides bits. */
export function configHash(config: RunConfig): Promise<string> {
  return configHashOf(config, ALL_TASKS);
}
