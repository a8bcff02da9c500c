import { command } from '../../../src/cli/flags/command.ts';
import { text } from '../../../src/cli/flags/flag.ts';
import { onlyRun } from './required_run.ts';

export const REPORT = command({
  name: 'report',
  does: 'make one HTML page of a run: curves, completions, config',
  usage: '--run <directory> [--output <file>]',
  explainsWords: true,
  flags: {
    run: text('<directory>', 'run directory, finished or not, e.g. runs/countdown (required)'),
    output: text('<file>', 'where to write the page', { letter: 'o', otherwise: 'report.html in the run directory' }),
  },
  examples: [{ words: 'report --run runs/countdown', does: 'one HTML page: curves, completions, config' }],
  run: async (words, flags) =>
    (await import('../actions/report.ts')).reportCommand({ ...flags, run: onlyRun(words, flags.run) }),
});
