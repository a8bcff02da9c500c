/** Worker threads of Node, and the V8 flag that Node 20 needs for relaxed SIMD. */
import { availableParallelism, totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { BackendError } from '../../errors.ts';
import type { EngineSwitches } from './modules.ts';
import type { WorkerPool, WorkerStart } from './workers.ts';
import { WORKER_BODY } from './workers.ts';

const SOURCE = `const { workerData: start } = require('node:worker_threads'); ${WORKER_BODY}`;

/** Cores that this process may use. */
export function processors(): number {
  return availableParallelism();
}

/** Memory of this machine, or of the container that this process is confined to. */
export function machineBytes(): number {
  const container = process.constrainedMemory() ?? 0; // 0, or more than there is, where nothing confines it
  return container > 0 ? Math.min(container, totalmem()) : totalmem();
}

/**
 * Whether V8 fuses neighbouring 128-bit operations into 256 bits when asked to: an experiment since V8 13 (Node 24). On x64
 * it needs AVX2, without which V8 leaves the code as it is.
 */
export function canFuseWide(architecture: string, v8: string): boolean {
  return architecture === 'x64' && Number.parseInt(v8, 10) >= 13;
}

export const engineSwitches: EngineSwitches = {
  /** Node 20 has it behind a flag that can still be set before a module is compiled; later versions know no such flag. */
  allowRelaxedSimd: () => setFlagsFromString('--experimental-wasm-relaxed-simd'),
  allowWideSimd: () => {
    if (!canFuseWide(process.arch, process.versions.v8)) return false;
    setFlagsFromString('--experimental-wasm-revectorize');
    return true;
  },
};

export function startWorkers({ module, memory, work, onFailure }: WorkerStart): WorkerPool {
  let closing = false;
  const fail = (reason: string): void => {
    if (!closing) onFailure(new BackendError('wasm-worker', `a compute thread stopped: ${reason}`));
    closing = true;
  };
  const workers = work.map((list) => {
    // Without the flags of the process: its --input-type=module would make a module of SOURCE. V8's hold for all threads.
    const worker = new Worker(SOURCE, { eval: true, execArgv: [], workerData: { module, memory, work: list } });
    worker.on('error', (cause) => fail(cause.message));
    worker.on('exit', (code) => fail(`exit code ${code}`));
    return worker;
  });
  return {
    terminate: async () => {
      closing = true;
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
