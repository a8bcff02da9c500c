/** A pretrained model on its way into the browser's file system, in a worker of its own: the page's thread copies nothing. */
import { errorOf, type FromWorker, type ToWorker } from '../messages.ts';
import type { EngineWorker } from '../worker_run.ts';
import { startWorker } from '../worker_run.ts';
import type { KeepOptions } from './keep_options.ts';
import type { KeptModel } from './kept_models.ts';
import type { ModelOrigin } from './model_origin.ts';

/**
 * Brings a model into the browser's file system, or what is still missing of it; `model_name_or_path` of a run then names it.
 *
 * ```ts
 * import { keepModel } from 'rlvr-train/web';
 *
 * const url = 'https://host/SmolLM2-135M-Instruct.Q8_0.gguf';
 * await keepModel('smollm2', { url }, { onProgress: (have, bytes) => console.log(have / bytes) });
 * ```
 *
 * @param name  letters, digits, `.`, `_` and `-`
 * @param origin  the address of a .gguf file or of a folder, or files that a visitor chose
 * @param start  starts the engine's worker; default: this package's `engine_worker.js`
 * @throws CheckpointError `disk-full` before anything is written, `connection-lost`, after which the same call continues,
 *   `hash-mismatch`, `no-model`; DOMException AbortError where `signal` stopped it
 */
export async function keepModel(
  name: string,
  origin: ModelOrigin,
  { signal, onProgress = () => {}, ...options }: KeepOptions = {},
  start: () => EngineWorker = startWorker,
): Promise<KeptModel> {
  signal?.throwIfAborted();
  const worker = start();
  const stop = (): void => worker.postMessage({ type: 'stop-keeping' } satisfies ToWorker);
  signal?.addEventListener('abort', stop);
  try {
    return await new Promise<KeptModel>((resolve, reject) => {
      worker.addEventListener('error', ({ message }) => reject(new Error(message || 'the worker could not be loaded')));
      worker.addEventListener('message', ({ data }) => {
        const message = data as FromWorker; // engine_worker.ts sends no other
        if (message.type === 'keeping') onProgress(message.have, message.bytes);
        if (message.type === 'kept') resolve(message.model);
        if (message.type === 'not-kept') reject(signal?.aborted ? signal.reason : errorOf(message.error));
      });
      worker.postMessage({ type: 'keep', name, origin, options } satisfies ToWorker);
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.terminate();
  }
}
