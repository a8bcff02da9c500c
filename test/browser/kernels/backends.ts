/** The backend under test in a page; in the place of test/support/backends.ts. */
import type { Backend } from '../../../src/kernels/kernels.ts';
import { webgpuBackend } from '../../../src/kernels/webgpu/backend.ts';

export async function loadBackend(): Promise<Backend> {
  return webgpuBackend(navigator.gpu);
}

export async function requiredBackends(): Promise<{ readonly label: string; readonly backend: Backend }[]> {
  return [{ label: 'webgpu in Chromium', backend: await loadBackend() }];
}
