/** `rlvr-train report --run DIR`: a run as one HTML page. */
import { basename, dirname, join, resolve } from 'node:path';
import { CheckpointError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { makeReport } from '../../report/report.ts';
import { fileStore } from '../../run/store/files.node.ts';
import { print } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { text } from '../flags/flag.ts';
import { onlyRun } from '../mistaken_words.ts';

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
  run: (words, flags) => reportCommand({ ...flags, run: onlyRun(words, flags.run) }),
});

/** @param options.output  default: report.html in the run directory */
async function reportCommand(options: { run: string; output?: string }): Promise<void> {
  const page = new TextEncoder().encode(await read(options.run));
  const file = options.output ?? join(options.run, 'report.html');
  await fileStore(dirname(resolve(file))).writeAtomic(basename(file), page);
  print(`${printable(file)}: ${Math.ceil(page.length / 1000)} kB, complete in itself; open it in a browser.`);
}

/** The page; an error says which directory it is about. */
async function read(directory: string): Promise<string> {
  try {
    return await makeReport(fileStore(directory), basename(resolve(directory)));
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new CheckpointError(error.code, `${directory}: ${error.message}`, error.facts);
  }
}
