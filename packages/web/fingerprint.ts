/** The fingerprint of a run in a browser; what a browser keeps to itself is `not told`. */
import type { ConfiguredModel } from '../../src/grpo/run.ts';
import type { Fingerprint } from '../../src/run/fingerprint/fingerprint.ts';
import { runFingerprint } from '../../src/run/fingerprint/run_fingerprint.ts';
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';

/** Put in by the bundler of the worker (tools/build_web.mjs). */
declare const PACKAGE_VERSION: string;

/** @param modules  SHA-256 of the code and the rows that the page gave, by name */
export async function browserFingerprint(
  run: ConfiguredModel,
  modules: Readonly<Record<string, string>>,
): Promise<Fingerprint> {
  const browser = browserName(globalThis.navigator?.userAgent ?? '');
  return {
    packageVersion: PACKAGE_VERSION,
    ...(await runFingerprint(run)),
    engine: browser,
    runtime: browser,
    platform: 'browser',
    arch: 'not told',
    cpuModel: 'not told',
    gitCommit: null,
    ...(Object.keys(modules).length > 0 && { modules }),
  };
}

/** `chrome 142` from a user agent: name and main version of the engine's browser. */
export function browserName(userAgent: string): string {
  const [, name, version] = /(Firefox|Chrome|Version)\/(\d+)/.exec(userAgent) ?? [];
  if (name === undefined) return 'unknown browser';
  return `${name === 'Version' ? 'safari' : name.toLowerCase()} ${version}`;
}

/** SHA-256 of the code of a visitor's, by name. */
export async function hashesOf(codes: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const list = Object.entries(codes).map(
    async ([name, code]) => [name, await sha256Hex(new TextEncoder().encode(code))] as const,
  );
  return Object.fromEntries(await Promise.all(list));
}
