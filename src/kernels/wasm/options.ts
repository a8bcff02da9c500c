/** What a caller may choose of the wasm engine. */
import type { StorageDtype } from '../storage.ts';

/** How the wasm backend is opened. Each has a default that fits the machine. */
export interface WasmOptions {
  /** Compute threads; default: one per core. */
  readonly threads?: number;
  /** false: never use relaxed-SIMD multiply-add, so that bits equal those of an engine without it. */
  readonly fma?: boolean;
  /** Whether to use tiles for 256-bit arithmetic; default: where they are measured to be faster. Bits are the same. */
  readonly wide?: boolean;
  /**
   * Whether memory has 64-bit addresses, which reach beyond 4 GiB and take longer; default: where a plan needs them, and the
   * engine has them. Bits are the same.
   */
  readonly memory64?: boolean;
  /**
   * How a plan for it keeps keys and values: float32, the default, or bfloat16 in half the memory. float16, whose widening
   * takes longer, it does not have, and keeps float32: `storageDtype` of the backend says what it is.
   */
  readonly storageDtype?: StorageDtype | undefined;
  /** true: no worker, no shared memory; commands run on the caller's thread. */
  readonly inline?: boolean;
}
