import { command } from '../../../src/cli/flags/command.ts';
import { text, toggle } from '../../../src/cli/flags/flag.ts';
import { onlyRun } from './required_run.ts';

export const ADVISE = command({
  name: 'advise',
  does: 'what a run suffers from, and which methods helped against that in the arena',
  usage: '--run <directory> [--json]',
  explainsWords: true,
  flags: {
    run: text('<directory>', 'run directory, finished or not, e.g. runs/countdown (required)'),
    json: toggle('print it as JSON'),
  },
  examples: [
    { words: 'advise --run runs/countdown', does: 'its diagnoses, and what helped against them, with figures' },
  ],
  run: async (words, flags) => (await import('../actions/advise.ts')).adviseCommand(onlyRun(words, flags.run), flags),
});
