/** `rlvr-train ui [FOLDER]`: the runs of a folder as pages, on this machine alone, until Ctrl-C. */
import { existsSync } from 'node:fs';
import { print } from '../../../src/cli/display/output.ts';
import { ConfigError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { ended } from '../process/ended.ts';
import type { UiMessage } from '../process/served_training.ts';
import { startUi } from '../ui/server.ts';

const DEFAULT_FOLDER = 'runs';

/** @throws ConfigError where there is no such folder, or the port is taken */
export async function uiCommand(folder: string | undefined, { port }: { readonly port?: number }): Promise<void> {
  const directory = folder ?? DEFAULT_FOLDER;
  if (folder !== undefined && !existsSync(directory)) {
    const rule = 'no such folder; give one that holds runs';
    throw new ConfigError('no-folder', `${printable(directory)} — ${rule}.`, { folder: directory });
  }
  const server = await startUi({ folder: directory, port });
  if (process.send !== undefined) {
    const message: UiMessage = { url: server.url };
    process.send(message);
    await parentGone();
  } else {
    print(`the runs in ${printable(directory)}: ${server.url}`);
    print('on this machine alone, by this address alone; Ctrl-C ends it, and no run');
    await ended();
  }
  await server.close();
}

/** A training that started this server is over. Ctrl-C in its terminal comes here too, and ends nothing by itself. */
function parentGone(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  return new Promise((resolve) => process.once('disconnect', () => resolve()));
}
