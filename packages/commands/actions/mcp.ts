/** `rlvr-train mcp`: standard output has the protocol alone. */
import { existsSync } from 'node:fs';
import { ConfigError } from '../../../src/errors.ts';
import { packageVersion } from '../../../src/run/fingerprint/fingerprint.node.ts';
import { AgentFolder } from '../mcp/folder.ts';
import { serveAgents } from '../mcp/server.ts';

/** @throws ConfigError where there is no such folder, or the SDK is not installed */
export async function mcpCommand({ folder = '.' }: { readonly folder?: string }): Promise<void> {
  if (!existsSync(folder)) {
    throw new ConfigError('no-folder', `--folder ${folder} — there is no such directory; make it first.`, { folder });
  }
  await serveAgents(new AgentFolder(folder, process.argv[1] ?? ''), packageVersion());
}
