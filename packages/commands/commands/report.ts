import { command } from '../../../src/cli/flags/command.ts';
import { text } from '../../../src/cli/flags/flag.ts';
import { onlyRun } from './required_run.ts';
import { RUN, RUN_WORD } from './shared_flags.ts';

export const REPORT = command({
  name: 'report',
  does: 'make one HTML page of a run: curves, completions, config',
  usage: 'RUN [--output <file>]',
  words: [RUN_WORD],
  flags: {
    run: RUN,
    output: text('<file>', 'where to write the page', { letter: 'o', otherwise: 'report.html in the run directory' }),
  },
  examples: [
    { words: 'report runs/countdown', does: 'one HTML page: curves, completions, config' },
    { words: 'report runs/countdown -o page.html', does: 'the same, into a file of that name' },
  ],
  run: async (words, flags) =>
    (await import('../actions/report.ts')).reportCommand({ ...flags, run: onlyRun(words, flags.run) }),
});
