/**
 * tfjs backends in Node by name, from optional packages: nothing but `--backend tfjs:…` needs them.
 *
 * The packages are pinned to the last release, since the backend's ways around their gaps are tested with it.
 */
import { createRequire } from 'node:module';
import util from 'node:util';
import { BackendError } from '../../../src/errors.ts';
import type { Backend, NamedBackend } from '../../../src/kernels/engine.ts';
import type { AdapterSource } from '../../webgpu/adapter.ts';

/** Backends of TensorFlow.js that a run can take, as `--backend tfjs:NAME` has them. */
export const TFJS_BACKENDS = ['cpu', 'wasm', 'webgpu', 'tensorflow'] as const;

/** One of them. */
export type TfjsBackendName = (typeof TFJS_BACKENDS)[number];

/** As the command is given them. */
export const TFJS: NamedBackend = {
  names: TFJS_BACKENDS.map((name) => `tfjs:${name}`),
  open: (name) => openTfjs(name.slice('tfjs:'.length) as TfjsBackendName),
};

const VERSION = '4.22.0';

/** Ops, their gradients, and the backend cpu. */
const CORE = '@tensorflow/tfjs';

/** The package of each; TensorFlow's is -node-gpu where that is installed. */
const PACKAGES: Readonly<Record<TfjsBackendName, string>> = {
  cpu: CORE,
  wasm: '@tensorflow/tfjs-backend-wasm',
  webgpu: '@tensorflow/tfjs-backend-webgpu',
  tensorflow: '@tensorflow/tfjs-node',
};

/**
 * The kernel set on a tfjs backend, its package loaded.
 * @param gpu where `webgpu` takes its adapter from; default: what the package `webgpu` prefers
 * @throws BackendError where a package is not installed, or its backend does not start
 */
export async function openTfjs(name: TfjsBackendName, gpu?: AdapterSource): Promise<Backend> {
  if (name === 'tensorflow') await loadTensorflow();
  const core = await load<CorePackage>(CORE, name);
  core.env().set('PROD', true); // else tfjs-cpu greets on the terminal that a run draws on
  if (name === 'webgpu') await loadWebgpu(core, gpu);
  if (name === 'wasm') await load(PACKAGES.wasm, name);
  const { tfjsBackend } = await import('./backend.ts');
  return tfjsBackend(name);
}

async function load<Module>(packageName: string, name: TfjsBackendName): Promise<Module> {
  return import(packageName).catch((cause: unknown) => {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND' && !isInstalled(packageName);
    const reason = isMissing ? `the optional package ${packageName} is not installed` : `${packageName}: ${cause}`;
    throw new BackendError('no-tfjs', `tfjs:${name}: ${reason}. ${remedy(name)}, or use --backend wasm.`, {
      package: packageName,
    });
  });
}

function isInstalled(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
}

function remedy(name: TfjsBackendName): string {
  const ownPackage = `${PACKAGES[name]}@${VERSION}`;
  if (name === 'tensorflow') {
    return `Install it with \`npm install --ignore-scripts ${ownPackage}\` and build it with tools/build_tfjs_node.sh`;
  }
  const others = name === 'cpu' ? [] : name === 'wasm' ? [ownPackage] : [ownPackage, 'webgpu'];
  return `Install it with \`npm install ${[`${CORE}@${VERSION}`, ...others].join(' ')}\``;
}

/**
 * What TensorFlow reads from the environment when it is loaded, unless the user says otherwise: no chatter, no GPU
 * memory taken ahead, and products in float32, since TF32's ten bits are too few for sampler and scorer to agree.
 */
const TENSORFLOW_SETTINGS = {
  TF_CPP_MIN_LOG_LEVEL: '2',
  TF_FORCE_GPU_ALLOW_GROWTH: 'true',
  NVIDIA_TF32_OVERRIDE: '0',
} as const;

/** tfjs-node-gpu where it is installed, else tfjs-node; both register the backend 'tensorflow'. */
async function loadTensorflow(): Promise<void> {
  restoreUtil();
  for (const [name, value] of Object.entries(TENSORFLOW_SETTINGS)) process.env[name] ??= value;
  const gpuPackage = `${PACKAGES.tensorflow}-gpu`;
  await load(isInstalled(gpuPackage) ? gpuPackage : PACKAGES.tensorflow, 'tensorflow');
}

/** tfjs-node calls functions of node:util that Node 23 has removed. */
function restoreUtil(): void {
  const removed = { isNullOrUndefined: (value: unknown) => value == null, isArray: Array.isArray };
  for (const [name, replacement] of Object.entries(removed)) {
    const module = util as unknown as Record<string, unknown>;
    if (typeof module[name] !== 'function') module[name] = replacement;
  }
}

/** What tfjs-webgpu's module has for us. */
interface WebgpuPackage {
  readonly WebGPUBackend: new (device: GPUDevice, info: GPUAdapterInfo) => object;
}

/** What tfjs's module has for us. */
interface CorePackage {
  env(): { set(flag: string, value: boolean): void };
  findBackendFactory(name: string): unknown;
  removeBackend(name: string): void;
  registerBackend(name: string, factory: () => object, priority?: number): boolean;
}

/** Registers tfjs-webgpu on a device of ours; by itself it takes what a browser has. */
async function loadWebgpu(core: CorePackage, source?: AdapterSource): Promise<void> {
  if (core.findBackendFactory('webgpu') !== null) return; // a second device would take the first one's tensors along
  const { globals } = await load<{ globals: object }>('webgpu', 'webgpu');
  const gpu = source ?? (await (await import('../../webgpu/webgpu.node.ts')).nodeGpu());
  // It compares with these classes, and refuses to start where navigator has no gpu. Node 20 has no navigator.
  Object.assign(globalThis, globals);
  if (globalThis.navigator === undefined) Object.defineProperty(globalThis, 'navigator', { value: {} });
  if (!('gpu' in navigator)) Object.defineProperty(navigator, 'gpu', { value: gpu });
  const { WebGPUBackend } = await load<WebgpuPackage>(PACKAGES.webgpu, 'webgpu');
  const found = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (found === null) throw new BackendError('no-adapter', 'tfjs:webgpu: this system offers no adapter.');
  const adapter = found as GPUAdapter; // which the public types name by its shape
  const device = await adapter.requestDevice({ requiredLimits: limitsOf(adapter) });
  if (core.findBackendFactory('webgpu') !== null) core.removeBackend('webgpu');
  core.registerBackend('webgpu', () => new WebGPUBackend(device, adapter.info));
}

/** The limits that tfjs asks for where it opens the device itself. */
function limitsOf({ limits }: GPUAdapter): Record<string, number> {
  const names = [
    'maxComputeWorkgroupStorageSize',
    'maxComputeWorkgroupsPerDimension',
    'maxStorageBufferBindingSize',
    'maxBufferSize',
    'maxComputeWorkgroupSizeX',
    'maxComputeInvocationsPerWorkgroup',
  ] as const;
  return Object.fromEntries(names.map((name) => [name, limits[name]]));
}
