/**
 * What WebGPU finds on this machine, looked for in a process of its own.
 *
 * Drivers write warnings to standard error from native code, where nothing here can hold them back; and one that
 * crashes takes only that process with it.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { BackendError } from '../../src/errors.ts';

export interface GpuFindings {
  /** What `--backend auto` takes (`nothing` where no backend opens), and why where that is no GPU. */
  readonly auto: { readonly backend: string; readonly why: string };
  /** Adapters of the optional package; the reason where it is not installed or cannot be loaded. */
  readonly webgpu: { readonly adapters: readonly string[] } | { readonly failure: string };
}

// Loaded through jiti: the same line starts the built file and, in tests, its source.
const BOOT = `
  const [, jiti, entry] = process.argv;
  require(jiti).createJiti(entry, { tryNative: true }).import(entry);
`;
const ENTRY = new URL(`./gpu_probe_process.node${extname(import.meta.url)}`, import.meta.url).href;
const JITI = createRequire(import.meta.url).resolve('jiti');
/** Drivers of some machines take seconds to load. */
const LIMIT_MS = 60_000;

export async function probeGpu(): Promise<GpuFindings> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', BOOT, JITI, ENTRY], { timeout: LIMIT_MS }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout.split('\n').at(-1) ?? '') as GpuFindings);
      else resolve(withoutFindings(error.signal ?? error.code));
    });
  });
}

/** A line an adapter. @throws BackendError where the package is not installed or cannot be loaded */
export async function probedAdapters(): Promise<readonly string[]> {
  const { webgpu } = await probeGpu();
  if ('failure' in webgpu) throw new BackendError('no-webgpu', webgpu.failure);
  return webgpu.adapters;
}

function withoutFindings(end: string | number | null | undefined): GpuFindings {
  const failure = `webgpu: its drivers ended the process that looked for adapters (${end}). Update them, or use --backend wasm.`;
  return { auto: { backend: 'wasm', why: 'the drivers of WebGPU crash' }, webgpu: { failure } };
}
