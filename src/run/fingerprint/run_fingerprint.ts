/** The part of a fingerprint that does not depend on the machine: backend, seed and config. */
import type { ConfiguredModel } from '../../grpo/run.ts';
import { isModuleFile } from '../../rewards/module_file.ts';
import { configHash } from '../session.ts';
import { type Fingerprint, SUMS } from './fingerprint.ts';
import { mathematicsHash } from './mathematics.ts';

export type RunFingerprint = Pick<
  Fingerprint,
  | 'backend'
  | 'backendFeatures'
  | 'mathematics'
  | 'sums'
  | 'threads'
  | 'seed'
  | 'configHash'
  | 'base'
  | 'models'
  | 'start'
  | 'taskNames'
  | 'sandboxes'
>;

export async function runFingerprint({
  config,
  engine: { policy, tasks },
  registries,
  base,
  models = {},
}: ConfiguredModel): Promise<RunFingerprint> {
  const { backend, features } = policy.engine;
  const { threads = 1, ...deciding } = features;
  const named = config.tasks.flatMap(({ task: { name } }, i) =>
    isModuleFile(name) ? [[name, tasks.shares[i].task.name] as const] : [],
  );
  const sandboxes = tasks.shares.flatMap(({ task: { sandboxEngine } }) =>
    sandboxEngine === undefined ? [] : [[sandboxEngine.name, sandboxEngine.version] as const],
  );
  const further = Object.entries(models).flatMap(([name, { files }]) =>
    Object.entries(files).map(([file, hash]) => [`${name}/${file}`, hash] as const),
  );
  return {
    backend,
    backendFeatures: Object.fromEntries(Object.entries(deciding).map(([name, value]) => [name, String(value)])),
    mathematics: await mathematicsHash(),
    sums: SUMS,
    threads: Number(threads),
    seed: config.seed,
    configHash: await configHash(config, registries.tasks),
    ...(base && { base: base.files, start: base.shown }),
    ...(further.length > 0 && { models: Object.fromEntries(further) }),
    ...(named.length > 0 && { taskNames: Object.fromEntries(named) }),
    ...(sandboxes.length > 0 && { sandboxes: Object.fromEntries(sandboxes) }),
  };
}
