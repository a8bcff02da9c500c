/** The wasm backend, on the threads that its host has: Node's, or a browser's. */
import type { Backend } from '../engine.ts';
import { wasmBackendOn } from './engine.ts';
import type { WasmOptions } from './options.ts';

/**
 * Prepares the kernel set for this machine.
 * @throws BackendError for threads < 1
 */
export async function wasmBackend(options: WasmOptions = {}): Promise<Backend> {
  const isNode = typeof process === 'object' && process.versions?.node !== undefined;
  const host = isNode ? await import('./workers.node.ts') : await import('./workers.web.ts');
  return wasmBackendOn(host, options);
}
