/** The files of a run for the training page, which continues it in the browser. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CheckpointError } from '../../../src/errors.ts';
import { recordedTree } from '../../../src/run/recorded_config.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { FoundRun } from './folder.ts';

/** What the page needs besides: of the logs, and of what other programs read, it makes its own. */
const LEFT_OUT = /^(\.|report\.html$|notes\.json$|fleet\.jsonl$|tensorboard\/|checkpoints\/\.)/;

export interface RunFiles {
  /** Below the run directory, with `/`. */
  readonly files: readonly string[];
  /** The config with every default. */
  readonly config: unknown;
}

/** @throws CheckpointError where the run cannot be read by this version */
export async function filesOfRun({ directory }: FoundRun): Promise<RunFiles> {
  const config = await recordedTree(fileStore(directory));
  if (config === undefined) {
    throw new CheckpointError('run-malformed', `${directory}  config.yaml is none of this version.`, { directory });
  }
  return { files: await listed(directory), config };
}

async function listed(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile()) // no link leads out of the directory
    .map(({ parentPath, path, name }) =>
      relative(directory, join(parentPath ?? path, name))
        .split(sep)
        .join('/'),
    )
    .filter((path) => !LEFT_OUT.test(path))
    .sort();
}

/** @throws CheckpointError where the run has no such file, wherever the path leads */
export async function fileOfRun({ directory }: FoundRun, path: string): Promise<NodeJS.ReadableStream> {
  if (!(await listed(directory)).includes(path)) {
    throw new CheckpointError('no-file', `${directory}  has no file ${path}.`, { directory });
  }
  return createReadStream(join(directory, path));
}
