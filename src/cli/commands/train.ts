/** The command `train`, the default one: one run, shown in lines. */

import { command } from '../flags/command.ts';
import { grouped, integer, list, text, toggle } from '../flags/flag.ts';
import { withConfigWord } from '../mistaken_words.ts';

export const WHAT_FLAGS = {
  config: text('<file>', 'YAML config, or the name of a shipped one', {
    letter: 'c',
    otherwise: 'the main job, countdown',
  }),
  set: list('<key=value>', 'override a key of the config, e.g. grpo.learning_rate=1e-4'),
  seed: integer('<number>', 'override seed', { min: 0, otherwise: 'what the config says, else 42' }),
  maxSteps: integer(
    '<number>',
    'cap max_steps of the last stage; with --resume its number of steps in all, also of a finished run',
    { min: 1, otherwise: 'what the config says' },
  ),
};

export const DIRECTORY_FLAGS = {
  output: text('<directory>', 'override output_dir', { letter: 'o', otherwise: 'runs/<config name>, numbered' }),
  resume: toggle(
    'continue the run in the output directory, else the newest that can, with its own config (TRL: resume_from_checkpoint)',
  ),
  force: toggle('resume although machine, version or config differ'),
};

export const THREADS = integer('<number>', 'compute threads; they do not change the result', {
  min: 1,
  otherwise: 'one per core',
});

export const MACHINE_FLAGS = {
  threads: THREADS,
  backend: text('<name>', 'auto, webgpu, wasm, reference or tfjs:…', { otherwise: 'what the config says, else auto' }),
};

export const PRINTED_FLAGS = {
  plain: toggle('plain lines, also on a terminal'),
  json: toggle('one JSON object per event, nothing else', { excludes: ['plain', 'quiet'] }),
  quiet: toggle('problems, and as last line the summary as JSON', { excludes: ['plain'] }),
};

/** What `train` is, whatever it is given beside its frame. */
export const TRAIN_COMMAND = {
  name: 'train',
  isDefault: true,
  does: 'train a policy as a config says; the name of this command can be left out',
  usage: '[FILE] [options]',
  // Words that are no command end here.
  explainsWords: true,
} as const;

export const TRAIN = command({
  ...TRAIN_COMMAND,
  flags: {
    ...grouped('What to train:', WHAT_FLAGS),
    ...grouped('Run directory:', DIRECTORY_FLAGS),
    ...grouped('Machine:', MACHINE_FLAGS),
    ...grouped('What is printed:', PRINTED_FLAGS),
  },
  async run(words, flags, all) {
    const { trainCommand } = await import('../training/train.ts');
    return trainCommand(withConfigWord(flags, words, all));
  },
});
