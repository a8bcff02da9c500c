/** How much memory the system lets WebAssembly have: `ulimit -v` and containers may allow less than it can address. */
import { BackendError } from '../../errors.ts';

const PAGE_BYTES = 2 ** 16;
/** Most bytes that WebAssembly can address. */
export const MOST_ENGINE_BYTES: number = 4 * 2 ** 30;

/** The largest shared memory that the system lets us reserve, in bytes; 0 if less than a page. */
export function mostEngineBytes(): number {
  for (let bytes = MOST_ENGINE_BYTES; bytes >= 2 ** 20; bytes /= 2) {
    if (canReserve(bytes)) return bytes;
  }
  return 0;
}

/**
 * Engines reserve some 10 GiB of address space for any memory, so under a limit on it even the smallest model fails,
 * and advice to shrink the model would be wrong.
 *
 * @throws BackendError if not even a page can be reserved
 */
export function requireAddressSpace(reserves: (bytes: number) => boolean = canReserve): void {
  if (reserves(PAGE_BYTES)) return;
  const rule = 'the system reserves no address space for WebAssembly, which takes about 10 GiB of it for any model';
  const remedy = 'It is not memory in use: raise the limit with `ulimit -v unlimited`, or that of the container';
  throw new BackendError('address-space', `wasm: ${rule}. ${remedy}.`);
}

function canReserve(bytes: number): boolean {
  const shared = typeof SharedArrayBuffer !== 'undefined';
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: bytes / PAGE_BYTES, shared }).buffer.byteLength > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
