/** A kept run or a kept model of this browser, asked in a worker. */
import type { AskedPolicy, GeneratedToken, GenerateOptions } from '../models/asked/asked_policy.ts';
import { errorOf, type FromWorker, type PolicyMethod, type ToWorker } from './messages.ts';
import type { OpenPolicyOptions } from './open_policy_options.ts';
import { type EngineWorker, startWorker } from './worker_run.ts';

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly onToken?: ((token: GeneratedToken) => void) | undefined;
}

/**
 * Opens a policy to be asked, as `rlvr-train/node` does of a path; its answers have the same bits on WebAssembly.
 *
 * ```ts
 * const policy = await openPolicy('first'); // the run that openRunInWorker has kept under this name
 * const [answers] = await policy.generate(['312>']);
 * await policy.close();
 * ```
 *
 * @param name  of a kept run whose code is all the package's, or of a kept model
 * @param start  starts the engine's worker; default: this package's `engine_worker.js`
 * @throws RlvrError where nothing of this name is kept
 */
export async function openPolicy(
  name: string,
  options: OpenPolicyOptions = {},
  start: () => EngineWorker = startWorker,
): Promise<AskedPolicy> {
  const worker = start();
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  const fail = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.addEventListener('error', ({ message }) => fail(new Error(message || 'the worker could not be loaded')));
  worker.addEventListener('message', ({ data }) => {
    const message = data as FromWorker; // engine_worker.ts sends no other
    if (message.type === 'token') waiting.get(message.call)?.onToken?.(message.token);
    if (message.type !== 'result' && message.type !== 'error') return;
    const asked = waiting.get(message.call);
    waiting.delete(message.call);
    if (message.type === 'result')
      asked?.resolve(message.result as never); // what was asked for
    else asked?.reject(errorOf(message.error));
  });
  const ask = <T>(message: (call: number) => ToWorker, onToken?: Waiting['onToken']): Promise<T> => {
    const call = calls++;
    return new Promise<T>((resolve, reject) => {
      waiting.set(call, { resolve, reject, onToken });
      worker.postMessage(message(call));
    });
  };
  const policy = <T>(method: PolicyMethod, texts: unknown, { onToken, ...given }: GenerateOptions = {}): Promise<T> =>
    ask((call) => ({ type: 'policy', call, method, texts, options: given, isWatched: onToken !== undefined }), onToken);
  try {
    const shown = await ask<string>((call) => ({ type: 'open-policy', call, name, options }));
    return {
      name: shown,
      generate: (prompts, given) => policy('generate', prompts, given),
      chat: (messages, given) => policy('chat', messages, given),
      async close() {
        await policy('close', []);
        worker.terminate();
        fail(new Error(`${shown} was closed`));
      },
    };
  } catch (error) {
    worker.terminate();
    throw error;
  }
}
