/** Where the whole lines of a log end, which may be larger than memory, and still be written. */
import type { Store } from '../store/store.ts';

const NEWLINE = 0x0a;
/** Bytes that are read at once. */
const PIECE_BYTES = 512 * 1024;

/** The end of the last whole line within the first `limit` bytes; 0 if there is none. Reads only the tail. */
export async function endOfLastLine(store: Store, path: string, limit: number): Promise<number> {
  for (let end = limit; end > 0; end -= PIECE_BYTES) {
    const begin = Math.max(0, end - PIECE_BYTES);
    const at = (await store.readRange(path, begin, end))?.lastIndexOf(NEWLINE) ?? -1;
    if (at >= 0) return begin + at + 1;
  }
  return 0;
}
