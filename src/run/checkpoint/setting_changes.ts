/** `changes.jsonl`: settings changed at step boundaries. Together with config.yaml they reproduce the run. */

import { resolvedYaml } from '../../config/dump.ts';
import { parseConfig } from '../../config/load.ts';
import type { Override } from '../../config/overrides.ts';
import type { Registries } from '../../config/registries.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { ConfigError } from '../../errors.ts';
import { counted } from '../../format.ts';
import type { TrainingRun } from '../../grpo/run.ts';
import { parseJsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';

/** Settings that may be changed within a run, under their YAML keys; another `max_steps` takes a finished run further. */
export const CHANGEABLE = [
  'learning_rate',
  'temperature',
  'entropy_coef',
  'epsilon',
  'epsilon_high',
  'max_steps',
] as const;
/** One of these keys. */
export type Changeable = (typeof CHANGEABLE)[number];

/** Settings that were changed at a step boundary: a line of changes.jsonl. */
export interface SettingChange {
  readonly stageIndex: number;
  readonly step: number;
  readonly settings: Readonly<Partial<Record<Changeable, number>>>;
}

const FILE = 'changes.jsonl';

export async function writeChange(store: Store, change: SettingChange): Promise<void> {
  await store.append(FILE, `${JSON.stringify(change)}\n`);
  await store.sync(FILE);
}

/** Reopens a finished run that is to take more steps. */
export async function reopenRun(store: Store): Promise<void> {
  await store.remove('summary.json');
}

/** Changes up to a position, oldest first, without a line that a crash cut short. */
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

/** Steps of the last stage by the newest change; undefined if config.yaml's still apply. */
export async function changedSteps(store: Store): Promise<number | undefined> {
  if (!(await store.exists(FILE))) return undefined;
  const end = { stageIndex: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY };
  const steps = (await readChanges(store, end)).map(({ settings }) => settings?.max_steps);
  return steps.findLast((value) => typeof value === 'number');
}

/** Changes as `--set` overrides for every grpo stage; steps apply to the last stage. */
function settingOverrides(changes: readonly SettingChange[], lastStage: number): Override[] {
  return changes.flatMap(({ settings }) =>
    CHANGEABLE.flatMap((key) => {
      const value = settings[key];
      const place = key === 'max_steps' ? `stages.${lastStage}` : 'grpo';
      return value === undefined ? [] : [{ flag: key, assignment: `${place}.${key}=${value}` }];
    }),
  );
}

/** The config with the changes applied. @throws ConfigError for a value that the config would refuse, too */
export function changedConfig(config: RunConfig, changes: readonly SettingChange[], registries: Registries): RunConfig {
  if (changes.length === 0) return config;
  const overrides = settingOverrides(changes, config.stages.length - 1);
  return parseConfig(resolvedYaml(config), { file: 'config.yaml', registries }, overrides).config;
}

/**
 * Changes the steps of the last stage, as of the run's checkpoint, and reopens a finished run.
 *
 * @throws ConfigError if it has taken more steps already
 */
export async function changeSteps(
  store: Store,
  { config, journal, registries }: TrainingRun,
  steps: number,
): Promise<void> {
  const { stageIndex, step } = journal.state;
  const last = config.stages.length - 1;
  const changes = await readChanges(store, journal.state);
  const { maxSteps } = changedConfig(config, changes, registries).stages[last].optimizer;
  if (steps === maxSteps) return;
  if (stageIndex === last && steps <= step) {
    throw new ConfigError(
      'max_steps',
      `max_steps: ${steps} — the run has taken ${counted(step, 'step')} of its last stage; give more.`,
    );
  }
  await writeChange(store, { stageIndex, step, settings: { max_steps: steps } });
  await reopenRun(store);
}

/** `learning_rate 0.0002 from step 41 on`. */
export function describeChange({ step, settings }: SettingChange): string {
  const assignments = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
  return `${assignments.join(', ')} from step ${step + 1} on`;
}
