/** `rlvr-train track DIRECTORY`: sends to a tracker what it does not have of a run. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { print, printError } from '../../../src/cli/display/output.ts';
import type { SentTrackerName } from '../../../src/config/tracker_cards.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { TRACKERS } from '../../trackers/trackers.ts';

/** @throws RlvrError where the directory holds no run, one is under way in it, or the tracker does not take it */
export async function trackCommand(directory: string, to: SentTrackerName): Promise<void> {
  if (!existsSync(join(directory, 'config.yaml'))) {
    const message = `${printable(directory)}  holds no run (no config.yaml); give the directory that a training printed.`;
    throw new CheckpointError('no-run', message, { directory });
  }
  const store = fileStore(directory);
  // A run under way sends by itself; two that write the same cursor would not know of each other.
  const claim = await store.claim();
  try {
    print(
      await TRACKERS[to].catchUp({ store, name: basename(resolve(directory)), directory }, process.env, printError),
    );
  } finally {
    await claim.release();
  }
}
