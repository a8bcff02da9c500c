import type { EngineSwitches } from './modules.ts';

/** What the engine must know of the machine and have of its host: Node (`workers.node.ts`) or a browser (`workers.web.ts`). */
export interface WasmHost {
  /** Cores that this process may use. */
  processors(): number;
  /** Memory of the machine; undefined where the host does not tell. */
  machineBytes(): number | undefined;
  /** What the JavaScript engine can do and enables only by flags; absent where flags cannot be set. */
  readonly engineSwitches?: EngineSwitches;
  /** One worker per thread, all over one shared memory. */
  startWorkers(start: WorkerStart): WorkerPool | Promise<WorkerPool>;
}

/** Workers that run. */
export interface WorkerPool {
  terminate(): Promise<void>;
}

export interface WorkerStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Called once, when a worker dies. */
  readonly onFailure: (cause: Error) => void;
  /** Arguments of the module's `work` export, one list per thread. */
  readonly work: readonly (readonly (number | bigint)[])[];
}

/** The whole life of a worker: instantiate over the shared memory, then run jobs until asked to stop. */
export const WORKER_BODY = `
  const { exports } = new WebAssembly.Instance(start.module, { env: { memory: start.memory } });
  exports.work(...start.work);
`;
