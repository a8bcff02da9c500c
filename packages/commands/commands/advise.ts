import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';
import { onlyRun } from './required_run.ts';
import { RUN, RUN_WORD } from './shared_flags.ts';

export const ADVISE = command({
  name: 'advise',
  does: 'what a run suffers from, and which methods helped against that in the arena',
  usage: 'RUN [--json]',
  words: [RUN_WORD],
  flags: {
    run: RUN,
    json: toggle('print it as JSON'),
  },
  examples: [
    { words: 'advise runs/countdown', does: 'its diagnoses, and what helped against them, with figures' },
    { words: 'advise runs/countdown --json', does: 'the same for a program' },
  ],
  run: async (words, flags) => (await import('../actions/advise.ts')).adviseCommand(onlyRun(words, flags.run), flags),
});
