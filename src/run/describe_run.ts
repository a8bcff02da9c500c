/** What a directory that holds a run holds, in a few words. */
import { parseConfig } from '../config/load.ts';
import { RlvrError } from '../errors.ts';
import { newestCheckpoint } from './checkpoints.ts';
import type { Store } from './store.ts';

/** `a finished run of countdown, seed 0`; `a run of countdown, seed 0, saved at grpo-120`. */
export async function describeRun(store: Store): Promise<string> {
  const finished = await store.exists('summary.json');
  const newest = finished ? undefined : await newestCheckpoint(store);
  const state = finished ? '' : newest === undefined ? ', not saved yet' : `, saved at ${newest}`;
  return `${finished ? 'a finished run' : 'a run'}${await describeConfig(store)}${state}`;
}

async function describeConfig(store: Store): Promise<string> {
  const text = await store.read('config.yaml');
  if (text === undefined) return '';
  try {
    const { config } = parseConfig(new TextDecoder().decode(text), { file: 'config.yaml' });
    return ` of ${config.task.name}, seed ${config.seed}`;
  } catch (error) {
    if (error instanceof RlvrError) return ' whose config.yaml cannot be read'; // it may be of a later version
    throw error;
  }
}
