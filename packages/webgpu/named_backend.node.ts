/** WebGPU as the command is given it: its kernels and drivers are loaded once it is asked for. */
import { existsSync } from 'node:fs';
import { BackendError } from '../../src/errors.ts';
import type { Backend, BackendOptions, NamedBackend } from '../../src/kernels/engine.ts';
import type { WebgpuBackend } from './backend.ts';

export const WEBGPU: NamedBackend = {
  names: ['webgpu'],
  storesAlone: 'float16',
  open: async (_, { storageDtype }) => open({ storageDtype }),
  openFaster: openGpu,
};

async function open(options?: Pick<BackendOptions, 'storageDtype'>): Promise<WebgpuBackend> {
  const [{ webgpuBackend }, { nodeGpu }] = await Promise.all([import('./backend.ts'), import('./webgpu.node.ts')]);
  return webgpuBackend(await nodeGpu(), options);
}

/** The backend of this machine's GPU; else why there is none. A software adapter is slower than wasm, so it is none. */
async function openGpu(): Promise<Backend | string> {
  // Where Linux shows no such device, any adapter would be a software one; loading the drivers to see it takes a while.
  const hasDevice = process.platform !== 'linux' || ['/dev/dri', '/dev/nvidiactl', '/dev/dxg'].some(existsSync);
  if (!hasDevice) return 'this machine shows no GPU';
  try {
    const backend = await open();
    if (!backend.adapter.isSoftware) return backend;
    const { adapterLine } = await import('./adapter.ts');
    return `the only WebGPU adapter, ${adapterLine(backend.adapter)}, is no GPU`;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    return error.message.replace(/^webgpu: /, '').replace(/\. .*$/s, '');
  }
}
