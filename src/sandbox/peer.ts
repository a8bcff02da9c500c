/** Packages that a sandbox is made of: optional peers, loaded when a task needs them. */
import { ConfigError } from '../errors.ts';

/**
 * What `load` gives.
 *
 * @param sandbox  what is made of the packages, for the message
 * @throws ConfigError with the line that installs them, where one is not there
 */
export async function loadPeers<T>(sandbox: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    const command = `npm install ${packages.join(' ')}`;
    const message = `the ${sandbox} needs ${packages.length > 1 ? 'packages that are' : 'a package that is'} not there; ${command}`;
    throw new ConfigError('no-sandbox', message, { sandbox, packages });
  }
}
