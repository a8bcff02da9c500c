/** `rlvr-train merge PATH --output DIR`: a model and its adapter become one folder that needs neither. */
import { CheckpointError } from '../../errors.ts';
import { command } from '../flags/command.ts';
import { required, text } from '../flags/flag.ts';
import { CHECKED, exportGiven } from './export.ts';

export const MERGE = command({
  name: 'merge',
  does: 'merge an adapter into its model: short for export --to merged --dtype f32',
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

export interface MergeOptions {
  readonly output: string;
  /** The model, where it is not where the adapter says. */
  readonly base?: string;
}

/**
 * `export --to merged` in float32, of what has an adapter to merge.
 *
 * @param path  an adapter of PEFT's layout, or the directory of a finished run
 * @throws CheckpointError where it is none, or the folder is there already
 */
export async function mergeCommand(path: string, { output, base }: MergeOptions): Promise<void> {
  await exportGiven(path, { output, base, to: 'merged', dtype: 'f32', check: CHECKED }, ({ adapter, name }) => {
    if (adapter !== undefined) return;
    throw new CheckpointError('no-adapter', `${name} — has no adapter to merge; it is a whole model as it is.`);
  });
}
