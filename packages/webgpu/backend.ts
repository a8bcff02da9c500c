/**
 * The webgpu backend: WGSL kernels on any WebGPU adapter, in a browser or in Node.
 *
 * Where adapters come from is the caller's business: `navigator.gpu` in a browser, `webgpu.node.ts` in Node.
 */
import { BackendError, MemoryPlanError } from '../../src/errors.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { ROUNDED_STORAGES } from '../../src/kernels/storage.ts';
import { type AdapterDescription, type AdapterSource, adapterLine, describeAdapter } from './adapter.ts';
import { type OpenDevice, openDevice } from './device.ts';
import { WebgpuEngine } from './engine.ts';
import type { BufferLimits } from './layout.ts';
import { layOut } from './layout.ts';
import type { WebgpuOptions } from './options.ts';

/** A read waits for the queue to drain: less often than once a token, more often than completions end. */
const STEPS_PER_READ = 4;

/** A backend that says which adapter it computes on. */
export interface WebgpuBackend extends Backend {
  readonly adapter: AdapterDescription;
}

/**
 * Prepares the kernel set for the adapter that `gpu` prefers. One device serves all engines; it is opened with the
 * first engine, and again after a loss.
 * @throws BackendError where there is no adapter, or one without shader-f16 is to store float16
 */
export async function webgpuBackend(gpu: AdapterSource, options: WebgpuOptions = {}): Promise<WebgpuBackend> {
  const adapter = await requestAdapter(gpu);
  const float16 = options.storageDtype === 'float16';
  const storageDtype = float16 ? 'float16' : 'float32';
  if (float16) requireFloat16(adapter);
  const description = describeAdapter(adapter);
  const { isSoftware } = description;
  const limits: BufferLimits = {
    isSoftware,
    bufferBytes: adapter.limits.maxBufferSize,
    bindingBytes: Math.min(
      options.bindingBytes ?? Number.POSITIVE_INFINITY,
      adapter.limits.maxStorageBufferBindingSize,
    ),
  };
  const tiling = options.tiling ?? (isSoftware ? 'registers' : 'workgroups');
  let unused: GPUAdapter | undefined = adapter;
  let open: Promise<OpenDevice> | undefined;
  const device = async (): Promise<OpenDevice> => {
    const present = await open?.catch(() => undefined);
    if (present !== undefined && present.failure === undefined) return present;
    const fresh = unused ?? (await requestAdapter(gpu)); // an adapter gives one device only
    unused = undefined;
    open = openDevice(fresh, { subgroups: options.subgroups ?? true, float16 });
    return open;
  };
  return {
    name: 'webgpu',
    stepsPerRead: options.stepsPerRead ?? STEPS_PER_READ,
    storageDtype,
    frozenStorages: ROUNDED_STORAGES,
    adapter: description,
    plannedBytes: (plan) => layOut(plan, limits, float16).byPurpose,
    open: async (plan) => {
      const layout = layOut(plan, limits, float16);
      const opened = await device();
      opened.device.pushErrorScope('out-of-memory');
      const engine = new WebgpuEngine(opened, layout, tiling);
      const refusal = await opened.device.popErrorScope();
      if (refusal === null) return engine;
      await engine.close();
      throw new MemoryPlanError(
        'webgpu-memory',
        `${(layout.bytes / 1024 ** 3).toFixed(2)} GiB needed, which ${adapterLine(description)} cannot ` +
          `give (${refusal.message}).\n  Lower per_device_train_batch_size, generation_batch_size or the model's size.`,
        { bytes: layout.bytes, byPurpose: Object.fromEntries(layout.byPurpose) },
      );
    },
  };
}

/** @throws BackendError */
function requireFloat16(adapter: GPUAdapter): void {
  if (adapter.features.has('shader-f16')) return;
  const line = adapterLine(describeAdapter(adapter));
  throw new BackendError(
    'no-float16',
    `storage_dtype: float16 — ${line} has no shader-f16; leave the key out (float32), or use another adapter.`,
  );
}

async function requestAdapter(gpu: AdapterSource): Promise<GPUAdapter> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter !== null) return adapter as GPUAdapter; // which the public types name by its shape
  throw new BackendError('no-adapter', 'webgpu: this system offers no adapter. Use --backend wasm.');
}
