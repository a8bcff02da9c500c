/** The backend under test in a page; in the place of test/support/backends.ts. */
import type { Backend } from '../../../../../src/kernels/engine.ts';
import type { RequiredBackend } from '../../../../../test/support/backends.ts';
import { expectSameBits } from '../../../../../test/support/compare.ts';
import { webgpuBackend } from '../../../../webgpu/backend.ts';

/** One for all suites: its device compiles a kernel once. */
let backend: Promise<Backend> | undefined;

export function loadBackend(): Promise<Backend> {
  backend ??= webgpuBackend(navigator.gpu);
  return backend;
}

export async function requiredBackends(): Promise<RequiredBackend[]> {
  return [{ label: 'webgpu in Chromium', backend: await loadBackend(), expectSame: expectSameBits }];
}
