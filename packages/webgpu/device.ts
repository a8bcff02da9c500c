/** Devices: which limits are asked of an adapter, and a device with its pipelines. */
import { BackendError } from '../../src/errors.ts';
import { type AdapterDescription, adapterLine, describeAdapter } from './adapter.ts';
import { PipelineCache } from './pipelines.ts';
import { neighbouringLanes } from './shaders/subgroups.ts';

/** Limits that are raised from WebGPU's defaults to what the adapter has. Kernels stay within the defaults. */
const RAISED_LIMITS = ['maxBufferSize', 'maxStorageBufferBindingSize'] as const;

/** An open device, with what is shared by all engines on it. */
export interface OpenDevice {
  readonly device: GPUDevice;
  readonly adapter: AdapterDescription;
  readonly pipelines: PipelineCache;
  /** Neighbouring invocations that are lanes of one subgroup; 1 where subgroups are not used. */
  readonly lanes: number;
  /** Why the device can no longer be used; undefined while it can. */
  failure: BackendError | undefined;
}

/** What is asked of an adapter beyond WebGPU's defaults, where it has it. */
export interface DeviceRequest {
  readonly subgroups: boolean;
  /** Asked for; the adapter must have it. */
  readonly float16: boolean;
}

/** Opens a device with the adapter's largest buffers. @throws BackendError where the adapter refuses */
export async function openDevice(adapter: GPUAdapter, request: DeviceRequest): Promise<OpenDevice> {
  const requiredLimits = Object.fromEntries(RAISED_LIMITS.map((name) => [name, adapter.limits[name]]));
  const description = describeAdapter(adapter);
  const requiredFeatures: GPUFeatureName[] = [
    ...(request.subgroups && adapter.features.has('subgroups') ? (['subgroups'] as const) : []),
    ...(request.float16 ? (['shader-f16'] as const) : []),
  ];
  const refuse = (cause: unknown): never => {
    throw new BackendError('no-device', `webgpu: ${adapterLine(description)} gives no device: ${String(cause)}.`);
  };
  const device = await adapter.requestDevice({ requiredLimits, requiredFeatures }).catch(refuse);
  const lanes = await neighbouringLanes(device, adapter.info).catch(refuse);
  const pipelines = new PipelineCache(device);
  const open: OpenDevice = { device, adapter: description, pipelines, lanes, failure: undefined };
  device.addEventListener('uncapturederror', ({ error }) => {
    open.failure ??= new BackendError('webgpu-error', `webgpu: ${error.message}`, { adapter: description });
  });
  void device.lost.then(({ reason, message }) => {
    open.failure ??= deviceLost(description, reason, message);
  });
  return open;
}

function deviceLost(adapter: AdapterDescription, reason: string, message: string): BackendError {
  const why = [reason, message].filter((part) => part !== '' && part !== 'unknown').join(': ') || 'no reason given';
  return new BackendError(
    'device-lost',
    `webgpu: the device was lost (${why}; ${adapterLine(adapter)}). The last checkpoint is kept: continue with --resume, ` +
      'or with --backend wasm.',
    { adapter, reason },
  );
}
