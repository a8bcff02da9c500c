/** Plain PyTorch on the GPU that a Python of this machine sees: torch_gpu.py, set up for the work of a size. */
import { execFileSync } from 'node:child_process';
import { findPython, startPeer } from './peer.mjs';

/** Python interpreters to ask for CUDA, first one first. */
const candidates = () =>
  [process.env.RLVR_PEER_PYTHON, findPython(), 'python3'].filter((python) => python !== undefined);

/** @returns `ask({what})`, `close()` and `versions`; undefined, with a word about it, where no Python has CUDA */
export async function startTorch(size) {
  const python = candidates().find(hasCuda);
  if (python === undefined) {
    process.stderr.write('no Python with CUDA PyTorch, so nothing runs beside webgpu on the GPU.\n');
    return undefined;
  }
  const { hello, ask, close } = await startPeer('torch_gpu.py', { ...size, threads: 4 }, { python, env: {} });
  return { ask, close, versions: hello.versions };
}

function hasCuda(python) {
  try {
    const answer = execFileSync(python, ['-c', 'import torch; print(torch.cuda.is_available())'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return answer.trim() === 'True';
  } catch {
    return false; // no such interpreter, or no PyTorch
  }
}
