/** What a fingerprint says of the run itself, wherever it runs: its backend, seed and config. */
import type { ConfiguredModel } from '../../grpo/run.ts';
import { configHash } from '../session.ts';
import type { Fingerprint } from './fingerprint.ts';
import { mathematicsHash } from './mathematics.ts';

export type RunFingerprint = Pick<
  Fingerprint,
  'backend' | 'backendFeatures' | 'mathematics' | 'threads' | 'seed' | 'configHash' | 'base' | 'start'
>;

export async function runFingerprint({ config, engine: { policy }, base }: ConfiguredModel): Promise<RunFingerprint> {
  const { backend, features } = policy.engine;
  const { threads = 1, ...deciding } = features;
  return {
    backend,
    backendFeatures: Object.fromEntries(Object.entries(deciding).map(([name, value]) => [name, String(value)])),
    mathematics: await mathematicsHash(),
    threads: Number(threads),
    seed: config.seed,
    configHash: await configHash(config),
    ...(base && { base: base.files, start: base.shown }),
  };
}
