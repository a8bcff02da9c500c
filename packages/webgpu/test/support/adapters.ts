/**
 * The software adapters of the WebGPU tests: lavapipe (Mesa) and SwiftShader (Chromium), Vulkan drivers that run on
 * the processor. `.ci/run` installs both; one that is asked for and missing fails. `hardware` is the GPU of the machine.
 */
import { existsSync } from 'node:fs';
import { type AdapterSource, adapterLine, describeAdapter } from '../../adapter.ts';
import { nodeGpu } from '../../webgpu.node.ts';

/** Where Debian's packages put the drivers, and what Dawn calls their adapters. */
const ADAPTERS: Readonly<Record<string, { readonly driver: string; readonly name: string; readonly debian: string }>> =
  {
    lavapipe: {
      driver: '/usr/share/vulkan/icd.d/lvp_icd.json',
      name: 'llvmpipe',
      debian: 'mesa-vulkan-drivers (25 or later)',
    },
    swiftshader: {
      driver: '/usr/lib/chromium/vk_swiftshader_icd.json',
      name: 'SwiftShader',
      debian: 'chromium-common',
    },
  };

/** The adapter that Dawn prefers, where it is a GPU. */
const HARDWARE = 'hardware';

/** Adapters by their name above. @throws where the driver is not installed, or `hardware` is a software adapter */
export async function openAdapter(label: string): Promise<AdapterSource> {
  if (label === HARDWARE) return openHardware();
  const { name } = installed(label);
  // The Vulkan loader reads it when the first adapter is asked for.
  process.env.VK_DRIVER_FILES ??= Object.values(ADAPTERS)
    .map(({ driver }) => driver)
    .join(':');
  return nodeGpu(name);
}

async function openHardware(): Promise<AdapterSource> {
  const gpu = await nodeGpu();
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  const description = adapter && describeAdapter(adapter);
  if (description === null || description.isSoftware)
    throw new Error(`no GPU: the adapter is ${description === null ? 'none' : adapterLine(description)}.`);
  return gpu;
}

/** Dawn's null backend: it validates and takes every call, and computes nothing. */
export async function nullAdapter(): Promise<AdapterSource> {
  const { create } = await import('webgpu');
  return create(['backend=null']);
}

/** The devices that a source has given, besides its adapters. */
export function watched(source: AdapterSource): { source: AdapterSource; devices: GPUDevice[] } {
  const devices: GPUDevice[] = [];
  return { source: tapped(source, (device) => devices.push(device)), devices };
}

/** A source each of whose devices is shown to `tap` before anyone else has it. */
export function tapped(source: AdapterSource, tap: (device: GPUDevice) => void): AdapterSource {
  const requestAdapter: AdapterSource['requestAdapter'] = async (options) => {
    const found = await source.requestAdapter(options);
    if (found === null) return null;
    const adapter = found as GPUAdapter; // all sources of the tests are Dawn's
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      tap(device);
      return device;
    };
    return adapter;
  };
  return { requestAdapter };
}

/** Makes this driver the only one of processes that are started from here on. @throws where it is not installed */
export function useDriver(label: string): void {
  Object.assign(process.env, environmentOf(label));
}

/** For one process whose only driver is this one. @throws where it is not installed */
export function environmentOf(label: string): Readonly<Record<string, string>> {
  return label === HARDWARE ? {} : { VK_DRIVER_FILES: installed(label).driver };
}

function installed(label: string): (typeof ADAPTERS)[string] {
  const adapter = ADAPTERS[label];
  if (adapter === undefined) throw new Error(`'${label}' is none of ${Object.keys(ADAPTERS).join(', ')}.`);
  if (!existsSync(adapter.driver)) throw new Error(`${adapter.driver} is missing: install ${adapter.debian}.`);
  return adapter;
}
