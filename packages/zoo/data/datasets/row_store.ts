/**
 * Stores many rows in little memory: each is JSON in UTF-8, concatenated in large pieces, and parsed on demand. One
 * object per row would take ten times as much.
 */
import type { ReadRow, Row } from './row.ts';

const PIECE_BYTES = 4 * 1024 ** 2;

export class RowStore {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  readonly #pieces: Uint8Array[] = [];
  /** [rows + 1] where each row begins, counted over all pieces. */
  #offsets = new Float64Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Size of the rows in bytes. */
  get bytes(): number {
    return this.#offsets[this.#count] ?? 0;
  }

  add({ row, written }: ReadRow): void {
    const text = JSON.stringify(row); // on one line
    const bytes = this.#encoder.encode(written === undefined ? text : `${text}\n${JSON.stringify(written)}`);
    let at = this.bytes;
    for (let taken = 0; taken < bytes.length; ) {
      const from = at % PIECE_BYTES;
      if (from === 0) this.#pieces.push(new Uint8Array(PIECE_BYTES));
      const part = bytes.subarray(taken, taken + PIECE_BYTES - from);
      this.#pieces[this.#pieces.length - 1].set(part, from);
      taken += part.length;
      at += part.length;
    }
    this.#count++;
    if (this.#count === this.#offsets.length) {
      const longer = new Float64Array(this.#offsets.length * 2);
      longer.set(this.#offsets);
      this.#offsets = longer;
    }
    this.#offsets[this.#count] = at;
  }

  /** @param index  below `count` */
  row(index: number): ReadRow {
    if (!(index >= 0 && index < this.#count)) throw new RangeError(`row ${index} of ${this.#count}`);
    const [row, written] = this.#decoder.decode(this.#bytesOf(index)).split('\n');
    return { row: JSON.parse(row) as Row, ...(written && { written: JSON.parse(written) as Row }) }; // as `add` wrote it
  }

  #bytesOf(index: number): Uint8Array {
    const begin = this.#offsets[index];
    const end = this.#offsets[index + 1];
    const first = Math.floor(begin / PIECE_BYTES);
    if (end <= (first + 1) * PIECE_BYTES) {
      return this.#pieces[first].subarray(begin - first * PIECE_BYTES, end - first * PIECE_BYTES);
    }
    const bytes = new Uint8Array(end - begin);
    for (let at = begin; at < end; ) {
      const piece = Math.floor(at / PIECE_BYTES);
      const stop = Math.min(end, (piece + 1) * PIECE_BYTES);
      bytes.set(this.#pieces[piece].subarray(at - piece * PIECE_BYTES, stop - piece * PIECE_BYTES), at - begin);
      at = stop;
    }
    return bytes;
  }
}
