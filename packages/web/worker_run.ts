/** A run whose engine is in a worker: the page's thread only passes messages. */
import { BackendError } from '../../src/errors.ts';
import type { BrowserEvent, BrowserRun, OpenedRun, OpenOptions } from './browser_run.ts';
import { errorOf, type FromWorker, type Method, type ToWorker } from './messages.ts';
import type { SandboxWorker } from './own_code/sandboxes.ts';

/** How a run is opened whose engine is in a worker. */
export interface WorkerOptions extends OpenOptions {
  /** Starts the engine's worker; default: this package's `engine_worker.js`, beside this file. */
  readonly worker?: () => EngineWorker;
}

/** The Worker of a browser, as far as the page's side talks to it. */
export interface EngineWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message: string }) => void): void;
}

/** Opens a run in a worker of its own; `close` ends the worker. @throws RlvrError as `openRunHere` */
export async function openRunInWorker({ worker = startWorker, ...options }: WorkerOptions): Promise<BrowserRun> {
  const run = new WorkerRun(worker());
  try {
    await run.open(options);
    return run;
  } catch (error) {
    run.terminate();
    throw error;
  }
}

/** Starts this package's `engine_worker.js`. */
export function startWorker(): EngineWorker {
  return new Worker(new URL('./engine_worker.js', import.meta.url), { type: 'module' });
}

type Result<Name extends Method> = ReturnType<BrowserRun[Name]>;

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

class WorkerRun implements BrowserRun {
  readonly #worker: EngineWorker;
  readonly #listeners = new Set<(event: BrowserEvent) => void>();
  readonly #waiting = new Map<number, Waiting>();
  /** The engine's, by its numbers: they end with it. */
  readonly #sandboxes = new Map<number, SandboxWorker>();
  #calls = 0;
  #opened: OpenedRun | undefined;

  constructor(worker: EngineWorker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }) => this.#hear(data as FromWorker)); // engine_worker.ts sends no other
    worker.addEventListener('error', ({ message }) =>
      this.#fail(`the engine's worker stopped: ${message || 'it could not be loaded'}`),
    );
  }

  get opened(): OpenedRun {
    if (this.#opened === undefined) throw new RangeError('the run is not open yet');
    return this.#opened;
  }

  async open(options: OpenOptions): Promise<void> {
    this.#opened = await this.#ask<OpenedRun>((call) => ({ type: 'open', call, options }));
  }

  listen(listener: (event: BrowserEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  train(...args: Parameters<BrowserRun['train']>): Result<'train'> {
    return this.#call('train', args);
  }
  pause(): Result<'pause'> {
    return this.#call('pause', []);
  }
  evaluate(): Result<'evaluate'> {
    return this.#call('evaluate', []);
  }
  ask(...args: Parameters<BrowserRun['ask']>): Result<'ask'> {
    return this.#call('ask', args);
  }
  attention(...args: Parameters<BrowserRun['attention']>): Result<'attention'> {
    return this.#call('attention', args);
  }
  change(...args: Parameters<BrowserRun['change']>): Result<'change'> {
    return this.#call('change', args);
  }
  tryReward(...args: Parameters<BrowserRun['tryReward']>): Result<'tryReward'> {
    return this.#call('tryReward', args);
  }
  checkTask(...args: Parameters<BrowserRun['checkTask']>): Result<'checkTask'> {
    return this.#call('checkTask', args);
  }
  estimate(): Result<'estimate'> {
    return this.#call('estimate', []);
  }
  weightsSha256(): Result<'weightsSha256'> {
    return this.#call('weightsSha256', []);
  }
  exportModel(): Result<'exportModel'> {
    return this.#call('exportModel', []);
  }
  exportAs(...args: Parameters<BrowserRun['exportAs']>): Result<'exportAs'> {
    return this.#call('exportAs', args);
  }
  files(): Result<'files'> {
    return this.#call('files', []);
  }

  async close(): Promise<void> {
    try {
      await this.#call('close', []);
    } finally {
      this.terminate();
    }
  }

  terminate(): void {
    this.#worker.terminate();
    for (const sandbox of this.#sandboxes.values()) sandbox.terminate();
    this.#sandboxes.clear();
    this.#fail('the run was closed');
  }

  #call<Name extends Method>(method: Name, args: readonly unknown[]): Result<Name> {
    return this.#ask((call) => ({ type: 'call', call, method, args })) as Result<Name>; // what the method of that name gives
  }

  #ask<T>(message: (call: number) => ToWorker): Promise<T> {
    const call = this.#calls++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      this.#worker.postMessage(message(call));
    });
  }

  #hear(message: FromWorker): void {
    switch (message.type) {
      case 'event':
        for (const listener of this.#listeners) listener(message.event);
        return;
      case 'start-sandbox':
        this.#startSandbox(message.sandbox, message.port);
        return;
      case 'end-sandbox':
        this.#sandboxes.get(message.sandbox)?.terminate();
        this.#sandboxes.delete(message.sandbox);
        return;
      case 'error':
        this.#answered(message.call)?.reject(errorOf(message.error));
        return;
      case 'opened':
        this.#answered(message.call)?.resolve(message.opened as never); // as was asked for
        return;
      case 'result':
        this.#answered(message.call)?.resolve(message.result as never); // as was asked for
    }
  }

  #answered(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #startSandbox(sandbox: number, port: MessagePort): void {
    const ended = (reason: string): void =>
      this.#worker.postMessage({ type: 'sandbox-ended', sandbox, reason } satisfies ToWorker);
    const started = import('./own_code/sandboxes.ts').then(({ startSandbox }) => startSandbox(port, ended));
    started.catch(() => ended('could not be loaded'));
    this.#sandboxes.set(sandbox, {
      terminate: () =>
        void started.then(
          (worker) => worker.terminate(),
          () => undefined,
        ),
    });
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new BackendError('worker', reason));
    this.#waiting.clear();
  }
}
