/** The fingerprint of an open run: its backend, seed and config, and the machine around it. */
import type { ConfiguredModel } from '../../grpo/run.ts';
import { collectFingerprint } from './fingerprint.node.ts';
import type { Fingerprint } from './fingerprint.ts';
import { runFingerprint } from './run_fingerprint.ts';

/**
 * Everything that decides the bits of a run on this machine: version, platform, config, files.
 *
 * @param modules  SHA-256 of the user's files by their name in the config; `openPlugins` gives them
 */
export async function fingerprintOf(
  run: ConfiguredModel,
  modules: Readonly<Record<string, string>> = {},
): Promise<Fingerprint> {
  return collectFingerprint({ ...(await runFingerprint(run)), modules });
}
