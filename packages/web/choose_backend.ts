/** The backend that a browser offers, and in words why it is this one. Only the kernels of that one are loaded. */
import { BackendError } from '../../src/errors.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import type { StorageDtype } from '../../src/kernels/memory.ts';
import * as browser from '../../src/kernels/wasm/workers.web.ts';
import { type AdapterSource, adapterLine } from '../webgpu/adapter.ts';

/** What the caller asks for. */
export interface BackendRequest {
  /** `auto` (default): a real GPU where there is one, else WebAssembly. */
  readonly name?: 'auto' | 'webgpu' | 'wasm';
  /** Takes a WebGPU adapter that runs on the processor, too; `auto` refuses one, since WebAssembly is faster. */
  readonly software?: boolean;
  /** Threads of WebAssembly, at most as many as there are cores; default: see `ownThreads`. */
  readonly threads?: number;
  /** false: WebAssembly does without fused multiply-add, whose bits are others. */
  readonly fma?: boolean;
}

const NO_ADAPTER = 'this browser has WebGPU, but offers no adapter';

/** What was chosen. */
export interface ChosenBackend {
  readonly backend: Backend;
  readonly report: BackendReport;
}

/** For people: one line, and what is missing. Plain data. */
export interface BackendReport {
  readonly kind: 'webgpu' | 'wasm-threads' | 'wasm-single';
  readonly threads: number;
  /** `WebGPU on Apple M2 (apple, metal-3)`; `WebAssembly on 4 threads`. */
  readonly line: string;
  /** Why nothing faster; empty where nothing is missing. */
  readonly missing: readonly string[];
}

/** @throws BackendError where `webgpu` is asked for and there is no adapter, or the adapter cannot store float16 */
export async function chooseBackend(
  { name = 'auto', software = false, threads, fma }: BackendRequest,
  storageDtype: StorageDtype = 'float32',
): Promise<ChosenBackend> {
  const missing: string[] = [];
  const isOfWasm = name === 'wasm' || (name === 'auto' && storageDtype === 'bfloat16');
  if (!isOfWasm) {
    const found = await findGpu(software || name === 'webgpu', storageDtype);
    if (typeof found !== 'string') return found;
    if (name === 'webgpu') throw new BackendError('no-adapter', `webgpu: ${found}. Use wasm.`);
    missing.push(found);
  }
  const { wasmBackendOn } = await import('../../src/kernels/wasm/engine.ts');
  const isolated = globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer !== 'undefined';
  const count = threads === undefined ? ownThreads() : cappedThreads(threads, missing);
  if (isolated && count > 1) {
    const report = { kind: 'wasm-threads', threads: count, line: `WebAssembly on ${count} threads`, missing } as const;
    return { backend: await wasmBackendOn(browser, { threads: count, fma, storageDtype }), report };
  }
  if (!isolated) missing.push('the page is not cross-origin isolated (COOP and COEP headers), so there are no threads');
  const report = { kind: 'wasm-single', threads: 1, line: 'WebAssembly on one thread', missing } as const;
  return { backend: await wasmBackendOn(browser, { inline: true, fma, storageDtype }), report };
}

/** All cores of a small machine; one is left to the page where there are four or more. At most 8: threads walk in step. */
function ownThreads(): number {
  const cores = browser.processors();
  return cores < 4 ? cores : Math.min(8, cores - 1);
}

/** More threads than cores only wait for each other, and each has memory of its own: what is asked for may be a link's. */
function cappedThreads(asked: number, missing: string[]): number {
  const cores = browser.processors();
  if (!Number.isInteger(asked) || asked < 1) {
    missing.push(`${asked} threads were asked for, which is no number of threads`);
    return ownThreads();
  }
  if (asked > cores) missing.push(`${asked} threads were asked for, and there are ${cores} cores`);
  return Math.min(asked, cores);
}

async function findGpu(allowSoftware: boolean, storageDtype: StorageDtype): Promise<ChosenBackend | string> {
  const gpu = (globalThis.navigator as { readonly gpu?: AdapterSource } | undefined)?.gpu;
  if (gpu === undefined) return 'this browser has no WebGPU, or not in a page without https';
  if ((await gpu.requestAdapter()) === null) return NO_ADAPTER;
  try {
    const { webgpuBackend } = await import('../webgpu/backend.ts');
    const backend = await webgpuBackend(gpu, { storageDtype });
    const adapter = adapterLine(backend.adapter);
    if (backend.adapter.isSoftware && !allowSoftware) {
      return `the only WebGPU adapter, ${adapter}, runs on the processor, which WebAssembly uses better`;
    }
    return { backend, report: { kind: 'webgpu', threads: 1, line: `WebGPU on ${adapter}`, missing: [] } };
  } catch (error) {
    if (!(error instanceof BackendError) || error.code === 'no-float16') throw error;
    return NO_ADAPTER;
  }
}
