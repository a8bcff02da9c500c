/** The other side of a race: a peer that starts from the very weights of ours. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../../build/packages/rlvr-train/node.js';
import { writeModel } from '../../build/src/run/model/model_files.js';
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
  const { hello, ask, close } = await startWithWeights(script, run.engine.policy, run.engine.tasks.codec, setup);
  return { ask, close, versions: hello.versions };
}

/** Starts a peer as startPeer does, with the folder of a model that holds these weights as `model` of its setup. */
export async function startWithWeights(script, policy, codec, setup, options) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-bench-'));
  try {
    await writeModel(fileStore(folder), 'model', policy, codec);
    return await startPeer(script, { model: join(folder, 'model'), ...setup }, options);
  } finally {
    rmSync(folder, { recursive: true }); // the peer has read it
  }
}
