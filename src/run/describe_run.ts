/** What the directory of a run says about it. */
import { parseConfig } from '../config/load.ts';
import type { RunConfig } from '../config/run_config.ts';
import { RlvrError } from '../errors.ts';
import { newestCheckpoint } from './checkpoint/checkpoints.ts';
import { readFingerprint } from './fingerprint/fingerprint.ts';
import type { Store } from './store/store.ts';
import { shownTaskName } from './task_names.ts';

/** `a finished run of countdown, seed 0`; `a run of countdown, seed 0, saved at grpo-120`. */
export async function describeRun(store: Store): Promise<string> {
  const config = await recordedConfig(store);
  const fingerprint = await readFingerprint(store).catch(() => undefined); // a damaged one is met where it matters
  const names = config?.tasks.map(({ task }) => shownTaskName(task.name, fingerprint));
  const what = config === undefined ? '' : ` of ${names?.join(' + ')}, seed ${config.seed}`;
  if (await store.exists('summary.json')) return `a finished run${what}`;
  const newest = await newestCheckpoint(store);
  return `a run${what}, ${newest === undefined ? 'not saved yet' : `saved at ${newest}`}`;
}

/** The config that the run was started with; undefined where config.yaml is missing, damaged or of another version. */
export async function recordedConfig(store: Store): Promise<RunConfig | undefined> {
  const text = await store.read('config.yaml');
  if (text === undefined) return undefined;
  try {
    return parseConfig(new TextDecoder().decode(text), { file: 'config.yaml' }).config;
  } catch (error) {
    if (error instanceof RlvrError) return undefined;
    throw error;
  }
}
