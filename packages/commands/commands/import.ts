import { command } from '../../../src/cli/flags/command.ts';
import { choice, text, toggle } from '../../../src/cli/flags/flag.ts';

export const IMPORT = command({
  name: 'import',
  does: "another trainer's config in our keys, with what became of each: TRL, verl, axolotl, unsloth",
  words: [
    {
      syntax: '<file>',
      text: 'a YAML, a command line or shell script, a Python script or a notebook; none of it is run',
    },
  ],
  flags: {
    output: text('<file>', 'where the config is written; default: standard output', { letter: 'o' }),
    from: choice('<trainer>', 'whose it is, if its keys leave that open', ['trl', 'verl', 'axolotl', 'unsloth']),
    force: toggle('replace the file of --output if it is there'),
    json: toggle('print what became of each key as JSON'),
  },
  examples: [
    { words: 'import recipes/grpo.yaml -o mine.yaml', does: 'a config of TRL, axolotl or verl' },
    { words: 'import run_grpo.sh', does: 'the command line of verl, or of `trl grpo`' },
    { words: 'import train.py', does: 'what a Python script gives GRPOConfig and its like' },
  ],
  run: async ([file], flags) => (await import('../actions/import.ts')).importCommand(file, flags),
});
