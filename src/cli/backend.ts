/** The backend that a config or flag names. */
import { availableParallelism } from 'node:os';
import type { Backend } from '../kernels/kernels.ts';
import { referenceBackend } from '../kernels/reference/engine.ts';
import { wasmBackend } from '../kernels/wasm/backend.ts';

export interface ChosenBackend {
  readonly backend: Backend;
  readonly threads: number;
}

/** @param threads undefined: one a core */
export async function chooseBackend(
  name: 'auto' | 'wasm' | 'reference',
  threads: number | undefined,
): Promise<ChosenBackend> {
  if (name === 'reference') return { backend: referenceBackend, threads: 1 };
  const count = threads ?? availableParallelism();
  return { backend: await wasmBackend({ threads: count }), threads: count };
}
