/** `rlvr-train merge PATH --output DIR`: a model and its adapter become one folder that needs neither. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CheckpointError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { findModel, findWithAdapter } from '../../run/model/find_model.node.ts';
import { merged, openPretrained } from '../../run/model/pretrained.ts';
import { writeMergedModel } from '../../run/model/write_merged.ts';
import { fileStore } from '../../run/store/files.node.ts';
import { print, printError } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { required, text } from '../flags/flag.ts';

export const MERGE = command({
  name: 'merge',
  does: 'merge an adapter into its model: a folder in the layout of Hugging Face',
  usage: '<path> --output <directory> [--base <path>]',
  words: [{ syntax: '<path>', text: 'the directory of a finished run, or a folder as PEFT writes it' }],
  flags: {
    output: required(text('<directory>', 'the new folder (required)', { letter: 'o' })),
    base: text('<path>', 'the model, where it is not where the adapter says'),
  },
  examples: [
    {
      words: 'merge runs/mine --output merged',
      does: 'an adapter and its model become one folder (docs/pretrained.md)',
    },
  ],
  run: ([path], flags) => mergeCommand(path, flags),
});

/** Milliseconds without a word that nobody minds. */
const WAIT_MS = 1_000;

export interface MergeOptions {
  readonly output: string;
  /** The model, where it is not where the adapter says. */
  readonly base?: string;
}

/**
 * The folder appears under its name whole or not at all.
 *
 * @param path  an adapter of PEFT's layout, or the directory of a finished run
 * @throws CheckpointError where it is none, or the folder is there already
 */
export async function mergeCommand(path: string, { output, base }: MergeOptions): Promise<void> {
  const target = resolve(output);
  if (existsSync(target)) {
    throw new CheckpointError(
      'directory-taken',
      `--output ${output} — is there already; give the name of a new folder.`,
    );
  }
  const place = base === undefined ? findModel(path) : findWithAdapter(findModel(base), path);
  const pretrained = await openPretrained(place);
  const { adapter, name } = pretrained;
  if (adapter === undefined) {
    throw new CheckpointError('no-adapter', `${name} — has no adapter to merge; it is a whole model as it is.`);
  }
  for (const note of adapter.notes) printError(`${name}: ${note}`);
  const waiting = setTimeout(() => printError(`${name}: merging, which takes some seconds for each 100 MB`), WAIT_MS);
  const store = fileStore(dirname(target));
  const unfinished = `.${basename(target)}.tmp-${process.pid}`;
  try {
    await writeMergedModel(store, unfinished, merged(pretrained));
    await store.renameDirectory(unfinished, basename(target));
  } catch (error) {
    await store.remove(unfinished);
    throw error;
  } finally {
    clearTimeout(waiting);
  }
  print(`${printable(name)}: merged into ${printable(output)}, in float32`);
}
