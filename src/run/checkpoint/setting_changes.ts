/** `changes.jsonl`: settings that were changed while the run rested. Together with config.yaml they say how it came about. */

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

/** The run takes more steps than those after which it ended: it is no finished one any more. */
export async function reopenRun(store: Store): Promise<void> {
  await store.remove('summary.json');
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

/** Steps of the last stage as they were changed last; undefined where those of config.yaml hold. */
export async function changedSteps(store: Store): Promise<number | undefined> {
  if (!(await store.exists(FILE))) return undefined;
  const end = { stageIndex: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY };
  const steps = (await readChanges(store, end)).map(({ settings }) => settings?.max_steps);
  return steps.findLast((value) => typeof value === 'number');
}

/** As the command line's `--set`, for every grpo stage; steps are those of the last one. */
function settingOverrides(changes: readonly SettingChange[], lastStage: number): Override[] {
  return changes.flatMap(({ settings }) =>
    CHANGEABLE.flatMap((key) => {
      const value = settings[key];
      const place = key === 'max_steps' ? `stages.${lastStage}` : 'grpo';
      return value === undefined ? [] : [{ flag: key, assignment: `${place}.${key}=${value}` }];
    }),
  );
}

/** A config with the changes made. @throws ConfigError for a value that the config would refuse, too */
export function changedConfig(config: RunConfig, changes: readonly SettingChange[], registries: Registries): RunConfig {
  if (changes.length === 0) return config;
  const overrides = settingOverrides(changes, config.stages.length - 1);
  return parseConfig(resolvedYaml(config), { file: 'config.yaml', registries }, overrides).config;
}

/**
 * Gives the last stage another number of steps while the run rests, as of its checkpoint: one that was finished is no
 * longer so.
 *
 * @throws ConfigError where it has taken more than that
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
  const said = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
  return `${said.join(', ')} from step ${step + 1} on`;
}
