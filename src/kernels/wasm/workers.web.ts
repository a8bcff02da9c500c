/** Worker threads of a browser. They need a page that is cross-origin isolated. */
import { BackendError } from '../../errors.ts';
import type { WorkerPool, WorkerStart } from './workers.ts';
import { WORKER_BODY } from './workers.ts';

// Says when it is there: a browser may start a worker only while the thread that asked for it is not blocked.
const SOURCE = `onmessage = ({ data: start }) => { postMessage('started'); ${WORKER_BODY} };`;

/** Cores that the browser admits to. */
export function processors(): number {
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}

/** Half of the memory that the browser admits to; undefined where it does not tell. The rest of the device needs some, too. */
export function machineBytes(): number | undefined {
  const { deviceMemory } = (globalThis.navigator ?? {}) as { readonly deviceMemory?: number }; // GiB; Chromium's
  return deviceMemory === undefined ? undefined : deviceMemory * 2 ** 29;
}

/** @throws BackendError where the browser starts no worker */
export async function startWorkers({ module, memory, work, onFailure }: WorkerStart): Promise<WorkerPool> {
  const url = URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' }));
  const workers: Worker[] = [];
  const fail = ({ message }: ErrorEvent): BackendError => {
    const cause = new BackendError('wasm-worker', `a compute thread stopped: ${message || 'no reason given'}`);
    onFailure(cause);
    return cause;
  };
  const terminate = async (): Promise<void> => {
    for (const worker of workers) worker.terminate();
  };
  const started = work.map(
    (list) =>
      new Promise<void>((resolve, reject) => {
        const worker = new Worker(url);
        workers.push(worker);
        worker.onmessage = () => resolve();
        worker.onerror = (event) => reject(fail(event));
        worker.postMessage({ module, memory, work: list });
      }),
  );
  try {
    await Promise.all(started);
  } catch (error) {
    await terminate();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
  return { terminate };
}
