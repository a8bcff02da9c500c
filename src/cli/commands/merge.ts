/** `rlvr-train merge PATH --output DIR`: a model and its adapter become one folder that needs neither. */
import { CheckpointError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { merged } from '../../run/model/pretrained.ts';
import { writeMergedModel } from '../../run/model/write_merged.ts';
import { print, printError } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { required, text } from '../flags/flag.ts';
import { openGiven, requireFree, writeWhole } from '../runs/give_away.ts';

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
  requireFree(output, 'folder');
  const pretrained = await openGiven(path, base);
  const { adapter, name } = pretrained;
  if (adapter === undefined) {
    throw new CheckpointError('no-adapter', `${name} — has no adapter to merge; it is a whole model as it is.`);
  }
  const waiting = setTimeout(() => printError(`${name}: merging, which takes some seconds for each 100 MB`), WAIT_MS);
  try {
    await writeWhole(output, (store, folder) => writeMergedModel(store, folder, merged(pretrained)));
  } finally {
    clearTimeout(waiting);
  }
  print(`${printable(name)}: merged into ${printable(output)}, in float32`);
}
