/**
 * The builds of the kernels by name, deflated. In what npm publishes each is a file of its own, so that a page or a process
 * loads the one that it runs: tools/small_kernels.mjs puts another module in the place of this one.
 */
import { BackendError } from '../../errors.ts';
import * as binaries from './binaries.ts';
import { inflated } from './inflated.ts';

/** Fused multiply-add or none, wide tiles, addresses of 64 bits; all for memory that threads share. */
export type BinaryName = 'threadsFma' | 'threadsFmaWide' | 'threadsFma64' | 'threads';

const BASE64: Readonly<Record<string, string | undefined>> = binaries;

/** A build as WebAssembly compiles it. @throws BackendError where the sources were built before it was there */
export async function binary(name: BinaryName): Promise<Uint8Array<ArrayBuffer>> {
  const base64 = BASE64[name];
  if (base64 === undefined) throw new BackendError('wasm-build', `${name} is not built: npm run build:wasm.`);
  return inflated(base64);
}
