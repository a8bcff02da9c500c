/** What a host must offer for threads: one worker a thread, all over one shared memory. */
export interface WorkerPool {
  terminate(): Promise<void>;
}

export interface WorkerStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Called once, when a worker dies. */
  readonly onFailure: (cause: Error) => void;
  /** Arguments of the module's `work` export, one list a thread. */
  readonly work: readonly (readonly number[])[];
}

/** The whole life of a worker: instantiate over the shared memory, then run jobs until told to stop. */
export const WORKER_BODY = `
  const { exports } = new WebAssembly.Instance(start.module, { env: { memory: start.memory } });
  exports.work(...start.work);
`;
