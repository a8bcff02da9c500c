/** Runs of the built command, one after the other, in a folder that goes again; and what their steps took. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from './command.mjs';

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Calls with a function that trains a config under a name, and gives the directory of the finished run; ends where one fails. */
export function inRunFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-bench-'));
  const train = (name, config, words) => {
    const directory = join(folder, name.replaceAll(' ', '-'));
    const file = `${directory}.yaml`;
    writeFileSync(file, config);
    const all = ['--config', file, '--output', directory, '--quiet', ...words];
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...all], { encoding: 'utf8' });
    if (status !== 0) fail(stderr.trim().split('\n').slice(0, 2).join(' '));
    return directory;
  };
  try {
    return work(train);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines of metrics.jsonl of optimizer steps, and of batches that no step followed, and the summary. */
export function leftBy(directory) {
  const read = (name) => readFileSync(join(directory, name), 'utf8').trimEnd();
  const lines = read('metrics.jsonl').split('\n').map(JSON.parse);
  const [steps, batches] = ['loss', 'batch'].map((name) => lines.filter((line) => name in line));
  return { steps, batches, summary: JSON.parse(read('summary.json')) };
}
