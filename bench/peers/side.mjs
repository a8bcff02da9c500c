/** The other side of a race over one of our runs: a peer that starts from the very weights of the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../../dist/node.js';
import { writeModel } from '../../dist/run/model_files.js';
import { findPython, HOW_TO_MAKE, startPeer } from './peer.mjs';

/**
 * Starts a peer with the weights and the tokenizer of a run. `setup` holds `threads`, and what the script asks for.
 *
 * @returns `ask(request)`, `close()` and `versions`; undefined, with a word about it, where there is no environment
 */
export async function startSide(script, run, setup) {
  if (findPython() === undefined) {
    process.stderr.write(`${HOW_TO_MAKE}\n`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-bench-'));
  try {
    await writeModel(fileStore(folder), 'model', run.policy, run.task.tokenizer);
    const { hello, ask, close } = await startPeer(script, { model: join(folder, 'model'), ...setup });
    return { ask, close, versions: hello.versions };
  } finally {
    rmSync(folder, { recursive: true }); // the peer has read it
  }
}
