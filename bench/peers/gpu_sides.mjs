/**
 * The sides that run beside webgpu on the GPU that a Python of this machine sees: plain PyTorch (torch_gpu.py), and TRL
 * (grpo_step.py) from our very weights and prompts, which are ids written as words. Versions are reported, not prescribed.
 */
import { availableParallelism } from 'node:os';
import { wordTokenizer } from '../../build/packages/zoo/data/index.js';
import { closedCodec } from '../../build/src/text/codec.js';
import { completionsOf, LEARNING_RATE, requestsOf } from '../policy_side.mjs';
import { findPython, startPeer } from './peer.mjs';
import { startWithWeights } from './side.mjs';

/** Loading the libraries takes up to half a minute from a cold disk, a step some ten seconds. */
const ANSWER_SECONDS = 90;
const THREADS = Math.min(4, availableParallelism());

/** Python interpreters to ask, first one first. */
const candidates = () =>
  [process.env.RLVR_PEER_PYTHON, findPython(), 'python3'].filter((python) => python !== undefined);

/**
 * Looks for a Python with PyTorch.
 *
 * @param device cuda: the PyTorch must see a GPU; cpu: the sides run on the processor
 * @returns `device`; where there is such a Python `python`, its `versions` and the packages `missing` for TRL; and
 *   `note`, what does not run and why, undefined where both sides do
 */
export async function findPeers(device) {
  for (const python of candidates()) {
    const peers = { device, python, ...(await probe(python, device)) };
    if (device === 'cuda' ? !peers.hasCuda : (peers.missing?.includes('torch') ?? true)) continue;
    const { missing, versions } = peers;
    if (missing.length === 0) return peers;
    const lacks = `${python} (${versions.python}) has no ${missing.join(', ')}`;
    return { ...peers, note: `${lacks}: TRL does not run, plain PyTorch alone does.` };
  }
  const wanted = device === 'cuda' ? 'CUDA PyTorch' : 'PyTorch';
  return { device, note: `no Python with ${wanted}: neither PyTorch nor TRL runs. RLVR_PEER_PYTHON names one.` };
}

/** @returns undefined where this is no interpreter, or one that cannot say */
async function probe(python, device) {
  try {
    const { hello, close } = await startPeer('probe.py', { threads: THREADS }, optionsOf({ python, device }));
    close();
    return { versions: hello.versions, missing: hello.missing, hasCuda: hello.hasCuda };
  } catch (error) {
    if (error.name !== 'PeerError') throw error;
    return undefined;
  }
}

function optionsOf({ python, device }) {
  // One GPU: transformers would share a batch among several.
  const [first = '0'] = (process.env.CUDA_VISIBLE_DEVICES || undefined)?.split(',') ?? [];
  const env = { CUDA_VISIBLE_DEVICES: device === 'cuda' ? first : '' };
  return { python, env, isPinned: false, answerSeconds: ANSWER_SECONDS };
}

/** Plain PyTorch, set up for the work of a size. @returns as startPeer @throws PeerError as startPeer */
export function startTorch(peers, size) {
  return startPeer('torch_gpu.py', { ...size, threads: THREADS, device: peers.device }, optionsOf(peers));
}

/**
 * TRL with the weights that `policy` has now, set up for the work of a size.
 *
 * @param turns how many steps' prompts it gets; it starts again where they end
 * @returns as startPeer @throws PeerError as startPeer
 */
export function startTrl(peers, size, policy, turns) {
  const { vocabSize } = size.shape;
  const prompts = Array.from({ length: turns }, (_, step) => requestsOf(size, step)).flat();
  const setup = {
    device: peers.device,
    threads: THREADS,
    prompts: prompts.map(({ prompt }) => prompt.join(' ')),
    completions: completionsOf(size),
    groupSize: size.groupSize,
    promptTokens: size.promptTokens,
    completionTokens: size.completionTokens,
    learningRate: LEARNING_RATE,
    rewardedBelow: vocabSize / 2,
    microBatch: null,
  };
  // <pad> is 0 and <eos> 1, the others are their own names.
  const tokens = Array.from({ length: vocabSize - 2 }, (_, i) => String(i + 2));
  const codec = closedCodec(wordTokenizer({ name: 'ids', tokens }));
  return startWithWeights('grpo_step.py', policy, codec, setup, optionsOf(peers));
}
