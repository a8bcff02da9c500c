/** What the commands have in common that give a model away: what is opened, and a place that is whole or not there. */
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { printError } from '../../../src/cli/display/output.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { findModel, findWithAdapter } from '../../models/run/model/find_model.node.ts';
import { openPretrained } from '../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';

/**
 * The model, and what there is to say of its adapter.
 *
 * @param path  a model, an adapter, or the directory of a run
 * @param base  the model of an adapter, where it is not where the adapter says
 * @throws CheckpointError where there is none
 */
export async function openGiven(path: string, base: string | undefined): Promise<Pretrained> {
  const pretrained = await openPretrained(
    base === undefined ? findModel(path) : findWithAdapter(findModel(base), path),
  );
  for (const note of pretrained.adapter?.notes ?? []) printError(`${pretrained.name}: ${note}`);
  return pretrained;
}

/** @param kind  what will be there @throws CheckpointError where something is there already */
export function requireFree(output: string, kind: 'file' | 'folder'): void {
  if (!existsSync(resolve(output))) return;
  throw new CheckpointError(
    'directory-taken',
    `--output ${output} — is there already; give the name of a new ${kind}.`,
  );
}

/** A file or folder that appears under its name whole, or not at all. @param write  writes it under another name of the store */
export async function writeWhole<T>(
  output: string,
  write: (store: ReturnType<typeof fileStore>, name: string) => Promise<T>,
): Promise<T> {
  const target = resolve(output);
  const store = fileStore(dirname(target));
  const unfinished = `.${basename(target)}.tmp-${process.pid}`;
  const ended = whenKilled(() => rmSync(join(dirname(target), unfinished), { recursive: true, force: true }));
  try {
    const written = await write(store, unfinished);
    await store.renameDirectory(unfinished, basename(target));
    return written;
  } catch (error) {
    await store.remove(unfinished);
    throw error;
  } finally {
    ended();
  }
}

/** Cleans up where a signal ends the process, which it then does. @returns what ends the watch */
function whenKilled(cleanUp: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (): void => {
    for (const signal of signals) process.off(signal, kill);
  };
  const kill = (signal: NodeJS.Signals): void => {
    end();
    cleanUp();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, kill);
  return end;
}
