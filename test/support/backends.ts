/**
 * The backends that every conformance test runs on.
 *
 * RLVR_TEST_BACKENDS replaces the default list: names with options, such as `reference,wasm:threads=2:fma=false`, or
 * `webgpu:lavapipe`.
 * A backend that is listed and cannot be loaded or opened fails the suite: nothing is skipped.
 */
import type { Backend } from '../../src/kernels/kernels.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';

/** A backend, and its name with the options that it was made with. */
export interface RequiredBackend {
  readonly label: string;
  readonly backend: Backend;
}

interface BackendOptions {
  readonly threads?: number;
  readonly fma?: boolean;
  readonly adapter?: string;
  readonly bindingBytes?: number;
  readonly tiling?: 'workgroups' | 'registers';
}

const DEFAULT_BACKENDS = 'wasm:threads=1,wasm:threads=2,wasm:threads=1:fma=false,wasm:threads=2:wide=true';

/** Every backend that a test can name. */
const backends: Readonly<Record<string, (options: BackendOptions) => Promise<Backend>>> = {
  reference: async () => referenceBackend,
  wasm: async (options) => {
    const { wasmBackend } = await import('../../src/kernels/wasm/backend.ts');
    return wasmBackend(options);
  },
  webgpu: async ({ adapter = 'lavapipe', bindingBytes, tiling }) => {
    const { openSoftwareAdapter } = await import('./adapters.ts');
    const { webgpuBackend } = await import('../../src/kernels/webgpu/backend.ts');
    return webgpuBackend(await openSoftwareAdapter(adapter), { bindingBytes, tiling });
  },
};

/** The backends under test, in order. @throws when one is unknown or missing */
export async function requiredBackends(): Promise<readonly RequiredBackend[]> {
  const labels = (process.env.RLVR_TEST_BACKENDS ?? DEFAULT_BACKENDS).split(',');
  return Promise.all(labels.map(async (label) => ({ label, backend: await loadBackend(label) })));
}

/** A backend by its label, such as `wasm:threads=2`. */
export async function loadBackend(label: string): Promise<Backend> {
  const [name, ...settings] = label.split(':');
  const load = backends[name];
  if (load === undefined) {
    throw new Error(`RLVR_TEST_BACKENDS: '${name}' is none of ${Object.keys(backends).join(', ')}.`);
  }
  return load(Object.fromEntries(settings.map(parseSetting)));
}

function parseSetting(setting: string): [string, unknown] {
  const [key, value] = setting.split('=');
  if (value === undefined) return ['adapter', key];
  if (key === 'tiling') return [key, value];
  if (!['threads', 'fma', 'wide', 'bindingBytes'].includes(key))
    throw new Error(`RLVR_TEST_BACKENDS: unknown option '${setting}'.`);
  return [key, JSON.parse(value)];
}
