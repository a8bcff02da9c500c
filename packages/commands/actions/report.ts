/** `rlvr-train report DIR`: a run as one HTML page. */
import { basename, dirname, join, resolve } from 'node:path';
import { print } from '../../../src/cli/display/output.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { makeReport } from '../../report/report.ts';

/** @param options.output  default: report.html in the run directory */
export async function reportCommand(options: { run: string; output?: string }): Promise<void> {
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
