/** Removes the directory of a run, and nothing else: not what is no run, is elsewhere, is under way, or holds other files. */
import { lstat, readdir, realpath, rm } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { SENT_TRACKERS } from '../../../src/config/tracker_cards.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { FLEET_LOG } from '../../fleet/fleet_log.ts';
import { NOTES_FILE } from './run_notes.ts';

/** One of these is in the directory of every run that has begun. */
const SIGNS = ['fingerprint.json', 'metrics.jsonl'];
/** What a run, a tracker, a report and a page write into it. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...SIGNS,
  ...['config.yaml', 'completions.jsonl', 'changes.jsonl', 'summary.json', 'failure.json', NOTES_FILE, FLEET_LOG],
  ...['checkpoints', 'best', 'model', 'evaluations', 'answers', 'tensorboard', 'report.html'],
  ...SENT_TRACKERS.map(({ name }) => `${name}.json`), // how far each has come
]);

/**
 * @param folder     holds the run; neither it nor anything outside of it is removed
 * @param directory  of the run
 * @throws CheckpointError that says why the directory stays as it is
 */
export async function removeRun(folder: string, directory: string): Promise<void> {
  const stays = (rule: string): CheckpointError =>
    new CheckpointError('not-removed', `${directory}  ${rule}. Nothing was removed.`, { directory });
  if ((await lstat(directory)).isSymbolicLink()) throw stays('is a link: remove it by hand');
  const path = relative(await realpath(folder), await realpath(directory));
  if (path === '') throw stays('is the folder that this page shows: remove it by hand');
  if (path.split(sep)[0] === '..') throw stays('lies outside of the folder that this page shows');
  const names = await readdir(directory);
  if (!names.some((name) => SIGNS.includes(name))) throw stays(`holds no run (no ${SIGNS.join(', no ')})`);
  const other = names.find((name) => !WRITTEN.has(name) && !name.startsWith('.'));
  if (other !== undefined) throw stays(`holds ${other}, which no run wrote: move it elsewhere first`);
  await fileStore(directory).claim(); // refuses while a run is under way; its lock goes with the directory
  await rm(directory, { recursive: true });
}
