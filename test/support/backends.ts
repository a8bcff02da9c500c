/**
 * The backends that every conformance test runs on.
 *
 * RLVR_TEST_BACKENDS replaces the default list: names with options, such as `reference,wasm:threads=2:fma=false`, or
 * `webgpu:lavapipe`, or `tfjs:wasm`.
 * A backend that is listed and cannot be loaded or opened fails the suite: nothing is skipped.
 */

import type { Backend } from '../../src/kernels/engine.ts';
import type { StorageDtype } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { budget } from './budget.ts';
import { expectClose, expectSameBits } from './compare.ts';
import type { Output } from './harness.ts';

/** A backend, and its name with the options that it was made with. */
export interface RequiredBackend {
  readonly label: string;
  readonly backend: Backend;
  /** Fails where outputs that the interface promises to be the same are not: in bits, or on tfjs within a tolerance. */
  readonly expectSame: (actual: Output, expected: Output, label?: string) => void;
}

interface BackendOptions {
  readonly threads?: number;
  readonly fma?: boolean;
  readonly wide?: boolean;
  readonly memory64?: boolean;
  readonly adapter?: string;
  readonly bindingBytes?: number;
  readonly tiling?: 'workgroups' | 'registers';
  readonly subgroups?: boolean;
  readonly storageDtype?: StorageDtype;
}

const ALL_FORMS = ['wasm:threads=2', 'wasm:threads=1:fma=false', 'wasm:threads=1', 'wasm:threads=2:wide=true'];
const DEFAULT_BACKENDS = ALL_FORMS.slice(0, budget({ quick: 2, all: 4 })).join(',');

/** Opens a backend with the options of its label. */
export type OpenBackend = (options: BackendOptions) => Promise<Backend>;

/** Every backend that a test can name: those of the core, and what a setup file adds. */
const backends: Record<string, OpenBackend> = {
  reference: async () => referenceBackend,
  wasm: async (options) => {
    const { wasmBackend } = await import('../../src/kernels/wasm/backend.ts');
    return wasmBackend(options);
  },
};

/** To be called by a setup file. */
export function alsoOpen(others: Readonly<Record<string, OpenBackend>>): void {
  Object.assign(backends, others);
}

/** The backends under test, in order. @throws when one is unknown or missing */
export async function requiredBackends(): Promise<readonly RequiredBackend[]> {
  const labels = (process.env.RLVR_TEST_BACKENDS ?? DEFAULT_BACKENDS).split(',');
  const required: RequiredBackend[] = [];
  for (const label of labels) {
    // tfjs sums in whatever order its backends do: its kernel set promises no bits.
    const expectSame = label.startsWith('tfjs') ? expectNearlySame : expectSameBits;
    required.push({ label, backend: await loadBackend(label), expectSame });
  }
  return required;
}

const expectNearlySame: RequiredBackend['expectSame'] = (actual, expected, label) =>
  expectClose(actual, expected, { terms: 256 }, label);

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
  if (key === 'tiling' || key === 'storageDtype') return [key, value];
  if (!['threads', 'fma', 'wide', 'memory64', 'bindingBytes', 'subgroups'].includes(key))
    throw new Error(`RLVR_TEST_BACKENDS: unknown option '${setting}'.`);
  return [key, JSON.parse(value)];
}
