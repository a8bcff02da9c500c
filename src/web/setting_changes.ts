/** `changes.jsonl`: settings that were changed while the run rested. Together with config.yaml they say how it came about. */
import type { Override } from '../config/overrides.ts';
import { parseJsonObject } from '../run/json.ts';
import type { Store } from '../run/store.ts';
import { CHANGEABLE, type SettingChange } from './browser_run.ts';

const FILE = 'changes.jsonl';

export async function writeChange(store: Store, change: SettingChange): Promise<void> {
  await store.append(FILE, `${JSON.stringify(change)}\n`);
  await store.sync(FILE);
}

/** Changes up to a position, oldest first; a line that a crash cut short is none. */
export async function readChanges(
  store: Store,
  position: { readonly stageIndex: number; readonly step: number },
): Promise<SettingChange[]> {
  const lines = new TextDecoder().decode(await store.read(FILE)).split('\n');
  return lines.flatMap((line) => {
    const record = line === '' ? undefined : parseJsonObject(new TextEncoder().encode(line));
    const change = record as SettingChange | undefined; // written by writeChange; the settings are validated on use
    if (change === undefined) return [];
    const isLater =
      change.stageIndex > position.stageIndex ||
      (change.stageIndex === position.stageIndex && change.step > position.step);
    return isLater ? [] : [change];
  });
}

/** As the command line's `--set`, for every grpo stage. */
export function settingOverrides(changes: readonly SettingChange[]): Override[] {
  return changes.flatMap(({ settings }) =>
    CHANGEABLE.flatMap((key) => {
      const value = settings[key];
      return value === undefined ? [] : [{ flag: key, assignment: `grpo.${key}=${value}` }];
    }),
  );
}
