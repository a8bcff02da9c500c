import { command } from '../../../src/cli/flags/command.ts';
import { required, text } from '../../../src/cli/flags/flag.ts';
import { CHECKED } from './export.ts';

export const MERGE = command({
  name: 'merge',
  isAlias: true,
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
  run: async ([path], flags) => (await import('../actions/merge.ts')).mergeCommand(path, { ...flags, check: CHECKED }),
});
