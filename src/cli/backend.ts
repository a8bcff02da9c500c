/** The backend that a config or flag names. */
import type { Backend } from '../kernels/kernels.ts';
import { referenceBackend } from '../kernels/reference/engine.ts';
import { wasmBackend } from '../kernels/wasm/backend.ts';

/** @param threads undefined: one a core */
export async function chooseBackend(
  name: 'auto' | 'wasm' | 'reference',
  threads: number | undefined,
): Promise<Backend> {
  return name === 'reference' ? referenceBackend : wasmBackend({ threads });
}
