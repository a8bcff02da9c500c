/** The backend that a config or flag names. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { BackendError } from '../../errors.ts';
import type { Backend } from '../../kernels/engine.ts';
import type { StorageDtype } from '../../kernels/memory.ts';
import { referenceBackend } from '../../kernels/reference/engine.ts';
import { openTfjs, type TfjsBackendName } from '../../kernels/tfjs/open.node.ts';
import { wasmBackend } from '../../kernels/wasm/backend.ts';
import { adapterLine } from '../../kernels/webgpu/adapter.ts';
import { webgpuBackend } from '../../kernels/webgpu/backend.ts';
import { nodeGpu } from '../../kernels/webgpu/webgpu.node.ts';
import { requireAddressSpace } from './engine_memory.ts';

export type BackendName = 'auto' | 'webgpu' | 'wasm' | 'reference' | `tfjs:${TfjsBackendName}`;

/** What a config says of the backend. */
export interface BackendRequest {
  /** `auto` takes webgpu for float16, on any adapter, and wasm for bfloat16, since no other backend has them. */
  readonly backend: BackendName;
  /** undefined: one per core */
  readonly threads?: number | undefined;
  /** Default float32; what a backend that is named does not have, `openRun` refuses. */
  readonly storageDtype?: StorageDtype;
}

/**
 * @param tell  called with why `auto` takes no GPU, as `this machine shows no GPU`
 * @throws BackendError where `webgpu` is asked for and has no adapter, or none that stores float16, `wasm` cannot have a
 *   memory, or the packages of `tfjs:…` are missing
 */
export async function chooseBackend(
  { backend: name, threads, storageDtype = 'float32' }: BackendRequest,
  tell: (line: string) => void = () => {},
): Promise<Backend> {
  switch (name) {
    case 'reference':
      return referenceBackend;
    case 'webgpu':
      return webgpuBackend(await nodeGpu(), { storageDtype });
    case 'wasm':
      return wasm(threads, storageDtype);
    case 'tfjs:cpu':
    case 'tfjs:wasm':
    case 'tfjs:webgpu':
    case 'tfjs:tensorflow':
      return openTfjs(name.slice('tfjs:'.length) as TfjsBackendName);
    case 'auto': {
      if (storageDtype === 'float16') return webgpuBackend(await nodeGpu(), { storageDtype });
      if (storageDtype === 'bfloat16') return wasm(threads, storageDtype);
      const found = await realGpu();
      if (typeof found !== 'string') return found;
      tell(found);
      return wasm(threads);
    }
  }
}

/** What to say of more threads than the machine has cores for; undefined of others. */
export function threadsNote(threads: number | undefined, cores: number = availableParallelism()): string | undefined {
  if (threads === undefined || threads <= cores) return undefined;
  const machine = cores === 1 ? '1 core' : `${cores} cores`;
  return `threads: ${threads} on ${machine} — more than one per core make a run slower; leave threads out, or use ${cores}.`;
}

function wasm(threads: number | undefined, storageDtype?: StorageDtype): Promise<Backend> {
  requireAddressSpace();
  return wasmBackend({ threads, storageDtype });
}

/** The backend of this machine's GPU; else why there is none. A software adapter is slower than wasm, so it is none. */
async function realGpu(): Promise<Backend | string> {
  // Where Linux shows no such device, any adapter would be a software one; loading the drivers to see it takes a while.
  const hasDevice = process.platform !== 'linux' || ['/dev/dri', '/dev/nvidiactl', '/dev/dxg'].some(existsSync);
  if (!hasDevice) return 'this machine shows no GPU';
  try {
    const backend = await webgpuBackend(await nodeGpu());
    if (!backend.adapter.isSoftware) return backend;
    return `the only WebGPU adapter, ${adapterLine(backend.adapter)}, is no GPU`;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    return error.message.replace(/^webgpu: /, '').replace(/\. .*$/s, '');
  }
}
