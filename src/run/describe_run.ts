/** What the directory of a run says about it, in words. */
import { isMapping } from '../config/yaml/yaml_tree.ts';
import { newestCheckpoint } from './checkpoint/checkpoints.ts';
import { readFingerprint } from './fingerprint/fingerprint.ts';
import type { JsonObject } from './json.ts';
import { recordedTree } from './recorded_config.ts';
import type { Store } from './store/store.ts';
import { shownTaskName } from './task_names.ts';

/** `a finished run of countdown, seed 0`; `a run of countdown, seed 0, saved at grpo-120`. */
export async function describeRun(store: Store): Promise<string> {
  const tree = await recordedTree(store);
  const fingerprint = await readFingerprint(store).catch(() => undefined); // a damaged one is met where it matters
  const names = tree && taskNames(tree).map((name) => shownTaskName(name, fingerprint));
  const subject = names === undefined ? '' : ` of ${names.join(' + ')}, seed ${tree?.seed}`;
  if (await store.exists('summary.json')) return `a finished run${subject}`;
  const newest = await newestCheckpoint(store);
  return `a run${subject}, ${newest === undefined ? 'not saved yet' : `saved at ${newest}`}`;
}

function taskNames({ task, tasks }: JsonObject): string[] {
  const all = Array.isArray(tasks) ? tasks : [task];
  return all.flatMap((entry) => (isMapping(entry) ? [String(entry.name)] : typeof entry === 'string' ? [entry] : []));
}
