/** What a run would take, asked in a worker of its own: nothing is opened, and no weights are read. */
import { errorOf, type FromWorker, type ToWorker } from './messages.ts';
import type { PlanOptions, PlanRefusal, RunPlan, SketchOptions } from './run_plan.ts';
import { type EngineWorker, startWorker } from './worker_run.ts';

/**
 * Memory and time of a run on this device, before anything is opened. The time is that of a layer of the same width, which
 * is measured for a moment.
 *
 * @param start  starts the engine's worker; default: this package's `engine_worker.js`
 * @throws RlvrError as `openRunInWorker`, where the run does not fit included
 */
export function planRun(options: PlanOptions, start: () => EngineWorker = startWorker): Promise<RunPlan> {
  return planned(options, start) as Promise<RunPlan>; // as the worker answers such options
}

/**
 * The same of one job for several models that were not fetched, from their shapes; lengths of texts in tokens are estimated.
 * @returns [models]
 * @throws RlvrError where the config is wrong
 */
export function planSketches(
  options: SketchOptions,
  start: () => EngineWorker = startWorker,
): Promise<readonly (RunPlan | PlanRefusal)[]> {
  return planned(options, start) as Promise<readonly (RunPlan | PlanRefusal)[]>; // likewise
}

async function planned(options: PlanOptions | SketchOptions, start: () => EngineWorker): Promise<unknown> {
  const worker = start();
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener('error', ({ message }) => reject(new Error(message || 'the worker could not be loaded')));
      worker.addEventListener('message', ({ data }) => {
        const message = data as FromWorker; // engine_worker.ts sends no other
        if (message.type === 'result') resolve(message.result);
        if (message.type === 'error') reject(errorOf(message.error));
      });
      worker.postMessage({ type: 'plan', call: 0, options } satisfies ToWorker);
    });
  } finally {
    worker.terminate();
  }
}
