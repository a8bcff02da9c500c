/** Kernels over memory with 64-bit addresses, in a page; in the place of test/support/backends.ts. */
import type { Backend } from '../../../../../src/kernels/engine.ts';
import { wasmBackendOn } from '../../../../../src/kernels/wasm/engine.ts';
import * as browser from '../../../../../src/kernels/wasm/workers.web.ts';
import type { RequiredBackend } from '../../../../../test/support/backends.ts';
import { expectSameBits } from '../../../../../test/support/compare.ts';

let backend: Promise<Backend> | undefined;

export function loadBackend(): Promise<Backend> {
  backend ??= wasmBackendOn(browser, { threads: 2, memory64: true });
  return backend;
}

export async function requiredBackends(): Promise<RequiredBackend[]> {
  return [{ label: 'memory64 in Chromium', backend: await loadBackend(), expectSame: expectSameBits }];
}
