/** The fingerprint of an open run: its backend, seed and config, and the machine around it. */
import type { TrainingRun } from '../grpo/run.ts';
import { collectFingerprint } from './fingerprint.node.ts';
import type { Fingerprint } from './fingerprint.ts';
import { configHash } from './session.ts';

/** @param modules  SHA-256 of the user's files by their name in the config; `openPlugins` gives them */
export async function fingerprintOf(
  { config, policy }: TrainingRun,
  modules: Readonly<Record<string, string>> = {},
): Promise<Fingerprint> {
  const { backend, features } = policy.engine;
  const { threads = 1, ...deciding } = features;
  return collectFingerprint({
    backend,
    backendFeatures: Object.fromEntries(Object.entries(deciding).map(([name, value]) => [name, String(value)])),
    threads: Number(threads),
    seed: config.seed,
    configHash: await configHash(config),
    modules,
  });
}
