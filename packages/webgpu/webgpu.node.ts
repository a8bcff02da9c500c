/**
 * WebGPU in Node: adapters of the optional package `webgpu` (Dawn: Vulkan, Metal, Direct3D 12).
 *
 * The package is loaded on demand, so that nothing but `--backend webgpu` needs its 130 MB.
 */
import { BackendError } from '../../src/errors.ts';
import { type AdapterDescription, type AdapterSource, describeAdapter } from './adapter.ts';

/** The line that installs the package. */
const INSTALL_LINE = 'npm install webgpu';

/** Instances of Dawn, one per name of an adapter: making one loads every driver. */
const instances = new Map<string | undefined, GPU>();

/**
 * Adapters of this machine.
 * @param name  part of an adapter's name, as `llvmpipe`; default: the one that Dawn prefers
 * @throws BackendError where the package is not installed, cannot be loaded, or has no such adapter
 */
export async function nodeGpu(name?: string): Promise<AdapterSource> {
  const { create } = await loadPackage();
  const gpu = instances.get(name) ?? create(name === undefined ? [] : [`adapter=${name}`]);
  instances.set(name, gpu);
  // The package throws where the interface promises null.
  return { requestAdapter: (options) => gpu.requestAdapter(options).catch((cause: unknown) => refuse(cause, name)) };
}

/** Every adapter of this machine, software ones too. @throws BackendError where the package cannot be loaded */
export async function listAdapters(): Promise<readonly AdapterDescription[]> {
  const { create } = await loadPackage();
  // Dawn names all adapters when it is asked for one that does not exist.
  const nobody = create(['adapter=?']).requestAdapter();
  const names = adapterNames(await nobody.then(() => '', String));
  const adapters = await Promise.all(names.map((name) => create([`adapter=${name}`]).requestAdapter()));
  return adapters.flatMap((adapter) => (adapter === null ? [] : [describeAdapter(adapter)]));
}

function adapterNames(message: string): string[] {
  return [...new Set([...message.matchAll(/name: '([^']+)'/g)].map(([, name]) => name as string))];
}

async function loadPackage(): Promise<typeof import('webgpu')> {
  return import('webgpu').catch((cause: unknown) => {
    const isMissing = String(cause).includes('Cannot find package');
    const reason = isMissing ? 'the optional package webgpu is not installed' : `the package webgpu: ${String(cause)}`;
    throw new BackendError(
      'no-webgpu',
      `webgpu: ${reason}. Install it with \`${INSTALL_LINE}\`, or use --backend wasm.`,
    );
  });
}

function refuse(cause: unknown, name: string | undefined): never {
  const names = adapterNames(String(cause));
  const wanted = name === undefined ? 'no adapter on this system' : `no adapter named '${name}'`;
  const found = names.length > 0 ? `there are: ${names.join(', ')}` : 'no Vulkan, Metal or Direct3D driver';
  throw new BackendError('no-adapter', `webgpu: ${wanted} (${found}). Install a driver, or use --backend wasm.`, {
    names,
  });
}
