/** Packages that a sandbox is made of: optional peers, loaded when a task needs them. */
import { ConfigError } from '../../../src/errors.ts';

/**
 * What `load` gives.
 *
 * @param sandbox  what is made of the packages, for the message
 * @throws ConfigError with the line that installs them, where one is not there; in a page, which has what it was built
 *         with, with what to do instead
 */
export async function loadPeers<T>(sandbox: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    const needs = `the ${sandbox} needs ${packages.length > 1 ? 'packages that are' : 'a package that is'} not`;
    const isNode = globalThis.process?.versions?.node !== undefined;
    const message = isNode
      ? `${needs} there; npm install ${packages.join(' ')}`
      : `${needs} in this page; choose another task, or train this one with the command (npm install rlvr-train ${packages.join(' ')})`;
    throw new ConfigError('no-sandbox', message, { sandbox, packages });
  }
}
