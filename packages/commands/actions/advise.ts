/** `rlvr-train advise DIR`: what the run suffers from, and what helped against that in the arena, with its figures. */
import { basename, resolve } from 'node:path';
import { printJson } from '../../../src/cli/display/output.ts';
import { COMBINATION, STAGE_ENDED } from '../../../src/diagnostics/codes.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Diagnosed } from '../../compare/advice.ts';
import { logLines } from '../../trackers/log_lines.ts';
import { advised, printAdvice } from '../display/advice.ts';

export async function adviseCommand(directory: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const diagnosed = await diagnosesOf(directory);
  if (json) return printJson(JSON.stringify({ run: directory, advice: advised(diagnosed).advice }));
  printAdvice(printable(basename(resolve(directory))), diagnosed);
}

/** What was said of the run and was not withdrawn, each thing once, in its last words. @throws CheckpointError `no-run` */
async function diagnosesOf(directory: string): Promise<Diagnosed[]> {
  const store = fileStore(resolve(directory));
  if (!(await store.exists('metrics.jsonl'))) {
    const rule = 'holds no run with a log (no metrics.jsonl); give the directory that a training printed';
    throw new CheckpointError('no-run', `${directory}  ${rule}.`, { directory });
  }
  const found = new Map<string, Diagnosed>();
  for await (const lines of logLines(store, 'metrics.jsonl')) {
    for (const { record } of lines) {
      const { diagnosis: code, level, stage, message } = record;
      if (typeof code !== 'string' || code === STAGE_ENDED) continue;
      // Each remark on a combination is another.
      const key = [code, ...(code === COMBINATION ? [message] : [stage])].join('|');
      if (level === 'withdrawn') found.delete(key);
      else found.set(key, { code, message: String(message), level: String(level) });
    }
  }
  // Two stages may have said the same: the last words count.
  const last = new Map([...found].map(([key, one]) => [one.code === COMBINATION ? key : one.code, one]));
  return [...last.values()];
}
