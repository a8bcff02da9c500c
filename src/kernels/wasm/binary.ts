/**
 * The builds of the kernels by name. In the bundle of a browser each is a file of its own, deflated, so that a page loads
 * the one that it runs: tools/small_kernels.mjs puts another module in the place of this one.
 */
import * as binaries from './binaries.ts';

/** Threads or none, fused multiply-add, wide tiles. */
export type BinaryName = keyof typeof binaries;

const BASE64: Readonly<Record<BinaryName, string>> = binaries;

/** A build as WebAssembly compiles it. */
export async function binary(name: BinaryName): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(atob(BASE64[name]), (character) => character.charCodeAt(0));
}
