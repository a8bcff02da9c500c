/** Writes what a run has sampled, sorted into data for other trainings. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../../../src/cli/display/output.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { counted, printable } from '../../../src/format.ts';
import type { ReadCompletionLine } from '../../../src/run/logs/completions.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { logLines } from '../../trackers/log_lines.ts';
import { routed } from '../runs/routed.ts';

/** @throws CheckpointError where that is no run with completions, or a file is there already */
export async function routeCompletions(path: string, output: string): Promise<void> {
  const isRun = existsSync(path) && statSync(path).isDirectory() && existsSync(join(path, 'completions.jsonl'));
  if (!isRun) {
    const rule = 'no directory of a run that has recorded completions; name one, as `runs ls` lists them';
    throw new CheckpointError('no-completions', `${path} — ${rule}.`, { path });
  }
  const lines: ReadCompletionLine[] = [];
  for await (const some of logLines(fileStore(path), 'completions.jsonl')) {
    for (const { record } of some) lines.push(record);
  }
  const files = Object.entries<readonly object[]>({ ...routed(lines) }).map(
    ([name, rows]) => [join(output, `${name}.jsonl`), rows] as const,
  );
  const known = files.find(([file]) => existsSync(file));
  if (known !== undefined) {
    throw new CheckpointError('file-exists', `${known[0]} — is there already; name another directory.`, {
      file: known[0],
    });
  }
  mkdirSync(output, { recursive: true });
  for (const [file, rows] of files) {
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    print(`${printable(file)}  ${counted(rows.length, 'row')}`);
  }
}
