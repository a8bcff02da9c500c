/** Which run `--resume` takes where neither a config nor a directory is given. */
import { existsSync } from 'node:fs';
import type { FoundRun } from '../../../src/cli/runs/load_run.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { ago, printable } from '../../../src/format.ts';
import { resumeCommand } from '../../../src/run/resume_command.ts';
import { type RunRow, runRows } from './run_rows.ts';

const FOLDER = 'runs';

/**
 * The newest run under runs/ that can be resumed. Someone at a terminal reads which one it is and can stop it; a script that
 * does not say which of several it means is asked to.
 *
 * @throws CheckpointError where there is none, or several and nobody who watches
 */
export async function newestUnfinished(isWatched = process.stdout.isTTY === true): Promise<RunRow> {
  const rows = existsSync(FOLDER) ? await runRows(FOLDER) : [];
  const [newest, ...older] = rows.filter(({ condition }) => condition === 'stopped');
  if (newest === undefined) throw nothingToGoOnWith(rows);
  if (older.length === 0 || isWatched) return newest;
  const commands = [newest, ...older].map((row) => `  ${resumeCommand(row.directory)}   ${describe(row)}`);
  const message = `--resume: ${commands.length} runs under ${FOLDER}/ can be resumed; say which:\n${commands.join('\n')}`;
  throw new CheckpointError('which-run', message, {
    directories: [newest, ...older].map(({ directory }) => directory),
  });
}

function nothingToGoOnWith(rows: readonly RunRow[]): CheckpointError {
  const there = rows.map((row) => `\n  ${printable(row.directory)}   ${describe(row)}`).join('');
  const rule = `no run under ${FOLDER}/ can be resumed`;
  const remedy = 'give the --output of one, or start one without --resume';
  const found = rows.length === 0 ? '' : ` There are:${there}`;
  return new CheckpointError('no-run', `--resume: ${rule}; ${remedy}.${found}`);
}

/** For `loadRun`. @throws CheckpointError as `newestUnfinished` */
export async function findNewest(): Promise<FoundRun> {
  const row = await newestUnfinished();
  return { directory: row.directory, about: `${printable(row.directory)}, ${describe(row)}` };
}

function describe({ condition, seed, steps, changedMs }: RunRow): string {
  const parts = [
    condition === 'stopped' ? undefined : condition,
    seed === undefined ? undefined : `seed ${seed}`,
    steps && `step ${steps.done} of ${steps.planned}`,
    ago(Date.now() - changedMs),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
